# SPDX-License-Identifier: GPL-2.0
# What ndmctl tells an administrator to type, in the package names of Fedora and EL. Applied when the rpm is built.
s/apt update && //g
s/apt install --reinstall /dnf reinstall /g
s/apt install linux-headers-/dnf install kernel-devel-/g
s/apt install linux-image-\$(dpkg --print-architecture)/dnf install kernel/g
s/apt install iproute2/dnf install iproute/g
s/apt install /dnf install /g
