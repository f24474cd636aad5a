# SPDX-License-Identifier: GPL-2.0
# unit.sh: systemd's units, and the drop-ins of ndmctl for them. The first line of a drop-in says what it is:
# "# ndmctl: NAME ORIGIN; ...". It stands below /etc/systemd/system (unit set), or /run/systemd/system (--runtime, and
# UNIT= of the configuration).

needs probes/cgroup probes/config

UNIT='' UNIT_FILE=50-ndm-tcp.conf
UNIT_TARGETS=() UNIT_NAMES=() UNIT_ORIGINS=() UNIT_PATHS=()
# of UNIT= at the same index of WANTED_*: its sockets, with blanks around; ? where systemd does not say
WANTED_SOCKETS=()
declare -gA UNIT_PROPERTY=() UNIT_SHOWN=()    # the second: what systemctl has shown of each, until a daemon-reload
SYSTEMD_VERSION=''

name_unit() { # UNIT as it may be given, into UNIT: without a type it is a service
	local hint='systemctl list-units --type=service,socket,slice'
	UNIT=$1
	[[ $UNIT == *.* || ! $UNIT ]] || UNIT+=.service
	unit_name_problem "$UNIT" || return 0
	[[ $UNIT != *.slice ]] || hint="ndmctl cgroup set /${UNIT/#-.slice/} NAME --persist"
	die 2 "'${1:0:60}': $REPLY" "$hint"
}

has_systemd() { [[ -d $SYSTEM/run/systemd/system ]] && has_tool systemctl; }

require_systemd() {
	has_systemd ||
		die 5 'systemd does not run here, so there are no units' 'ndmctl cgroup set PATH NAME'
}

read_unit() { # UNIT [anew]: its properties into UNIT_PROPERTY; fails when systemctl does
	local line
	declare -gA UNIT_PROPERTY=()
	if is_template "$1"; then # systemd describes only its instances
		UNIT_PROPERTY=([LoadState]=template)
		return 0
	fi
	[[ ! ${2-} && ${UNIT_SHOWN[$1]-} ]] || UNIT_SHOWN[$1]=$(tool systemctl show -p \
		Id,Names,LoadState,Transient,ControlGroup,TriggeredBy,Triggers,Before,Type,ActiveState,Job,DropInPaths -- "$1" \
		2>/dev/null) || return 1
	while IFS= read -r line; do
		[[ $line != *=* ]] || UNIT_PROPERTY[${line%%=*}]=${line#*=}
	done <<<"${UNIT_SHOWN[$1]}"
	[[ ${UNIT_PROPERTY[LoadState]-} ]]
}

describe_unit() { # UNIT, as read_unit. systemd also describes one that does not exist; a busy one may not answer at all
	read_unit "$1" || die 1 "systemd does not describe ${1:0:60}" 'systemctl status'
}

require_unit() { # UNIT must exist, and outlive its own start; sets UNIT to its own name
	describe_unit "$UNIT"
	case ${UNIT_PROPERTY[LoadState]} in
	loaded) ;;
	not-found) die 1 "there is no unit $UNIT" 'systemctl list-unit-files --type=service,socket,slice' ;;
	*) die 1 "the unit $UNIT is ${UNIT_PROPERTY[LoadState]}" "systemctl status $UNIT" ;;
	esac
	[[ ${UNIT_PROPERTY[Transient]-} != yes ]] ||
		die 1 "$UNIT is a transient unit, which ends with its processes" \
			'systemd-run -p BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/NAME/prog, or: ndmctl cgroup set PATH NAME'
	UNIT=${UNIT_PROPERTY[Id]:-$UNIT}
	[[ $UNIT == *.socket ]] || ! starts_early "$UNIT" ||
		die 5 "$UNIT $REPLY" 'ndmctl set-default NAME --persist, or: ndmctl cgroup set PATH NAME --persist'
}

# ndm-tcp-units.service starts after basic.target. When that waits for the unit, also by way of local-fs.target or
# slices.target, say, the drop-in would make an ordering cycle, which systemd breaks at boot by leaving out one of its
# jobs.
starts_early() { # UNIT, after read_unit: does it, or may it? How into REPLY
	local name text
	REPLY='starts before ndm-tcp.service can'
	if ! text=$(tool systemctl list-dependencies --before --all --plain -- "$1" 2>/dev/null); then
		REPLY='may start before ndm-tcp.service can: systemctl list-dependencies fails'
		return 0
	fi
	while read -r name; do
		[[ $name != *basic.target && $name != *sysinit.target ]] || return 0
	done < <(printf '%s\n' "${UNIT_PROPERTY[Before]-} $text" | tr ' ' '\n')
	return 1
}

takes_programs() { # does this systemd have BPFProgram=, and use it?
	read_mounts
	[[ $SYSTEMD_VERSION ]] || IFS= read -r SYSTEMD_VERSION < <(tool systemctl --version 2>/dev/null) || :
	[[ $SYSTEMD_VERSION =~ ^systemd\ ([0-9]{1,9}) ]] && ((10#${BASH_REMATCH[1]} >= 249)) &&
		[[ $CGROUP_ROOT == "$SYSTEM/sys/fs/cgroup" ]]
}

unquote_units() { # LIST that systemctl shows: names with a backslash are quoted as in C there; into REPLY
	REPLY=$1
	[[ $1 != *\"* ]] || { REPLY=${1//\"/}; REPLY=${REPLY//\\\\/\\}; }
}

# Its own name, that given, and its aliases, of which the drop-ins count as well, into REPLY_LIST. One may have become
# an alias since its drop-in was written, as mysql.service of mariadb.service.
names_of_unit() { # UNIT, after read_unit
	local name
	unquote_units "${UNIT_PROPERTY[Names]-}"
	REPLY_LIST=("${UNIT_PROPERTY[Id]:-$1}")
	for name in "$1" $REPLY; do
		[[ " ${REPLY_LIST[*]} " == *" $name "* ]] || REPLY_LIST+=("$name")
	done
}

list_unit_files() { # every drop-in of ndmctl, into UNIT_*
	local file line
	UNIT_TARGETS=() UNIT_NAMES=() UNIT_ORIGINS=() UNIT_PATHS=()
	for file in "$SYSTEM"/{etc,run}/systemd/system/*.d/"$UNIT_FILE"; do
		if [[ ! -f $file ]] || is_gone "$file" || is_unit_file_of_others "$file"; then continue; fi
		read_value "$file" || :
		if [[ $REPLY =~ ^'# ndmctl: '([A-Za-z0-9][A-Za-z0-9_-]*)' '([a-z]+)';' ]]; then
			UNIT_NAMES+=("${BASH_REMATCH[1]}") UNIT_ORIGINS+=("${BASH_REMATCH[2]}")
		else UNIT_NAMES+=('?') UNIT_ORIGINS+=(damaged); fi
		UNIT_PATHS+=("$file")
		file=${file%.d/*}
		UNIT_TARGETS+=("${file##*/}")
	done
}

# PATH: not written by ndmctl, by its first line; an empty file may be a truncated one of ndmctl
is_unit_file_of_others() {
	[[ -e $1 || -L $1 ]] || return 1
	[[ ! -f $1 ]] || { read_value "$1" && [[ $REPLY != '# ndmctl: '* ]]; }
}

live_unit_policy() { # UNIT, after list_unit_files: its algorithm into REPLY; the first drop-in counts, as for systemd
	local i
	REPLY=none
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ ${UNIT_TARGETS[i]} != "$1" ]] || { REPLY=${UNIT_NAMES[i]}; return; }
	done
}

# Does a unit that runs in this cgroup have a drop-in, as far as names tell? Not one that somebody has removed, as
# systemctl revert does.
has_unit_file() { # PATH of the cgroup, after list_unit_files
	local target
	for target in "${UNIT_TARGETS[@]}"; do [[ $target != "${1##*/}" ]] || return 0; done
	return 1
}

has_unit_files() {
	list_unit_files
	((${#UNIT_TARGETS[@]}))
}

# The sockets that activate it, after read_unit, into REPLY_LIST. Systemd names those that it has in memory; the one
# of the same name may be installed, and started later.
sockets_of_unit() {
	local word unit=${UNIT_PROPERTY[Id]-} twin=''
	REPLY_LIST=()
	unquote_units "${UNIT_PROPERTY[TriggeredBy]-}"
	for word in $REPLY; do
		[[ $word != *.socket ]] || REPLY_LIST+=("$word")
	done
	[[ $unit != *.service || $unit == *@* ]] || twin=${unit%.service}.socket
	[[ $twin && " ${REPLY_LIST[*]-} " != *" $twin "* ]] || return 0
	! (read_unit "$twin" && unquote_units "${UNIT_PROPERTY[Triggers]-}" && [[ ${UNIT_PROPERTY[LoadState]} == loaded &&
		" $REPLY " == *" $unit "* ]]) || REPLY_LIST+=("$twin")
}

# "SOCKET SERVICE NAME" of each that activates a service with a policy, and has none, into REPLY_LIST; after
# list_unit_files
list_bare_sockets() {
	local i socket bare=()
	for i in "${!UNIT_TARGETS[@]}"; do
		if [[ ${UNIT_TARGETS[i]} != *.service ]] || ! read_unit "${UNIT_TARGETS[i]}"; then continue; fi
		sockets_of_unit
		for socket in "${REPLY_LIST[@]}"; do
			live_unit_policy "$socket"
			[[ $REPLY != none ]] || bare+=("$socket ${UNIT_TARGETS[i]} ${UNIT_NAMES[i]}")
		done
	done
	REPLY_LIST=("${bare[@]}")
}

# UNIT= may name an alias, as sshd.service is one of ssh.service: what counts is the unit's own name, which its
# drop-ins and systemd's %n have.
resolve_wanted_units() { # also their sockets into WANTED_SOCKETS
	local i
	WANTED_SOCKETS=()
	has_systemd || return 0
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == UNIT ]] || continue
		if ! read_unit "${WANTED_TARGETS[i]}"; then WANTED_SOCKETS[i]='?'; continue; fi
		[[ ${UNIT_PROPERTY[LoadState]} != loaded ]] || WANTED_TARGETS[i]=${UNIT_PROPERTY[Id]:-${WANTED_TARGETS[i]}}
		sockets_of_unit
		WANTED_SOCKETS[i]=" ${REPLY_LIST[*]-} "
	done
}

is_wanted_unit() { # UNIT, itself or as the socket of one; after resolve_wanted_units
	local i
	find_wanted UNIT "$1" && return 0
	[[ $1 == *.socket ]] || return 1
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} != UNIT || ${WANTED_NAMES[i]} == no || ${WANTED_SOCKETS[i]-} != @('?'|*" $1 "*) ]] || return 0
	done
	return 1
}

unit_has_program() { # UNIT, after read_mounts; fails also when it does not run: then REPLY is empty, else its cgroup
	REPLY=''
	read_unit "$1" && [[ ${UNIT_PROPERTY[ControlGroup]-} ]] || return 1
	REPLY=${UNIT_PROPERTY[ControlGroup]}
	list_attached "$CGROUP_ROOT$REPLY" && ((${#REPLY_LIST[@]}))
}
