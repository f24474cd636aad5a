# SPDX-License-Identifier: GPL-2.0
# programs.sh: the BPF programs of policies, as the records and the pins say.

needs probes/cgroup probes/environment probes/objects probes/records

object_of_kind() { # KIND: its object, into REPLY
	REPLY=ndm_cc
	[[ $1 != plain ]] || REPLY=ndm_cc_plain
}

list_outdated_programs() { # the algorithms whose program another version has loaded, into REPLY
	local name kind sum found=''
	[[ -r $RECORDS/programs ]] || { REPLY=''; return 0; }
	while read -r name _ kind sum; do
		object_of_kind "$kind"
		object_sum "$REPLY"
		[[ $sum == "$REPLY" ]] || found+="${found:+, }$name"
	done <"$RECORDS/programs"
	REPLY=$found
}

# NAME below $PINS/cc: in a container only what its records name, for its BPF file system may be that of the host
is_own_program() {
	! is_container || { read_program "$1" && is_pinned "$PINS/cc/$1/prog" "$PROGRAM"; }
}

is_pinned() { # PIN NUMBER: is it that very program?
	find_bpftool && [[ $(tool "$BPFTOOL" -j prog show pinned "$1" 2>/dev/null) == *"\"id\":$2,"* ]]
}

list_own_programs() { # the algorithms that have one, into REPLY_LIST
	local dir
	REPLY_LIST=()
	for dir in "$PINS"/cc/*/; do
		dir=${dir%/}
		if [[ -d $dir ]] && is_own_program "${dir##*/}"; then REPLY_LIST+=("${dir##*/}"); fi
	done
}
