# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# system.sh: the kernel, its modules on disk, DKMS, and what each failure of modprobe means in words.

DKMS_VERSION='' CAUSE='' HINT='' CODE=''

kernel_release() {
	read_value "$SYSTEM/proc/sys/kernel/osrelease" || REPLY=unknown
}

module_version_on_disk() { # for the running kernel, into REPLY; empty when there is none
	REPLY=$(tool modinfo -F version tcp_ndm 2>/dev/null) || REPLY=''
	REPLY=${REPLY%%$'\n'*}
}

# Are the module and the policies those of a host around this one? A file such as /.dockerenv may come from an image, so the kernel is
# asked: the initial namespaces have fixed numbers (include/linux/proc_ns.h).
is_container() {
	local ns
	for ns in 'pid:[4026531836]' 'cgroup:[4026531835]'; do
		REPLY=$(readlink "$SYSTEM/proc/self/ns/${ns%%:*}" 2>/dev/null) || continue
		[[ $REPLY == "$ns" ]] || return 0
	done
	return 1
}

is_masked() { # [UNIT of ours]: a link to /dev/null, or an empty file; what enables it stays
	local file
	for file in "$ROOT"/{etc,run}/systemd/system/"${1:-ndm-tcp.service}"; do
		[[ ! -e $file || -s $file ]] || return 0
	done
	return 1
}

list_masked() { # into REPLY: of what policies of units need at each start
	local unit
	REPLY=''
	for unit in ndm-tcp-units.service ndm-tcp-policy@.service; do ! is_masked "$unit" || REPLY+="${REPLY:+ }$unit"; done
}

is_enabled() { # for the next boot; systemd stores this as a link, which is quick to read
	local link
	! is_masked || return 1
	for link in "$ROOT"/{etc,usr/lib}/systemd/system/*.{wants,requires,upholds}/ndm-tcp.service; do
		[[ ! -L $link && ! -e $link ]] || return 0
	done
	return 1
}

enable_command() { # to print
	! is_masked || printf 'systemctl unmask ndm-tcp && '
	printf 'systemctl enable ndm-tcp'
}

# dkms has printed both "ndm-tcp/0.1.0, 6.1.0-40-amd64, x86_64: installed" and "ndm-tcp, 0.1.0, 6.1.0-40-amd64, x86_64:
# installed"; "ndm-tcp/0.1.0: added" has no kernel.
read_dkms() { # lines "VERSION KERNEL STATE" of ndm-tcp, KERNEL - when unbuilt
	tool dkms status 2>/dev/null | awk '
		{
			split($0, half, ": ")
			sub(/\//, ", ", half[1])
			n = split(half[1], part, ", *")
			sub(/:$/, "", part[n])
			state = half[2]
			sub(/[ (].*/, "", state)
			if (part[1] == "ndm-tcp")
				print part[2], (n > 2 ? part[3] : "-"), (state == "" ? "unknown" : state)
		}'
}

dkms_state() { # of the running kernel into REPLY: installed, built, added, broken, absent; sets DKMS_VERSION
	local version kernel state found=absent release
	kernel_release
	release=$REPLY
	DKMS_VERSION=''
	while read -r version kernel state; do
		[[ $kernel != - || $state != broken ]] || continue    # its source is gone
		DKMS_VERSION=$version
		if [[ $kernel == "$release" ]]; then
			found=$state
			break
		fi
		found=added
	done < <(read_dkms)
	REPLY=$found
}

list_kernels() { # that can be booted, the newest last, into REPLY_LIST
	local image
	REPLY_LIST=()
	while IFS= read -r -d '' image; do REPLY_LIST+=("${image##*/vmlinuz-}"); done < <(find "$SYSTEM/boot" -maxdepth 1 -name 'vmlinuz-*' -print0 2>/dev/null | sort -zV)
}

has_module_for() { # KERNEL
	[[ $1 != *[*?[\\]* ]] || return 1    # no pattern
	compgen -G "$SYSTEM/lib/modules/$1/*/*/tcp_ndm.ko*" >/dev/null || compgen -G "$SYSTEM/lib/modules/$1/*/tcp_ndm.ko*" >/dev/null
}

has_headers() { # KERNEL
	[[ -e $SYSTEM/lib/modules/$1/build/include ]]
}

# The command that builds the module, into REPLY, after dkms_state. Only this module, not all modules of DKMS.
build_command() { # KERNEL
	REPLY="dkms install ndm-tcp/$DKMS_VERSION -k $1"
}

# The same when DKMS regards it as built, or does not know the module; into HINT.
rebuild_command() { # KERNEL
	dkms_state
	HINT="dkms build --force ndm-tcp/$DKMS_VERSION -k $1 && dkms install --force ndm-tcp/$DKMS_VERSION -k $1"
	[[ $REPLY != absent ]] || HINT='apt install --reinstall ndm-tcp-dkms'
}

# Why a module did not load, from modprobe's words: sets CAUSE, HINT and CODE.
explain_modprobe() { # MODULE TEXT
	CODE=1
	kernel_release
	local release=$REPLY
	HINT='ndmctl doctor'
	if [[ ! -e $SYSTEM/proc/modules ]]; then
		CODE=5 CAUSE='this kernel cannot load modules' HINT='boot a kernel with module support, such as the one of your distribution'
		return
	fi
	case $2 in
	*'command not found'*) CODE=5 CAUSE='the program modprobe is not installed' HINT='apt install kmod' ;;
	*'Key was rejected'* | *'Required key not available'*) explain_key "$1" ;;
	*'Exec format error'* | *'nknown symbol'* | *'disagrees about version'*)
		CAUSE="$1 was built for another kernel than $release"
		rebuild_command "$release" ;;
	*'running install command'*) CAUSE="$1 is disabled by an install line in modprobe.d" HINT="grep -rn $1 /etc/modprobe.d /usr/lib/modprobe.d" ;;
	*'Invalid argument'* | *'nknown parameter'*) CAUSE="$1 refuses an option" HINT="grep -rn $1 /etc/modprobe.d; dmesg | tail shows which one" ;;
	*'not permitted'* | *'ermission denied'*) explain_permission "$1" ;;
	*'not found'*) explain_missing "$1" "$release" ;;
	*)
		shown "${2##*: }"
		CAUSE="modprobe $1 failed: $SHOWN" ;;
	esac
}

# A file of sysctl.d sets modules_disabled before ndm-tcp.service starts. What modules-load.d names is loaded before that.
load_early_command() { # MODULE, into REPLY
	REPLY="echo $1 >/etc/modules-load.d/ndm-tcp.conf && reboot"
	is_enabled || REPLY="$(enable_command) && $REPLY"
}

explain_permission() { # MODULE
	read_lockdown
	local lockdown=$REPLY
	if is_container; then
		CODE=5 CAUSE="loading $1 is not permitted in this container" HINT='run ndmctl load on the host; the container can then choose ndm'
	elif read_value "$SYSTEM/proc/sys/kernel/modules_disabled" && [[ $REPLY == 1 ]]; then
		CAUSE='kernel.modules_disabled=1 forbids loading until the next boot'
		load_early_command "$1"
		HINT=$REPLY
	elif [[ $lockdown && $lockdown != none ]]; then
		explain_key "$1"
	else
		CAUSE="loading $1 is not permitted (no CAP_SYS_MODULE)" HINT='run ndmctl load as root outside of any container or sandbox'
	fi
}

explain_missing() { # MODULE KERNEL
	local log
	if [[ $1 != tcp_ndm ]]; then
		CAUSE="kernel $2 has no module $1"
		read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
		HINT="choose one that is registered: $REPLY"
		return
	fi
	if is_container; then
		CODE=5 CAUSE="$1 is not on this system; a container uses the modules of its host" HINT='install ndm-tcp-dkms and run ndmctl load on the host'
		return
	fi
	dkms_state
	log=/var/lib/dkms/ndm-tcp/$DKMS_VERSION/build/make.log
	if [[ $REPLY == absent ]]; then CAUSE="$1 is not installed for kernel $2" HINT='apt install --reinstall ndm-tcp-dkms'
	elif ! has_headers "$2"; then CAUSE="no headers for kernel $2, so DKMS could not build $1" HINT="apt install linux-headers-$2"
	else
		build_command "$2"
		HINT=$REPLY
		if [[ -e $SYSTEM$log ]]; then CAUSE="the DKMS build of $1 failed, see $log"
		else CAUSE="DKMS has not installed $1 for kernel $2"; fi
	fi
}
