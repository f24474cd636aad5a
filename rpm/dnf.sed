# SPDX-License-Identifier: GPL-2.0
# What ndmctl tells an administrator to type, in the package names of Fedora and EL. Applied when the rpm is built.
s/^\.Xr apt 8$/.Xr dnf 8/
s/apt update && apt install linux-image-amd64 linux-headers-amd64/dnf upgrade kernel kernel-devel/g
s/apt install --reinstall /dnf reinstall /g
s/apt install linux-headers-/dnf install kernel-devel-/g
s/apt install iproute2/dnf install iproute/g
s/apt install /dnf install /g
