# SPDX-License-Identifier: GPL-2.0
# metrics.sh: the check of what counting connections needs, whether it goes on, and whether those who ask for files
# get them.

needs probes/boot probes/cgroup probes/config probes/environment probes/state checks/policies

check_metrics() {
	[[ ! -L $SYSTEM/etc/systemd/system/timers.target.wants/ndm-tcp-metrics.timer ]] || check_textfile
	case $COUNTING in
	lost) found warn counting-lost 'connections are no longer counted: somebody has detached the program' 'ndmctl load' ;;
	outdated)
		found warn counting-outdated \
			'connections are counted by a program of another version, whose totals may not be readable' \
			'ndmctl load' ;;
	?*) found ok counting 'connections are counted by algorithm' ;;
	'') [[ ${CONF_VALUE[METRICS]-} != yes ]] || { explain_uncounted; return; }
		found ok no-counting 'connections are not counted by algorithm, and are not meant to be' ;;
	esac
}

explain_uncounted() {
	read_mounts
	if is_container; then found warn counting-of-host \
		"METRICS=yes in ${CONF_ORIGIN[METRICS]}, but a container counts nothing where it may load no BPF" advise \
		'on the host, for all its containers: ndmctl config set METRICS yes'
	elif ! check_needs 'METRICS=yes needs'; then return 0
	elif is_chroot; then found ok counting-at-boot 'METRICS=yes is for the kernel of this chroot, which does not run'
	elif [[ ! -e $SYSTEM/sys/kernel/btf/vmlinux ]]; then
		found fail no-btf 'METRICS=yes needs type information of the kernel (BTF), which this one does not have' \
			override_command METRICS no
	else found warn not-counting "METRICS=yes in ${CONF_ORIGIN[METRICS]}, but connections are not counted" 'ndmctl load'
		fi
}

check_textfile() {
	local file dir read=() running='' root text
	written_textfile
	file=$REPLY dir=${REPLY%/*}
	if read_textfiles; then running=yes root=$REPLY read=("${REPLY_LIST[@]}"); fi
	if [[ $running && ${#read[@]} -eq 0 ]]; then
		found warn textfile-unread \
			"node_exporter reads no files of others, such as $file: it was started without --collector.textfile.directory=$dir"
	elif [[ $running && -d $SYSTEM$dir ]] && is_read_textfile "$dir" "$root" "${read[@]}"; then return 0
	elif [[ $running ]] && { [[ $dir != "${read[0]}" ]] || [[ $root != "$SYSTEM" ]]; }; then
		text="ndm-tcp-metrics.timer writes $file, but node_exporter"
		if [[ $root != "$SYSTEM" ]]; then found warn textfile-elsewhere \
			"$text, in its container, reads ${read[0]:0:60}: mount $dir there"
		elif [[ ${read[0]} == *[!A-Za-z0-9_./-]* ]]; then found warn textfile-elsewhere \
			"$text reads ${read[0]:0:60}; see ndmctl-metrics(8)"
		else found warn textfile-elsewhere "$text reads ${read[0]:0:60}" textfile_command "${read[0]}"; fi
	elif [[ ! -d $SYSTEM$dir ]]; then
		found warn textfile-missing \
			"ndm-tcp-metrics.timer is enabled, but writes nothing: there is no directory $dir (another one: ndmctl-metrics(8))" \
			"mkdir -p $SYSTEM$dir"
	fi
}

# The directory where ndm-tcp-metrics.service writes, and the one that node_exporter reads. That belongs to others, and
# may be anywhere.

TEXTFILE=/var/lib/prometheus/node-exporter/ndm-tcp.prom

written_textfile() { # into REPLY; of several ExecStart= the last one counts
	local file line
	REPLY=$TEXTFILE
	for file in "$SYSTEM"/etc/systemd/system/ndm-tcp-metrics.service{,.d/*.conf}; do
		[[ -r $file ]] || continue
		while IFS= read -r line; do
			[[ ! $line =~ ^ExecStart=.*--output[=\ ]([^ ]+) ]] || REPLY=${BASH_REMATCH[1]}
		done <"$file"
	done
}

# The directories that a running node_exporter reads, into REPLY_LIST; they may be patterns, as newer ones take. The
# root that it sees, into REPLY. Fails where it does not run or does not say.
read_textfiles() {
	local file name i words=()
	for file in "$SYSTEM"/proc/[0-9]*/comm; do
		read_value "$file" || continue
		name=$REPLY
		[[ $name == @(node_exporter|prometheus-node) ]] || continue
		mapfile -d '' -t words 2>/dev/null <"${file%comm}cmdline" || continue
		REPLY_LIST=()
		for i in "${!words[@]}"; do
			case ${words[i]} in
			-collector.textfile.directory=* | --collector.textfile.directory=*) REPLY_LIST+=("${words[i]#*=}") ;;
			-collector.textfile.directory | --collector.textfile.directory) REPLY_LIST+=("${words[i + 1]-}") ;;
			esac
		done
		# Debian's own is built with it
		((${#REPLY_LIST[@]})) || [[ $name != prometheus-node ]] || REPLY_LIST=("${TEXTFILE%/*}")
		[[ " ${words[*]} " != *' --no-collector.textfile '* ]] || REPLY_LIST=()
		REPLY=$SYSTEM
		if [[ -d ${file%comm}root && ! ${file%comm}root -ef $SYSTEM/ ]]; then REPLY=${file%/comm}/root; fi
		return 0
	done
	return 1
}

is_read_textfile() { # DIR ROOT PATTERN...: is it one of these directories, as somebody with that root sees them?
	local dir root=$2
	for dir in "${@:3}"; do
		while IFS= read -r dir; do if [[ $dir -ef $SYSTEM$1 ]]; then return 0; fi; done < <(compgen -G "$root$dir" || :)
	done
	return 1
}

textfile_command() { # DIR: makes the service write there; into REPLY
	local dir=$SYSTEM/etc/systemd/system/ndm-tcp-metrics.service.d
	local unit="'[Unit]' ConditionPathIsDirectory= ConditionPathIsDirectory=$1 '[Service]' ExecStart="
	unit+=" 'ExecStart=/usr/bin/ndmctl --quiet metrics --output ${1%/}/ndm-tcp.prom' ReadWritePaths=$1"
	REPLY="mkdir -p $dir && printf '%s\\n' $unit >$dir/directory.conf && systemctl daemon-reload"
}
