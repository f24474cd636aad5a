# SPDX-License-Identifier: GPL-2.0
# metrics.sh: the check of what counting connections needs, whether it goes on, and whether those who ask for files
# get them.

needs probes/cgroup probes/config probes/state probes/textfile

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
	if ! find_bpftool; then found fail no-bpftool 'METRICS=yes needs bpftool, which is not installed' bpftool_command
	elif [[ ! -e $SYSTEM/sys/kernel/btf/vmlinux ]]; then
		found fail no-btf 'METRICS=yes needs type information of the kernel (BTF), which this one does not have' \
			'ndmctl config set METRICS no'
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
		shown "${read[0]}"
		text="ndm-tcp-metrics.timer writes $file, but node_exporter"
		if [[ $root != "$SYSTEM" ]]; then found warn textfile-elsewhere \
			"$text, in its container, reads $SHOWN: mount $dir there"
		elif [[ ${read[0]} == *[!A-Za-z0-9_./-]* ]]; then found warn textfile-elsewhere \
			"$text reads $SHOWN; see ndmctl-metrics(8)"
		else found warn textfile-elsewhere "$text reads $SHOWN" textfile_command "${read[0]}"; fi
	elif [[ ! -d $SYSTEM$dir ]]; then
		found warn textfile-missing \
			"ndm-tcp-metrics.timer is enabled, but writes nothing: there is no directory $dir (another one: ndmctl-metrics(8))" \
			"mkdir -p $SYSTEM$dir"
	fi
}
