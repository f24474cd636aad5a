# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# place.sh: where ndmctl runs: on a host, in a container, in a chroot; with systemd or without. So: which kernel is meant, and which
# commands a hint may name there.

# Are the module and the policies those of a host around this one? A file such as /.dockerenv may come from an image, so the kernel is
# asked: the initial namespaces have fixed numbers (include/linux/proc_ns.h).
is_container() {
	local ns REPLY
	for ns in 'pid:[4026531836]' 'cgroup:[4026531835]' 'user:[4026531837]'; do
		REPLY=$(readlink "$SYSTEM/proc/self/ns/${ns%%:*}" 2>/dev/null) || continue
		[[ $REPLY == "$ns" ]] || return 0
	done
	return 1
}

# Has process 1 another root? Users may not look there, nor may the sandbox of the service; they have a mount at / unless they are in
# a chroot. A chroot that cannot be told is a chroot.
is_chroot() {
	local root=$SYSTEM/proc/1/root dir
	if [[ -e $root ]]; then
		[[ ! $SYSTEM/ -ef $root ]]
		return
	fi
	while read -r _ _ _ _ dir _; do [[ $dir != / ]] || return 1; done 2>/dev/null <"$SYSTEM/proc/self/mountinfo" || :
	return 0
}

kernel_release() {
	read_value "$SYSTEM/proc/sys/kernel/osrelease" || REPLY=unknown
}

own_kernel() { # of this system, into REPLY: the running one; in a chroot the newest that is installed, empty when there is none
	if is_chroot; then newest_kernel; else kernel_release; fi
}

has_other_init() { # does this system boot without systemd?
	local REPLY
	[[ ! $TREE && ! -d $SYSTEM/run/systemd/system ]] || return 1
	if is_chroot; then [[ ! -e $SYSTEM/usr/lib/systemd/systemd && ! -e $SYSTEM/lib/systemd/systemd ]]
	else read_value "$SYSTEM/proc/1/comm" && [[ $REPLY != systemd ]]; fi
}

reboot_command() { # into REPLY
	if has_other_init; then REPLY=reboot; else REPLY='systemctl reboot'; fi
}

is_masked() { # [UNIT, else ours]: a link to /dev/null, or an empty file; what enables it stays. The word systemd.mask= makes one, too
	local file
	for file in "$ROOT"/{etc,run}/systemd/system/"${1:-ndm-tcp.service}" "$ROOT/run/systemd/generator.early/${1:-ndm-tcp.service}"; do
		[[ ! -e $file || -s $file ]] || return 0
	done
	return 1
}

list_masked() { # into REPLY_LIST: of what policies of units need at each start
	local unit
	REPLY_LIST=()
	for unit in ndm-tcp-units.service ndm-tcp-policy@.service; do ! is_masked "$unit" || REPLY_LIST+=("$unit"); done
}

is_enabled() { # for the next boot; systemd stores this as a link, which is quick to read
	local link
	if has_other_init; then has_boot_script; return; fi
	! is_masked || return 1
	for link in "$ROOT"/{etc,usr/lib}/systemd/system/*.{wants,requires,upholds}/ndm-tcp.service; do
		[[ ! -L $link && ! -e $link ]] || return 0
	done
	return 1
}

has_boot_script() { # a line of what other inits run at boot
	grep -Eqrs '^[^#]*ndmctl (.* )?(service start|reload)' "$SYSTEM"/etc/{rc.local,init.d,local.d,rc.d,crontab,cron.d,runit,s6} 2>/dev/null
}

enable_command() { # to print
	local system=${TREE:+" --root=${TREE@Q}"} script=$SYSTEM/etc/rc.local
	if has_other_init; then
		if [[ -d $SYSTEM/etc/local.d ]]; then # OpenRC
			script=$SYSTEM/etc/local.d/ndm-tcp.start
		elif [[ -s $script ]]; then
			printf "sed -i '1a ndmctl service start' %s && chmod +x %s" "$script" "$script"
			return
		fi
		printf "printf '#!/bin/sh\\\\nndmctl service start\\\\n' >%s && chmod +x %s" "$script" "$script"
	elif [[ ! $TREE ]] && kernel_word systemd.mask=ndm-tcp systemd.mask=ndm-tcp.service; then unmask_command ndm-tcp
	else
		! is_masked || printf '%s && ' "$(unmask_command ndm-tcp)"
		printf 'systemctl%s enable ndm-tcp' "$system"
	fi
}

unmask_command() { # UNIT...: to print; what the kernel line masks comes first
	local unit
	for unit; do
		if [[ $TREE ]] || ! kernel_word "systemd.mask=$unit" "systemd.mask=${unit%.service}" "systemd.mask=$unit.service"; then continue; fi
		without_kernel_word "$REPLY"
		printf '%s' "$REPLY"
		return
	done
	printf 'systemctl%s unmask %s' "${TREE:+" --root=${TREE@Q}"}" "$*"
}

# Does systemd boot into a shell and little else, without multi-user.target, which starts ndm-tcp.service? Then what ends that, into REPLY.
is_rescue_boot() {
	local word found=''
	[[ ! $TREE ]] || return 1
	kernel_words
	for word in ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}; do
		case $word in
		systemd.unit=rescue.target | systemd.unit=emergency.target | rescue | emergency | single | [sS1]) found=$word ;;
		systemd.unit=* | [2-5]) found=- ;;
		esac
	done
	if [[ $found == ?* && $found != - ]]; then without_kernel_word "$found"; return 0; fi
	word=$(readlink "$ROOT/etc/systemd/system/default.target") || return 1
	REPLY='systemctl set-default multi-user.target'
	[[ ! $found && ${word##*/} == @(rescue|emergency).target ]]
}

words_for_host() { # NAME, to print: how one outside gives a container its default
	printf 'lxc.sysctl.net.ipv4.tcp_congestion_control = %s (LXC, Proxmox), --sysctl net.ipv4.tcp_congestion_control=%s (podman, docker)' "$1" "$1"
}

# In a container the units do not start. What its own sysctl files say applies at its start, if systemd runs in it; else the host decides.
keep_in_container() { # NAME: the command, or the words, that keep this default, into REPLY
	if [[ -d $SYSTEM/run/systemd/system ]]; then REPLY="echo net.ipv4.tcp_congestion_control=$1 >$SYSTEM/etc/sysctl.d/90-ndm-tcp.conf"
	else REPLY="on the host: $(words_for_host "$1")"; fi
}
