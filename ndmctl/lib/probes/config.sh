# SPDX-License-Identifier: GPL-2.0
# config.sh: the strict reader of /etc/ndm-tcp. All files are read before anything is applied.

LINE_MAX=512 FILE_MAX=65536 ERRORS_SHOWN=20

KEY_NAMES=()
declare -gA KEY_RANGE=() KEY_DEFAULT=() CONF_VALUE=() CONF_ORIGIN=()
CONF_FILES=() CONF_ERRORS=() CONF_READ=''
WANTED_KINDS=() WANTED_TARGETS=() WANTED_NAMES=() WANTED_ORIGINS=()    # of the list keys
CANDIDATE=() CANDIDATE_SET=''    # the new lines of 50-ndmctl.conf, checked in place of the file

index_keys() {
	local i
	for ((i = 0; i < ${#KEYS[@]}; i += 4)); do
		KEY_NAMES+=("${KEYS[i]}")
		KEY_RANGE[${KEYS[i]}]=${KEYS[i + 1]}
		KEY_DEFAULT[${KEYS[i]}]=${KEYS[i + 2]}
	done
}
index_keys

drop_in_path() { REPLY=$SYSTEM/etc/ndm-tcp/conf.d/50-ndmctl.conf; }

is_key() { [[ $1 && ${KEY_RANGE[$1]+known} ]]; }    # not -v: older bash evaluates the subscript as code

is_parameter() { is_key "$1" && [[ $1 != @(DEFAULT|METRICS|BACKEND) ]]; }    # KEY: of the algorithms

is_list_key() { [[ $1 == CGROUP || $1 == UNIT ]]; }

require_key() {
	is_key "$1" && return 0
	! is_list_key "$1" || die 2 "$1 has one line for each ${1,,}, and its own commands" "ndmctl help ${1,,}"
	nearest "$1" "${KEY_NAMES[@]}"
	die 2 "unknown key '${1:0:60}'" "${REPLY:+did you mean $REPLY? }ndmctl config get lists all keys"
}

value_problem() { # KEY VALUE
	local range=${KEY_RANGE[$1]}
	REPLY=''
	case $range in
	*'|NAME') [[ $2 == yes || $2 == no ]] || name_problem "$2" || : ;;
	*'|'*) [[ $2 && $2 != *'|'* && "|$range|" == *"|$2|"* ]] || REPLY='no such choice' ;;
	*) number_problem "$2" "${range%..*}" "${range#*..}" || : ;;
	esac
	[[ $REPLY ]]
}

note_error() { CONF_ERRORS+=("$1"); }

parse_line() { # FILE NUMBER LINE
	local where=$1:$2 line=${3%$'\r'} key value
	if ((${#line} > LINE_MAX)); then note_error "$where: line of ${#line} characters, the most is $LINE_MAX"; return; fi
	trim "$line"
	line=$REPLY
	shown "$line"
	if [[ $line == \#*$'\r'* ]]; then
		note_error "$where: $SHOWN: a carriage return within a comment, where an editor shows the next line"; return; fi
	[[ $line && $line != \#* ]] || return 0
	if [[ $line == *[!\ -~$'\t']* ]]; then note_error "$where: $SHOWN: control or non-ASCII character outside a comment"
		return; fi
	if [[ $line != *=* ]]; then note_error "$where: $SHOWN: not KEY=VALUE"; return; fi
	trim "${line%%=*}"
	key=$REPLY
	trim "${line#*=}"
	unquote "$REPLY"
	value=$REPLY
	store_value "$where" "$key" "$value"
}

store_value() { # FILE:LINE KEY VALUE
	local where=$1 key=$2 value=$3
	shown "$key=$value"
	if is_list_key "$key"; then store_policy "$where" "$key" "$value"
	elif ! is_key "$key"; then
		REPLY=''
		((${#CONF_ERRORS[@]} >= ERRORS_SHOWN)) || nearest "$key" "${KEY_NAMES[@]}" CGROUP UNIT    # which takes its time
		note_error "$where: $SHOWN: unknown key${REPLY:+, did you mean $REPLY?}"
	elif value_problem "$key" "$value"; then
		note_error "$where: $SHOWN: $REPLY; allowed: ${KEY_RANGE[$key]}"
	elif [[ ${CONF_ORIGIN[$key]-} == "${where%:*}":* ]]; then
		note_error "$where: $SHOWN: second $key in this file, the first is in line ${CONF_ORIGIN[$key]##*:}"
	else
		CONF_VALUE[$key]=$value
		CONF_ORIGIN[$key]=$where
	fi
}

target_problem() { # KEY TARGET: as name_problem
	if [[ $1 == CGROUP ]]; then cgroup_path_problem "$2"; else unit_name_problem "$2"; fi
}

store_policy() { # FILE:LINE KEY TARGET:NAME
	local target=${3%:*} name=${3##*:} i
	shown "$2=$3"
	if [[ $3 != *:* ]]; then note_error "$1: $SHOWN: no algorithm; allowed: $2=${2/CGROUP/PATH}:NAME"; return
	elif target_problem "$2" "$target"; then note_error "$1: $SHOWN: $REPLY"; return
	elif [[ $name != no ]] && name_problem "$name"; then note_error "$1: $SHOWN: $REPLY; allowed: NAME or no"; return
	fi
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == "$2" && ${WANTED_TARGETS[i]} == "$target" ]] || continue
		if [[ ${WANTED_ORIGINS[i]} == "${1%:*}":* ]]; then
			note_error "$1: $SHOWN: second $2 of $target in this file, the first is in line ${WANTED_ORIGINS[i]##*:}"
			return
		fi
		WANTED_NAMES[i]=$name WANTED_ORIGINS[i]=$1
		return
	done
	WANTED_KINDS+=("$2") WANTED_TARGETS+=("$target") WANTED_NAMES+=("$name") WANTED_ORIGINS+=("$1")
}

find_wanted() { # KEY TARGET: index of its line in WANTED_*, into REPLY; "no" counts as none
	for REPLY in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[REPLY]} != "$1" || ${WANTED_TARGETS[REPLY]} != "$2" || ${WANTED_NAMES[REPLY]} == no ]] || return 0
	done
	REPLY=''
	return 1
}

parse_lines() { # FILE LINE...
	local file=$1 number=0 line
	shift
	for line; do
		number=$((number + 1))
		parse_line "$file" "$number" "$line"
	done
}

file_problem() { # FILE: why it cannot be read as text, into REPLY
	REPLY=''
	if [[ -d $1 ]]; then REPLY='is a directory, not a file'
	elif [[ ! -e $1 && -L $1 ]]; then REPLY='is a link to nothing'
	elif [[ ! -e $1 ]]; then REPLY='does not exist'
	elif [[ ! -f $1 ]]; then REPLY='not a regular file'
	elif [[ ! -r $1 ]]; then REPLY='cannot be read: permission denied'; fi
	[[ $REPLY ]]
}

read_text() { # NAME, its text on standard input: lines into REPLY_LIST; a problem is noted
	local content='' newlines
	# read stops at a NUL byte, at the size limit or at the end of the file; only the last of these fails
	if IFS= read -r -d '' -n $((FILE_MAX + 1)) content; then
		newlines=${content//[!$'\n']/}
		REPLY_LIST=()
		if ((${#content} > FILE_MAX)); then note_error "$1: larger than $FILE_MAX bytes"
		else note_error "$1: NUL byte in line $((${#newlines} + 1)), so this is not a text file"; fi
		return 1
	fi
	mapfile -t REPLY_LIST < <(printf %s "$content")
}

read_lines() { # FILE into REPLY_LIST; the problem is noted when it cannot be read
	local file rc=0
	REPLY_LIST=()
	if file_problem "$1"; then
		note_error "$1: $REPLY"
		return 1
	fi
	if ! { exec {file}<"$1"; } 2>/dev/null; then
		note_error "$1: cannot be read"
		return 1
	fi
	read_text "$1" <&"$file" || rc=$?
	exec {file}<&-
	return "$rc"
}

# A file that lies elsewhere, into REPLY, where the sandbox of the units has none: what a command by hand then reads
# would not be there at boot.
is_hidden_from_service() { # FILE of the configuration
	[[ -L $1 || -L ${1%/*} || -L $SYSTEM/etc/ndm-tcp ]] || return 1
	REPLY=$(readlink -f -- "$1") || return 1
	REPLY=${REPLY#"$SYSTEM"}
	[[ $REPLY == /@(home|root|run/user|tmp|var/tmp)/* ]]
}

list_config_files() { # into CONF_FILES, in reading order
	local dir=$SYSTEM/etc/ndm-tcp file placed=''
	drop_in_path
	local drop_in=$REPLY
	CONF_FILES=()
	for file in "$dir" "$dir/conf.d"; do
		if [[ -d $file ]]; then [[ -r $file && -x $file ]] || note_error "$file: cannot be read: permission denied"
		elif [[ -e $file ]]; then note_error "$file: not a directory"
		elif [[ -L $file ]]; then note_error "$file: not a directory, but a link to nothing"; fi
	done
	if [[ -e $dir/ndm-tcp.conf || -L $dir/ndm-tcp.conf ]]; then CONF_FILES+=("$dir/ndm-tcp.conf"); fi
	for file in "$dir"/conf.d/*.conf; do
		if [[ $CANDIDATE_SET && ! $placed && ! $file < $drop_in ]]; then
			CONF_FILES+=("$drop_in")
			placed=yes
		fi
		[[ $file != "$drop_in" || ! $placed ]] || continue
		if [[ -e $file || -L $file ]]; then CONF_FILES+=("$file"); fi
	done
	if [[ $CANDIDATE_SET && ! $placed ]]; then CONF_FILES+=("$drop_in"); fi
}

read_config() { # every file into CONF_VALUE, CONF_ORIGIN and CONF_ERRORS; once, and again when CANDIDATE has changed
	local file key drop_in read="read $CANDIDATE_SET ${CANDIDATE[*]-}"
	if [[ $CONF_READ == "$read" ]]; then
		((${#CONF_ERRORS[@]} == 0))
		return
	fi
	CONF_READ=$read
	drop_in_path
	drop_in=$REPLY
	CONF_ERRORS=() CONF_VALUE=() CONF_ORIGIN=() WANTED_KINDS=() WANTED_TARGETS=() WANTED_NAMES=() WANTED_ORIGINS=()
	list_config_files
	for file in "${CONF_FILES[@]}"; do
		if [[ $CANDIDATE_SET && $file == "$drop_in" ]]; then parse_lines "$file" "${CANDIDATE[@]}"
		elif is_hidden_from_service "$file"; then note_error "$file: leads to $REPLY, where ndm-tcp.service cannot read it"
		elif read_lines "$file"; then parse_lines "$file" "${REPLY_LIST[@]}"; fi
	done
	for key in "${KEY_NAMES[@]}"; do
		[[ ${CONF_VALUE[$key]+set} ]] || CONF_VALUE[$key]=${KEY_DEFAULT[$key]}
	done
	((${#CONF_ERRORS[@]} == 0))
}

refuse_config() { # prints every error, then the next command
	local error
	for error in "${CONF_ERRORS[@]:0:ERRORS_SHOWN}"; do warn "$error"; done
	((${#CONF_ERRORS[@]} <= ERRORS_SHOWN)) || warn "and $((${#CONF_ERRORS[@]} - ERRORS_SHOWN)) more"
	die 6 'configuration invalid, nothing was applied' 'correct the lines named above, then: ndmctl config validate'
}

require_config() { read_config || refuse_config; }

configured_default() { # the algorithm that the configuration wants, into REPLY; empty for none
	case ${CONF_VALUE[DEFAULT]} in
	yes) REPLY=ndm ;;
	no) REPLY='' ;;
	*) REPLY=${CONF_VALUE[DEFAULT]} ;;
	esac
}

refuse_parameter() { # KEY FILE
	die 1 "cannot write $2: $WRITE_ERROR" "${CONF_ORIGIN[$1]:-its default} sets $1=${CONF_VALUE[$1]}; ndmctl doctor"
}
