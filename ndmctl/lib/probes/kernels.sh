# SPDX-License-Identifier: GPL-2.0
# kernels.sh: the kernels of this system, their headers, the module's file for each, and DKMS.

needs probes/environment

DKMS_VERSION='' DKMS_LINES='' DKMS_READ='' DKMS_BROKEN='' FILE_STATE='' MODULE_FILE=''
KERNELS=() KERNELS_READ=''    # of list_kernels

# That can be booted, the newest last, into REPLY_LIST. A leftover in /boot is none: a kernel has modules, and its
# list of built-in ones.
list_kernels() {
	local dir kernel
	[[ ! $KERNELS_READ ]] || { REPLY_LIST=("${KERNELS[@]}"); return; }
	REPLY_LIST=() KERNELS_READ=yes
	while IFS= read -r -d '' dir; do
		kernel=${dir##*/}
		[[ -e $dir/modules.builtin ]] || continue
		if [[ -s $SYSTEM/boot/vmlinuz-$kernel || -s $SYSTEM/boot/vmlinux-$kernel || -s $dir/vmlinuz ]]; then
			REPLY_LIST+=("$kernel"); fi
	done < <(find "$SYSTEM/lib/modules/" -mindepth 1 -maxdepth 1 -print0 2>/dev/null | sort -zV)
	KERNELS=("${REPLY_LIST[@]}")
}

newest_kernel() { # into REPLY, empty when there is none
	list_kernels
	REPLY=${REPLY_LIST[*]:+${REPLY_LIST[-1]}}
}

# of this system, into REPLY: the running one; in a chroot the newest that is installed, empty when there is none
own_kernel() {
	if is_chroot; then newest_kernel; else kernel_release; fi
}

module_of_kernel() { # KERNEL: the module's file into REPLY; fails when there is none
	local files=() depth
	REPLY=''
	[[ $1 != *[*?[\\]* ]] || return 1    # no pattern
	mapfile -t files < <(for depth in '/*' '' '/*/*'; do compgen -G "$SYSTEM/lib/modules/$1/*$depth/tcp_ndm.ko*" || :; \
		done)
	for REPLY in "${files[@]}"; do [[ $REPLY != *.ko?(.gz|.xz|.zst) ]] || return 0; done    # not tcp_ndm.ko.old
	REPLY=''
	return 1
}

has_module_for() { module_of_kernel "$1"; }

has_headers() { # KERNEL
	[[ -e $SYSTEM/lib/modules/$1/build/include/generated/autoconf.h ]]
}

lack_of_headers() { # KERNEL, which has none, or only some: into REPLY
	REPLY="no headers for $1"
	[[ ! -e $SYSTEM/lib/modules/$1/build/ ]] || REPLY="the headers for $1 are incomplete (include/generated/autoconf.h)"
}

own_version() { # into REPLY: the built-in one, or in a checkout that of the changelog
	local line=''
	REPLY=$NDM_VERSION
	[[ $REPLY == @* ]] || return 0
	REPLY=unknown
	read_value "$HERE/../debian/changelog" && line=$REPLY
	[[ ! $line =~ \(([^\)]+)\) ]] || REPLY=${BASH_REMATCH[1]}
}

declare -gA MODULE_FIELD=()    # what modinfo has said of the module, of several what depmod prefers

module_field() { # FIELD [WORD...] of modinfo: into REPLY; empty when there is none
	[[ ${MODULE_FIELD[$1]+asked} ]] || MODULE_FIELD[$1]=$(tool modinfo "${@:2}" -F "$1" tcp_ndm 2>/dev/null) ||
		MODULE_FIELD[$1]=''
	REPLY=${MODULE_FIELD[$1]}
}

module_version_on_disk() { # for the kernel of this system, into REPLY; empty when there is none
	local kernel=()
	if is_chroot; then
		newest_kernel
		kernel=(-k "$REPLY")
		[[ $REPLY ]] || return 0
	fi
	module_field version "${kernel[@]}"
	REPLY=${REPLY%%$'\n'*}
}

# Sets FILE_STATE, and MODULE_FILE when there is one: missing, damaged (as after a power failure), unindexed (modprobe
# finds only what depmod has listed), good
judge_file() { # KERNEL
	FILE_STATE=missing MODULE_FILE=''
	module_version_on_disk
	if [[ ! $REPLY ]]; then
		module_of_kernel "$1" || return 0
		MODULE_FILE=$REPLY FILE_STATE=damaged
		if [[ -s $REPLY && $(tool modinfo -F version "$REPLY" 2>/dev/null) ]]; then FILE_STATE=unindexed; fi
		return 0
	fi
	module_of_kernel "$1" || :
	MODULE_FILE=$REPLY FILE_STATE=good
	module_field filename
	if [[ -f $REPLY ]]; then is_chroot || MODULE_FILE=$REPLY; fi
}

# dkms has printed both "ndm-tcp/0.1.0, 6.1.0-40-amd64, x86_64: installed" and "ndm-tcp, 0.1.0, 6.1.0-40-amd64, x86_64:
# installed"; "ndm-tcp/0.1.0: added" has no kernel; "installed-weak from KERNEL" is the file of another kernel, of EL.
# Asked for all modules, dkms 3.0 stops at the first whose source is gone.
read_dkms() { # lines "VERSION KERNEL STATE" of ndm-tcp, KERNEL - when unbuilt
	tool dkms status -m ndm-tcp 2>/dev/null | awk '
		{
			split($0, half, ": ")
			sub(/\//, ", ", half[1])
			n = split(half[1], part, ", *")
			sub(/:$/, "", part[n])
			state = half[2]
			sub(/(-weak)?[ (].*/, "", state)
			if (part[1] == "ndm-tcp")
				print part[2], (n > 2 ? part[3] : "-"), (state == "" ? "unknown" : state)
		}'
}

# [KERNEL, else that of this system] into REPLY: installed, built, added, broken, absent; sets DKMS_VERSION, and
# DKMS_BROKEN where it is absent because its source is gone
dkms_state() {
	local version kernel state found=absent release=${1-}
	[[ $release ]] || { own_kernel; release=$REPLY; }
	DKMS_VERSION=''
	if [[ ! $DKMS_READ ]]; then
		DKMS_READ=yes
		DKMS_LINES=$(read_dkms) || :
	fi
	while read -r version kernel state; do
		[[ $version ]] || continue
		if [[ $kernel == - && $state == broken ]]; then
			DKMS_BROKEN="DKMS lacks the source of ndm-tcp $version, /usr/src/ndm-tcp-$version"
			continue
		fi
		DKMS_VERSION=$version
		if [[ $kernel == "$release" ]]; then
			found=$state
			break
		fi
		found=added
	done <<<"$DKMS_LINES"
	REPLY=$found
}

# The command that builds the module, into REPLY, after dkms_state. Only this module, not all modules of DKMS.
build_command() { # KERNEL
	[[ $DKMS_VERSION ]] || dkms_state "$1"
	REPLY="dkms install ndm-tcp/$DKMS_VERSION -k $1"
}
