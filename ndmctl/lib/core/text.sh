# SPDX-License-Identifier: GPL-2.0
# text.sh: words and values. What a function finds is in REPLY, or in REPLY_LIST; a *_problem succeeds when there is
# one.

REPLY='' REPLY_LIST=()

trim() { # TEXT without blanks around it
	REPLY=${1#"${1%%[! $'\t']*}"}
	REPLY=${REPLY%"${REPLY##*[! $'\t']}"}
}

unquote() { # one pair of quotes around the whole value is allowed
	REPLY=$1
	case $1 in
	\"*\" | \'*\') ((${#1} < 2)) || REPLY=${1:1:${#1}-2} ;;
	esac
}

# WORD CANDIDATE...: the one that begins and ends as it does for two thirds of the longer of both, else empty
nearest() {
	local word=${1:0:40} text candidate best='' most=66 begin end shorter longer share
	word=${word,,}
	shift
	for candidate; do
		text=${candidate,,} begin=0 end=0
		shorter=${#word} longer=${#text}
		((shorter <= longer)) || shorter=${#text} longer=${#word}
		while ((begin < shorter)) && [[ ${word:begin:1} == "${text:begin:1}" ]]; do begin=$((begin + 1)); done
		while ((begin + end < shorter)) && [[ ${word:${#word} - end - 1:1} == "${text:${#text} - end - 1:1}" ]]; do
			end=$((end + 1))
		done
		share=$(((begin + end) * 100 / longer))
		if ((share > most || (share == most && ! ${#best}))); then most=$share best=$candidate; fi
	done
	REPLY=$best
}

read_value() { # PATH: its first line; fails when it cannot be read
	REPLY=''
	[[ -f $1 && -r $1 ]] || return 1
	{ IFS= read -r REPLY <"$1" || [[ $REPLY ]]; } 2>/dev/null
}

read_file() { # PATH: all of it; fails when it cannot be read
	REPLY=''
	[[ -f $1 && -r $1 ]] && { IFS= read -r -d '' REPLY <"$1" || [[ $REPLY ]]; } 2>/dev/null
}

name_problem() { # NAME of an algorithm
	REPLY=''
	if [[ ! $1 ]]; then REPLY='empty name'
	elif [[ $1 == *[!A-Za-z0-9_-]* || $1 == [_-]* ]]; then
		REPLY='only letters, digits, - and _ may be in an algorithm name, the first a letter or digit'
	elif ((${#1} > 15)); then REPLY="name of ${#1} characters, the kernel allows 15"; fi
	[[ $REPLY ]]
}

number_problem() { # VALUE MIN MAX
	local value=$1
	REPLY=''
	if [[ $value == [+-]* && ${value:1} && ${value:1} != *[!0-9]* ]]; then REPLY='a number has no sign here'
	elif [[ $value == 0[xX]* ]]; then REPLY='numbers are decimal'
	elif [[ ! $value || $value == *[!0-9]* ]]; then REPLY='not a number'
	elif [[ $value == 0?* ]]; then REPLY='leading zero'
	elif ((${#value} > 9 || value < $2 || value > $3)); then REPLY='out of range'; fi
	[[ $REPLY ]]
}

cgroup_path_problem() { # PATH below the root of cgroup2
	REPLY=''
	if [[ $1 != /* ]]; then REPLY='a cgroup is named by its path below the cgroup2 root, which begins with /'
	elif [[ $1 == *[[:cntrl:]]* ]]; then REPLY='control character in the path of a cgroup'
	elif [[ /$1/ == */../* || /$1/ == */./* ]]; then
		REPLY='the path of a cgroup has no . or .., it must not leave the tree'
	elif [[ $1 == *//* || $1 == ?*/ ]]; then REPLY='empty name in the path of a cgroup'
	elif ((${#1} > 4000)); then REPLY="path of ${#1} characters, the most is 4000"; fi
	[[ $REPLY ]]
}

is_template() { [[ $1 =~ @\.[^.]+$ ]]; } # UNIT with its type; an instance may begin with a dot

unit_name_problem() { # UNIT with its type
	REPLY=''
	if [[ ! $1 || $1 == *[!A-Za-z0-9:_.@\\-]* ]]; then
		REPLY='only letters, digits and : _ . @ \ - may be in the name of a unit'
	elif ((${#1} > 255)); then REPLY="unit name of ${#1} characters, systemd allows 255"
	elif is_template "$1"; then REPLY='this is a template; name an instance of it, as in name@instance.service'
	elif [[ $1 != *.* ]]; then REPLY="a unit is named with its type, as $1.service"
	elif [[ $1 != ?*.service && $1 != ?*.socket && $1 != ?*.slice ]]; then
		REPLY='only a service, a socket or a slice can have a policy'
	elif [[ $1 == -.slice || $1 == system.slice ]]; then
		REPLY='this slice holds ndm-tcp.service, which must come first; set the policy of its cgroup'
	elif [[ $1 != *@* && ${1%.*} == *- ]]; then
		REPLY="what is said of it systemd applies to all units whose names begin with ${1%.*}"
	elif ((${#1} > 232)); then
		REPLY='the name of ndm-tcp-policy@UNIT.service, which it needs, would be longer than 255 characters'
	elif [[ $1 == ndm-tcp.service || $1 == ndm-tcp-units.service || $1 == ndm-tcp-policy@* ]]; then
		REPLY="$1 makes the policies of the others"; fi
	[[ $REPLY ]]
}
