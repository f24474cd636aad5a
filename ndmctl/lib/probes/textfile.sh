# SPDX-License-Identifier: GPL-2.0
# textfile.sh: the directory where ndm-tcp-metrics.service writes, and the one that node_exporter reads. That belongs
# to others, and may be anywhere.

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
