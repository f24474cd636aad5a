# SPDX-License-Identifier: GPL-2.0
# environment.sh: where ndmctl runs: on a host, in a container, in a chroot. So: which kernel is meant.

IN_CONTAINER=''    # yes or no, once it was asked

# Are the module and the policies those of a host around this one? A file such as /.dockerenv may come from an image,
# so the kernel is asked: the initial namespaces have fixed numbers (include/linux/proc_ns.h).
is_container() {
	local kinds=(pid cgroup user) links ns
	if [[ ! $IN_CONTAINER ]]; then
		IN_CONTAINER=no
		mapfile -t links < <(readlink "${kinds[@]/#/$SYSTEM/proc/self/ns/}" 2>/dev/null)
		for ns in "${links[@]}"; do
			[[ $ns == @('pid:[4026531836]'|'cgroup:[4026531835]'|'user:[4026531837]') ]] || IN_CONTAINER=yes
		done
	fi
	[[ $IN_CONTAINER == yes ]]
}

# Has process 1 another root? Users may not look there, nor may the sandbox of the service; they have a mount at /
# unless they are in a chroot. A chroot that cannot be told is a chroot.
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
