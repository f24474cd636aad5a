# SPDX-License-Identifier: GPL-2.0
# boot.sh: what the next boot starts and sets: ndm-tcp.service, the default by sysctl; and the command that makes it
# last.

needs probes/boot-settings probes/config probes/environment probes/module

UNREAD=()    # places that name a default which the boot does not set: place, value, why, ...

# [UNIT, else ours]: a link to /dev/null, or an empty file; what enables it stays. The word systemd.mask= makes one,
# too
is_masked() {
	local file
	for file in "$SYSTEM"/{etc,run}/systemd/system/"${1:-ndm-tcp.service}" \
		"$SYSTEM/run/systemd/generator.early/${1:-ndm-tcp.service}"; do
		if [[ -e $file && ! -s $file ]]; then return 0; fi
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
	! is_masked || return 1
	for link in "$SYSTEM"/{etc,usr/lib}/systemd/system/*.{wants,requires,upholds}/ndm-tcp.service; do
		if [[ -L $link || -e $link ]]; then return 0; fi
	done
	return 1
}

enable_command() { # into REPLY
	local mask=''
	if kernel_word systemd.mask=ndm-tcp systemd.mask=ndm-tcp.service; then
		unmask_command ndm-tcp
		return
	fi
	if is_masked; then
		unmask_command ndm-tcp
		mask="$REPLY && "
	fi
	REPLY="${mask}systemctl enable ndm-tcp"
}

# What makes KEY of the configuration VALUE, into REPLY; a file that is read after that of ndmctl loses its line.
override_command() { # KEY VALUE [AND]
	local origin=${CONF_ORIGIN[$1]-}
	drop_in_path
	if [[ ${origin%/*} == "${REPLY%/*}" && ${origin%:*} > $REPLY ]]; then without_line "$origin"
	else REPLY="ndmctl config set $1 $2"; fi
	REPLY+=${3-}
}

unmask_command() { # UNIT...: into REPLY; what the kernel line masks comes first
	local unit
	for unit; do
		if ! kernel_word "systemd.mask=$unit" "systemd.mask=${unit%.service}" "systemd.mask=$unit.service"; \
			then continue; fi
		without_kernel_word "$REPLY"
		return
	done
	REPLY="systemctl unmask $*"
}

# Does systemd boot into a shell and little else, without multi-user.target, which starts ndm-tcp.service? By a word
# of the kernel line, then into REPLY, or by default.target.
is_rescue_boot() {
	local word found=''
	kernel_words
	for word in "${REPLY_LIST[@]}"; do
		case $word in
		systemd.unit=rescue.target | systemd.unit=emergency.target | rescue | emergency | single | [sS1]) found=$word ;;
		systemd.unit=* | [2-5]) found=- ;;
		esac
	done
	REPLY=$found
	if [[ $found ]]; then [[ $found != - ]]; return; fi
	word=$(readlink "$SYSTEM/etc/systemd/system/default.target") && [[ ${word##*/} == @(rescue|emergency).target ]]
}

normal_boot_command() { # into REPLY
	is_rescue_boot || :
	if [[ $REPLY ]]; then without_kernel_word "$REPLY"; else REPLY='systemctl set-default multi-user.target'; fi
}

words_for_host() { # NAME: how one outside gives a container its default, into REPLY
	local key=net.ipv4.tcp_congestion_control
	REPLY="lxc.sysctl.$key = $1 (LXC, Proxmox), --sysctl $key=$1 (podman, docker)"
}

# In a container the units do not start. What its own sysctl files say applies at its start, if systemd runs in it;
# else the host decides.
keep_in_container() { # NAME: what keeps this default
	if [[ -d $SYSTEM/run/systemd/system ]]; then
		REPLY="echo net.ipv4.tcp_congestion_control=$1 >$SYSTEM/etc/sysctl.d/90-ndm-tcp.conf"
	else words_for_host "$1"; advise "on the host: $REPLY"; fi
}

# Will the next boot, or the next start of this container, apply the configuration? Else what helps into HINT.
lasts() { # NAME of its default, empty for all else that it may say
	if is_container; then
		sysctl_at_boot
		if [[ $1 && $REPLY == "$1" ]]; then return 0; fi
		HINT=()
		if [[ $1 ]]; then HINT=(keep_in_container "$1"); fi
		return 1
	fi
	HINT=(enable_command)
	is_enabled || return 1
	is_rescue_boot || return 0
	HINT=(normal_boot_command)
	return 1
}

wanted_at_boot() { # the first line of the configuration that needs the service, into REPLY; fails without
	local i
	configured_default
	if [[ $REPLY ]]; then REPLY=DEFAULT=${CONF_VALUE[DEFAULT]}; return 0; fi
	REPLY='METRICS=yes'
	[[ ${CONF_VALUE[METRICS]} != yes ]] || return 0
	for i in "${!WANTED_NAMES[@]}"; do
		shown "${WANTED_KINDS[i]}=${WANTED_TARGETS[i]}:${WANTED_NAMES[i]}"
		REPLY=$SHOWN
		[[ ${WANTED_NAMES[i]} == no ]] || return 0
	done
	return 1
}

boot_word() { # why not, into REPLY
	if is_container; then REPLY='ndm-tcp.service does not start in containers'
	elif is_enabled && is_rescue_boot; then
		REPLY='this boot goes to a shell only (systemd.unit= on the kernel line, or default.target)'
	else REPLY='ndm-tcp.service is not enabled'; fi
}

# What sysctl makes the default at the next boot, into REPLY, empty for nothing; its place into PLACE. systemd reads
# the files in the order of their names, then a credential, and keeps the last value; it does not read
# /etc/sysctl.conf, where no link in sysctl.d leads to it. Others read that last.
sysctl_at_boot() {
	local files=() file place key value name='' from='' pattern='' pattern_from='' explicit='' \
		key_wanted=net/ipv4/tcp_congestion_control
	UNREAD=()
	list_sysctl_files
	files=("${REPLY_LIST[@]}")
	if kernel_word_of sysctl.net.ipv4.tcp_congestion_control; then
		name=$REPLY from='the kernel line'
		if is_ours "$name"; then
			UNREAD+=("$from" "$name" 'is obeyed before modules can be loaded')
			name='' from=''
		fi
	fi
	while IFS=$'\t' read -r place key value; do
		key=${key/#[-]/}
		[[ $key == ?(!)net/* ]] || key=${key//./\/}
		# shellcheck disable=SC2053  # a key may be a pattern; one without comes first. In a pattern * stands for no /
		if [[ $key == ?(!)"$key_wanted" ]]; then
			if [[ $from && ($key == !* || $name != "$value") ]]; then UNREAD+=("$from" "$name" "is overridden by $place"); fi
			explicit=yes name='' from=''
			[[ $key == !* ]] || name=$value from=$place
		elif [[ $key == *[*?[]* && ${key//[!\/]/} == // && $key_wanted == $key ]]; then pattern=$value pattern_from=$place; fi
	done < <(sysctl_lines "${files[@]}")
	if [[ $pattern && ! $explicit ]]; then name=$pattern from=$pattern_from; fi
	for file in "$SYSTEM"/etc/sysctl.conf "$SYSTEM"/{etc,run,usr/local/lib,usr/lib,lib}/sysctl.d/*.conf; do
		is_read "$file" "${files[@]}" || while IFS=$'\t' read -r place key value; do
			[[ ${key//./\/} != ?(-)"$key_wanted" || $value == "$name" ]] || UNREAD+=("$place" "$value" 'is not read')
		done < <(sysctl_lines "$file")
	done
	if [[ $name ]] && module_of "$name" && find_denial "$REPLY"; then
		UNREAD+=("$from" "$name" "cannot load its module, for that is left to modprobe by hand: $PLACE ($REPLY)")
		name='' from=''
	fi
	REPLY=$name PLACE=$from
}

list_sysctl_files() { # that the boot reads, in its order, into REPLY_LIST; some may not exist
	local files=() file
	list_ordered sysctl.d
	files=("${REPLY_LIST[@]}")
	if is_masked systemd-sysctl.service; then files=()
	else
		for file in "$SYSTEM"/{run/credentials/@system,etc/credstore,run/credstore,usr/lib/credstore}/sysctl.extra; do
			[[ -r $file ]] || continue
			files+=("$file")
			break
		done
	fi
	# a service later than systemd's
	if grep -qs '^ENABLED=yes' "$SYSTEM/etc/ufw/ufw.conf"; then files+=("$SYSTEM/etc/ufw/sysctl.conf"); fi
	REPLY_LIST=("${files[@]}")
}

is_read() { # FILE of sysctl, FILES that are read: is it one of these, also by another name?
	local file
	[[ -s $1 ]] || return 0
	if [[ -L $SYSTEM/lib && $1 == "$SYSTEM"/lib/* ]]; then return 0; fi
	for file in "${@:2}"; do
		if [[ $1 -ef $file ]]; then return 0; fi
	done
	return 1
}

# Lines "FILE:LINE<tab>KEY<tab>VALUE" that may concern the default; of a line "-KEY", which keeps patterns and earlier
# lines from that key, "!KEY" and no value.
sysctl_lines() { # FILE...
	local file files=()
	for file; do if [[ -r $file ]]; then files+=("$file"); fi; done
	((${#files[@]})) || return 0
	awk '/^[ \t]*[#;]/ { next }
		!/=/ {
			if (!sub(/^[ \t]*-[ \t]*/, "")) next
			gsub(/[ \t\r]/, "")
			if (/tcp_congestion_control$/) print FILENAME ":" FNR "\t!" $0 "\t"
			next
		}
		{ key = $0; sub(/=.*/, "", key); gsub(/[ \t]/, "", key) }
		key ~ /tcp_congestion_control$/ || key ~ /[*?[]/ {
			value = $0; sub(/^[^=]*=[ \t]*/, "", value); sub(/[ \t\r]+$/, "", value)
			print FILENAME ":" FNR "\t" key "\t" value
		}' "${files[@]}" 2>/dev/null || :
}

# into REPLY: the algorithm of this module that is in use, else one that was chosen for the boot, else ndm_v5. Hints
# name it
chosen_name() {
	local name
	current_default && is_ours "$REPLY" && return 0
	read_config && configured_default && is_ours "$REPLY" && return 0
	sysctl_at_boot
	for name in "$REPLY" "${UNREAD[@]}"; do
		if is_ours "$name"; then REPLY=$name; return 0; fi
	done
	REPLY=ndm_v5
}

# Where else a line sets this default, as a script of NetworkManager or cron, a unit, a rule of udev: into REPLY.
find_writers() { # NAME
	join_places < <(grep -EIHrns --exclude-dir={ndm-tcp,sysctl.d} '^[^#]*tcp_congestion_control' "$SYSTEM"/etc \
		"$SYSTEM"/{usr/lib,usr/local/lib,run}/{systemd/system,udev/rules.d,tmpfiles.d,NetworkManager,networkd-dispatcher} \
		"$SYSTEM"/usr/local/{,s}bin "$SYSTEM"/var/spool/cron | grep -E "[^A-Za-z0-9_-]$1([^A-Za-z0-9_-]|\$)")
}

# The options that modprobe gives the module and that the configuration replaces: place, key, value, ... into
# REPLY_LIST. The last of a name counts.
list_replaced_options() {
	local i key given=() replaced=() seen=' '
	list_options tcp_ndm
	given=("${REPLY_LIST[@]}")
	for ((i = ${#given[@]} - 3; i >= 0; i -= 3)); do
		key=${given[i + 1]^^}
		if ! is_parameter "$key" || [[ $seen == *" $key "* ]]; then continue; fi
		seen+="$key "
		[[ ${CONF_VALUE[$key]} == "${given[i + 2]}" ]] || replaced+=("${given[i]}" "$key" "${given[i + 2]}")
	done
	REPLY_LIST=("${replaced[@]}")
}

say_replaced() { # PLACE KEY VALUE: into REPLY
	shown "${2,,}=$3"
	REPLY="$1 gives tcp_ndm the option $SHOWN; ndmctl replaces it by $2=${CONF_VALUE[$2]}"
	REPLY+=" (${CONF_ORIGIN[$2]:-its default})"
}
