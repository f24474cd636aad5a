# SPDX-License-Identifier: GPL-2.0
# boot-settings.sh: what modprobe, the kernel and the next boot are told, by the kernel line, by modprobe.d and by
# sysctl.d; each with its place, and the command that takes it back.

needs probes/environment

KERNEL_LINE=() KERNEL_LINE_READ=''    # of kernel_words
PLACE=''                  # where it stands: FILE:LINE, or the kernel line

# The words of the kernel line, into REPLY_LIST. The kernel takes - for _ in names. In a container or a chroot it is
# that of the host.
kernel_words() {
	local i name
	REPLY_LIST=("${KERNEL_LINE[@]}")
	if [[ $KERNEL_LINE_READ ]]; then return 0; fi
	KERNEL_LINE_READ=yes
	if is_container || is_chroot || ! read_value "$SYSTEM/proc/cmdline"; then return 0; fi
	read -ra REPLY_LIST <<<"${REPLY//\"/}"
	for i in "${!REPLY_LIST[@]}"; do
		name=${REPLY_LIST[i]%%=*}
		[[ $name == systemd.* ]] || REPLY_LIST[i]=${name//-/_}${REPLY_LIST[i]:${#name}}
	done
	KERNEL_LINE=("${REPLY_LIST[@]}")
}

kernel_word() { # WORD...: the first of these that is on the kernel line, into REPLY; fails when none is
	local word there
	kernel_words
	for word; do
		for there in "${REPLY_LIST[@]}"; do
			if [[ $there == "$word" ]]; then REPLY=$word; return 0; fi
		done
	done
	return 1
}

# The word of the kernel line by which the kernel itself refuses a module, into REPLY. It compares its name, or that
# of the function that begins it.
forbidding_word() { # MODULE
	local word
	kernel_words
	for word in "${REPLY_LIST[@]}"; do
		REPLY=$word
		case ,${word#*=}, in
		*",$1,"*) if [[ $word == module_blacklist=* ]]; then return 0; fi ;;
		*,ndm_register,*) if [[ $word == initcall_blacklist=* && $1 == tcp_ndm ]]; then return 0; fi ;;
		esac
	done
	return 1
}

# What keeps the kernel and systemd from loading a module by themselves, as when a sysctl names its algorithm, into
# REPLY; its place into PLACE. To call modprobe by hand, as ndmctl does, is no such case.
find_denial() { # MODULE
	local line command name rest word
	kernel_words
	for word in "${REPLY_LIST[@]}"; do
		rest=${word#*=}
		[[ $word == modprobe.blacklist=* && ,${rest//-/_}, == *",$1,"* ]] || continue
		REPLY=$word PLACE='the kernel line'
		return 0
	done
	while IFS=$'\t' read -r PLACE line; do
		read -r command name rest <<<"$line"
		if [[ $command == blacklist && ${name//-/_} == "$1" ]]; then REPLY=$line; return 0; fi
	done < <(modprobe_lines)
	PLACE=''
	return 1
}

# How to boot without a word of the kernel line, into REPLY. Of a list of modules only ours goes. Boot loaders differ:
# only a file that has the word is named, as it is written there.
without_kernel_word() { # WORD
	local file word=$1 rest='' after='' item etc=$SYSTEM/etc
	if [[ $1 == *blacklist=* ]]; then
		for item in tcp_ndm tcp-ndm ndm_register; do
			[[ ,${1#*=}, == *",$item,"* ]] || continue
			rest=,${1#*=},
			rest=${rest/,"$item",/,} rest=${rest#,}
			rest=${rest:+${1%%=*}=${rest%,}}
		done
	fi
	REPLY='systemctl reboot'
	for file in "$etc"/default/grub "$etc"/default/grub.d/*.cfg "$etc"/kernel/cmdline \
		"$SYSTEM"/boot/{firmware/,}cmdline.txt "$SYSTEM"/boot/extlinux/extlinux.conf; do
		[[ $1 != *[!A-Za-z0-9_.,=/-]* ]] || break
		word=$1
		if ! grep -qsF -- "$word" "$file"; then
			word=${1%%=*}
			word=${word//_/-}${1:${#word}}
			grep -qsF -- "$word" "$file" || continue
		fi
		case $file in
		*/grub*) after='update-grub && ' ;;
		*/kernel/cmdline) after='kernel-install add-all && ' ;;
		esac
		REPLY="sed -i 's;${word//./\\.};$rest;' $file && $after$REPLY"
		return 0
	done
	advise "boot without $1 on the kernel line, as the boot loader has it"
}

# The files of a folder NAME.d in the order in which systemd and kmod read them, into REPLY_LIST: by name; of equal
# names that of the first directory. So an empty file, or a link to /dev/null, hides another one; such are left out.
list_ordered() { # NAME.d
	local dir file name
	local -A first=()
	for dir in etc run usr/local/lib usr/lib lib; do
		[[ $dir != lib || ! -L $SYSTEM/lib ]] || continue
		for file in "$SYSTEM/$dir/$1"/*.conf; do
			name=${file##*/}
			if [[ -e $file || -L $file ]]; then [[ ${first[$name]-} ]] || first[$name]=$file; fi
		done
	done
	REPLY_LIST=()
	((${#first[@]})) || return 0
	while IFS= read -r -d '' name; do
		if [[ -s ${first[$name]} && -f ${first[$name]} ]]; then REPLY_LIST+=("${first[$name]}"); fi
	done < <(printf '%s\0' "${!first[@]}" | sort -z)
}

# Takes a line out of FILE:LINE, into REPLY. A file that a package brings stays; one of the same name in /etc comes
# first.
without_line() { # FILE:LINE
	local file=${1%:*} name
	name=${file##*/}
	if [[ -L $file ]]; then file=$(readlink -f -- "$file"); fi
	REPLY=${file%/*}
	name=$SYSTEM/etc/${REPLY##*/}/$name
	if [[ $file == *[!A-Za-z0-9_./+-]* ]]; then
		file=${file@Q} name=${name@Q}
	fi
	if [[ $file == ?(\')"$SYSTEM"/etc/* ]]; then REPLY="sed -i '${1##*:}s/^/# /' $file"
	else REPLY="sed '${1##*:}s/^/# /' $file >$name"; fi
}

modprobe_lines() { # lines "FILE:LINE<tab>COMMAND WORD..."; a line may go on behind a backslash
	list_ordered modprobe.d
	((${#REPLY_LIST[@]})) || return 0
	awk 'FNR == 1 { text = "" }
		text == "" { first = FNR }
		{ text = text $0 }
		sub(/\\$/, " ", text) { next }
		text !~ /^[ \t]*(#|$)/ { print FILENAME ":" first "\t" text }
		{ text = "" }' "${REPLY_LIST[@]}" 2>/dev/null || :
}

# A line of modprobe.d by which modprobe runs something else than the module, into PLACE and REPLY. A line that calls
# modprobe again may load it, which is known when modprobe has been called.
find_diversion() { # MODULE [called]
	local line command name rest
	while IFS=$'\t' read -r PLACE line; do
		read -r command name rest <<<"$line"
		name=${name//-/_}
		case $command in
		install)
			# shellcheck disable=SC2053  # the name may be a pattern
			if [[ $1 == $name && (${2-} || $rest != *@(modprobe|insmod)*) ]]; then REPLY="install $name $rest"; return 0; fi ;;
		alias)
			if [[ $1 == "$name" && ${rest//-/_} != "$1" ]]; then REPLY="alias $name $rest"; return 0; fi ;;
		esac
	done < <(modprobe_lines)
	PLACE=''
	return 1
}

list_options() { # MODULE: place, name, value, ... of what modprobe gives it, into REPLY_LIST; the last of a name counts
	local place command name line word words given=()
	while IFS=$'\t' read -r place line; do
		read -r command name line <<<"$line"
		[[ $command == options && ${name//-/_} == "$1" ]] || continue
		read -ra words <<<"${line//\"/}"
		for word in "${words[@]}"; do
			name=${word%%=*}
			given+=("$place" "${name//-/_}" "${word#*=}")
		done
	done < <(modprobe_lines)
	kernel_words
	for word in "${REPLY_LIST[@]}"; do
		[[ $word == "$1".*=* ]] || continue
		name=${word%%=*}
		given+=('the kernel line' "${name#*.}" "${word#*=}")
	done
	REPLY_LIST=("${given[@]}")
}

without_option() { # PLACE MODULE NAME VALUE: the command that takes it back, into REPLY
	if [[ $1 == 'the kernel line' ]]; then without_kernel_word "$2.$3=$4"; else without_line "$1"; fi
}

kernel_word_of() { # NAME: its value on the kernel line, into REPLY; - and / may stand for . and _
	local word
	kernel_words
	for word in "${REPLY_LIST[@]}"; do
		[[ ${word%%=*} == "$1" || ${word%%=*} == "${1//./\/}" ]] || continue
		REPLY=${word#*=}
		return 0
	done
	return 1
}

# grep's FILE:LINE:TEXT as "FILE:LINE, FILE:LINE", into REPLY.
join_places() {
	local file line
	REPLY=''
	while IFS=: read -r file line _; do
		if [[ $file ]]; then REPLY+="${REPLY:+, }$file:$line"; fi
	done
}
