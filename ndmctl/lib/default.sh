# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # SC2034: names set here are used by the other files
# default.sh: the default congestion control, and the way back to the one before.
#
# Of this network namespace, or of the one that netns.sh has entered.
#
# /run/ndm-tcp/default   previous=NAME and set=NAME: what was there, what ndmctl made of it
# /run/ndm-tcp/applied   the DEFAULT that the configuration caused; so that DEFAULT=no undoes that and nothing else

SYSCTL=/proc/sys/net/ipv4/tcp_congestion_control

current_default() { # into REPLY
	if [[ $NETNS ]]; then read_entered_default; else read_value "$ROOT$SYSCTL"; fi
}

cmd_default() {
	if [[ -v OPT[--netns] ]]; then enter_named_netns; fi
	current_default || die 5 "cannot read $ROOT$SYSCTL" 'this kernel or container has no IPv4 TCP; ndmctl doctor'
	if [[ $FORMAT == json ]]; then
		json_str "$REPLY"
		printf '{"schema":1,"command":"default","default":%s}\n' "$REPLY"
	else printf '%s\n' "$REPLY"; fi
}

read_record() { # sets PREVIOUS and SET_HERE, both empty when ndmctl changed nothing
	local key value file=$ROOT/run/ndm-tcp/$RECORD
	PREVIOUS='' SET_HERE=''
	[[ -f $file && -r $file ]] || return 0
	while IFS='=' read -r key value; do
		case $key in
		previous) PREVIOUS=$value ;;
		set) SET_HERE=$value ;;
		esac
	done <"$file"
	if name_problem "$PREVIOUS" || name_problem "$SET_HERE"; then
		warn "$file is damaged and ignored"
		PREVIOUS='' SET_HERE=''
	fi
}

record_default() { # PRESENT NEW
	read_record
	if [[ ! $SET_HERE || $SET_HERE != "$1" ]]; then PREVIOUS=$1; fi
	write_record "$RECORD" "previous=$PREVIOUS"$'\n'"set=$2"
}

write_record() { # NAME TEXT
	local dir=$ROOT/run/ndm-tcp
	[[ -d $dir || $DRY_RUN ]] || mkdir -p -- "$dir" || die 1 "cannot create $dir" "check that $ROOT/run is writable"
	write_value "$dir/$1" "$2" || die 1 "cannot write $dir/$1: $WRITE_ERROR" "df $dir"
}

write_default() { # NAME
	if [[ $NETNS ]]; then write_entered_default "$1"; else write_value "$ROOT$SYSCTL" "$1"; fi
}

set_running_default() { # NAME, registered
	current_default || die 5 "cannot read $ROOT$SYSCTL" 'ndmctl doctor'
	if [[ $REPLY == "$1" ]]; then
		tell_already "the default${NETNS:+ of $NETNS_SHOWN} is $1"
		return 0
	fi
	record_default "$REPLY" "$1"
	write_default "$1" && return 0
	die 1 "cannot set the default${NETNS:+ of $NETNS_SHOWN} to '$1': $WRITE_ERROR" "$(hint_of_default "$1")"
}

READ_ONLY_HINT='/proc/sys is not writable here, as in most containers; set it on the host'

hint_of_default() { # NAME
	read_value "$ROOT/proc/sys/net/ipv4/tcp_allowed_congestion_control" || :
	case $WRITE_ERROR in
	*permitted*)
		if [[ $NETNS && " $REPLY " != *" $1 "* ]]; then
			printf "only unrestricted algorithms may be the default there; on the host: sysctl -w net.ipv4.tcp_allowed_congestion_control='%s %s'" "$REPLY" "$1"
		else printf '%s' "$READ_ONLY_HINT"; fi ;;
	*Read-only* | *denied*) printf '%s' "$READ_ONLY_HINT" ;;
	*) printf 'ndmctl doctor' ;;
	esac
}

cmd_set_default() {
	local name=${ARGS[0]-} now=yes boot=yes
	[[ ! ${OPT[--runtime]-} || ! ${OPT[--persist]-} ]] || die 2 '--runtime and --persist exclude each other' 'leave both away to do both'
	[[ ! ${OPT[--runtime]-} ]] || boot=''
	[[ ! ${OPT[--persist]-} ]] || now=''
	if [[ ${OPT[--revert]-} ]]; then
		[[ ! $name ]] || die 2 '--revert takes no name' 'ndmctl set-default --revert'
	else
		((${#ARGS[@]})) || die 2 'set-default needs a name' 'ndmctl set-default ndm'
		require_name "$name"
	fi
	if [[ -v OPT[--netns] ]]; then change_netns_default "$name"
	else change_default "$name" "$now" "$boot"; fi
}

change_default() { # NAME NOW BOOT: an empty NAME reverts. Files are judged first and replaced last
	require_config
	lock_state
	PLANNED=''
	if [[ $3 ]]; then plan_default "$1"; fi
	if [[ $1 && $2 ]]; then ensure_registered "$1"
	elif [[ $1 ]]; then require_available "$1"; fi
	stage_drop_in
	if [[ ! $2 ]]; then :
	elif [[ $1 ]]; then
		set_running_default "$1"
		if [[ $3 ]]; then mark_applied "$1"; fi
	else
		revert_running_default
	fi
	publish_drop_in
	[[ ! $3 ]] || note_persisted "$1"
}

plan_default() { # NAME
	configured_default
	if [[ $1 && $REPLY == "$1" ]]; then
		tell_already "the configuration has DEFAULT=${CONF_VALUE[DEFAULT]}"
		return 0
	fi
	plan_drop_in DEFAULT "$1"
	require_config
	if [[ $1 ]]; then warn_overridden DEFAULT "$1"; fi
}

require_available() { # NAME: it is to be the default at boot, so it must exist by then
	local module=tcp_$1
	! is_ours "$1" || module=tcp_ndm
	[[ ! $ROOT ]] || has_tool modinfo || return 0    # preparing another system, whose kernel cannot be asked
	is_registered "$1" || tool modinfo -F filename "$module" >/dev/null 2>&1 ||
		{ explain_missing "$module" "$(kernel_release; printf %s "$REPLY")"; die 1 "cannot persist '$1': $CAUSE" "$HINT"; }
}

note_persisted() { # NAME, empty after a revert
	configured_default
	if [[ $1 ]]; then note_unit
	elif [[ $REPLY ]]; then say "note: DEFAULT=${CONF_VALUE[DEFAULT]} in ${CONF_ORIGIN[DEFAULT]} still applies at boot; ndmctl config set DEFAULT no overrides it"; fi
}

note_unit() {
	is_enabled || say 'note: ndm-tcp.service is not enabled, so nothing is applied at boot; systemctl enable ndm-tcp'
}

is_enabled() { # systemd keeps this as a link; looking at it costs nothing
	local link
	for link in "$ROOT"/etc/systemd/system/*.wants/ndm-tcp.service; do
		[[ ! -L $link && ! -e $link ]] || return 0
	done
	return 1
}

mark_applied() { # NAME
	read_value "$ROOT/run/ndm-tcp/applied" || :
	[[ $REPLY == "$1" ]] || write_record applied "$1"
}

revert_running_default() {
	local present
	read_record
	current_default || :
	present=$REPLY
	if [[ ! $SET_HERE ]]; then say "nothing to revert: ndmctl has not changed the default${NETNS:+ of $NETNS_SHOWN} since boot"
	elif [[ $present != "$SET_HERE" ]]; then say "the default${NETNS:+ of $NETNS_SHOWN} is $present, which ndmctl did not set; it stays"
	else restore_previous "$PREVIOUS" "$present"; fi
	{ remove_file "$ROOT/run/ndm-tcp/$RECORD" && { [[ $NETNS ]] || remove_file "$ROOT/run/ndm-tcp/applied"; }; } ||
		die 1 "cannot remove $ROOT/run/ndm-tcp/$RECORD: $WRITE_ERROR" "ls -l $ROOT/run/ndm-tcp"
}

restore_previous() { # NAME PRESENT; when it is gone, what the kernel has built in
	local name=$1
	[[ $name != "$2" ]] || return 0
	if ! is_registered "$name" && ! { run modprobe "tcp_$name" && is_registered "$name"; }; then
		name=reno
		! is_registered cubic || name=cubic
		say "note: $1 is no longer registered, so the default becomes $name"
	fi
	write_default "$name" || die 1 "cannot set the default${NETNS:+ of $NETNS_SHOWN} to '$name': $WRITE_ERROR" "$(hint_of_default "$name")"
}

apply_default() { # DEFAULT of the configuration, for the running system only
	configured_default
	local wanted=$REPLY applied
	read_value "$ROOT/run/ndm-tcp/applied" || :
	applied=$REPLY
	if [[ $wanted ]]; then
		ensure_registered "$wanted"
		set_running_default "$wanted"
		mark_applied "$wanted"
	elif [[ $applied ]]; then
		revert_running_default
	fi
}
