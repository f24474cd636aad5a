# SPDX-License-Identifier: GPL-2.0
# default.sh: changes the default congestion control and restores the previous one.

needs probes/backend probes/boot probes/module probes/netns probes/records steps/record

READ_ONLY_HINT='/proc/sys is not writable here, as in most containers; set it on the host'

write_default() { # NAME, over the present one
	if [[ $NETNS ]]; then write_entered_default "$1"
	else write_file "$SYSTEM$SYSCTL" "$1" kernel; fi
}

write_entered_default() { # NAME
	local error
	if [[ $DRY_RUN ]]; then
		would "write $1 > $SYSCTL of $NETNS_SHOWN"
		return 0
	fi
	read_entered_default || :
	note_undo_call put_back_netns "$NETNS" "$REPLY"
	verbose "write $1 > $SYSCTL of $NETNS_SHOWN"
	error=$(tool nsenter --net="$NETNS" tee "$SYSCTL" <<<"$1" 2>&1 >/dev/null) || { take_error "$error"; return 1; }
	CHANGED=yes
}

put_back_netns() { # FILE NAME
	[[ $(tool nsenter --net="$1" cat "$SYSCTL") == "$2" ]] || tool nsenter --net="$1" tee "$SYSCTL" <<<"$2" >/dev/null
}

set_running_default() { # NAME, registered
	local present set=$1
	current_default || die 5 "cannot read $SYSTEM$SYSCTL" 'ndmctl doctor'
	present=$REPLY
	if [[ $present == "$1" ]]; then
		already "the default${NETNS:+ of $NETNS_SHOWN} is $1"
		return 0
	fi
	read_record || :
	if is_set_by_us "$present" "$SET_HERE"; then set=$present/$1; else PREVIOUS=$present; fi
	write_record "$RECORD" "previous=$PREVIOUS"$'\n'"set=$set"
	replace_default "$1" "$present"
	! is_set_by_us "$present" "$SET_HERE" || write_record "$RECORD" "previous=$PREVIOUS"$'\n'"set=$1"
}

replace_default() { # NAME PRESENT
	audit "default${NETNS:+ of $NETNS_SHOWN}" "$2" "$1"
	write_default "$1" ||
		die 1 "cannot set the default${NETNS:+ of $NETNS_SHOWN} to '$1': $WRITE_ERROR" hint_of_default "$1"
}

hint_of_default() { # NAME, after write_default
	read_value "$SYSTEM/proc/sys/net/ipv4/tcp_allowed_congestion_control" || :
	case $WRITE_ERROR in
	*permitted*)
		if [[ $NETNS && " $REPLY " != *" $1 "* ]]; then
			advise 'only unrestricted algorithms may be the default there; on the host:' \
				"sysctl -w net.ipv4.tcp_allowed_congestion_control='$REPLY $1'"
		else words_for_host "$1"; advise "$READ_ONLY_HINT: $REPLY"; fi ;;
	*Read-only* | *denied*) words_for_host "$1"; advise "$READ_ONLY_HINT: $REPLY" ;;
	*) REPLY='ndmctl doctor' ;;
	esac
}

mark_applied() { # NAME
	[[ $RECORD == default ]] || return 0
	read_value "$RECORDS/applied" || :
	[[ $REPLY == "$1" ]] || write_record applied "$1"
}

revert_running_default() {
	local present damaged='' where="${NETNS:+ of $NETNS_SHOWN}"
	read_record || damaged=yes
	current_default || :
	present=$REPLY
	if [[ $damaged ]] && is_ours "$present"; then restore_previous '' "$present"
	elif [[ $damaged || ! $SET_HERE ]]; then note "nothing to revert: ndmctl has not changed the default$where since boot"
	elif ! is_set_by_us "$present" "$SET_HERE"; then
		note "the default$where is $present, which ndmctl did not set; it stays"
	else restore_previous "$PREVIOUS" "$present"; fi
	write_record "$RECORD" ''
	[[ $RECORD != default ]] || write_record applied ''
}

restore_previous() { # NAME PRESENT; a built-in algorithm of the kernel if that is missing or unknown
	local name=$1
	[[ $name != "$2" ]] || return 0
	if [[ ! $name ]] || { ! is_registered "$name" && ! { run modprobe "tcp_$name" && is_registered "$name"; }; }; then
		name=reno
		! is_registered cubic || name=cubic
		if [[ $1 ]]; then note "note: $1 is no longer registered, so the default becomes $name"
		else note "note: the previous default is not known, so the default becomes $name"; fi
	fi
	replace_default "$name" "$2"
}

revert_all_netns() { # what ndmctl has changed; one that cannot be put back leaves the others alone
	local id file
	can_enter_netns || return 0
	list_netns
	forget_ended_netns
	for id in "${NETNS_LIST[@]}"; do
		enter_netns "$id" || continue
		in_own_shell revert_netns "$id" || warn "${NETNS_SHOWN:-this network namespace} keeps its default"
		if [[ $NETNS ]]; then file=${NETNS##*/}; exec {file}<&-; fi    # there may be more than can be open at once
	done
	leave_netns
}

# rpm runs its scripts in a network namespace of their own, which copied the default when it was made, has no record,
# and holds the module. Nobody could unregister BPF programs that any such namespace keeps, when ndmctl is gone; what
# ndmctl puts back may be such a copy.
revert_netns() { # ID, entered
	if [[ -e $RECORDS/$RECORD ]]; then revert_running_default; fi
	if { [[ $1 == "$NETNS_OWN" && $RECORD != default ]] || is_bpf
		} && current_default && is_ours "$REPLY"; then restore_previous '' "$REPLY"; fi
}

forget_ended_netns() { # their numbers will be given to others
	local record
	for record in "$RECORDS"/netns-*; do
		if [[ -e $record && ! ${NETNS_PATH[${record##*-}]-} ]]; then write_record "${record##*/}" ''; fi
	done
}
