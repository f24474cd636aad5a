# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# textfile.sh: the directory where ndm-tcp-metrics.service writes, and the one that node_exporter reads. That belongs to others, and may be
# anywhere.

TEXTFILE=/var/lib/prometheus/node-exporter/ndm-tcp.prom

writes_textfiles() { # will the timer start the service?
	[[ -L $SYSTEM/etc/systemd/system/timers.target.wants/ndm-tcp-metrics.timer ]]
}

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

read_textfiles() { # the directory that a running node_exporter reads, into REPLY, empty for none; fails where it does not run or does not say
	local file name i words=()
	for file in "$SYSTEM"/proc/[0-9]*/comm; do
		read_value "$file" || continue
		name=$REPLY
		[[ $name == @(node_exporter|prometheus-node) ]] || continue
		mapfile -d '' -t words 2>/dev/null <"${file%comm}cmdline" || continue
		REPLY=''
		for i in "${!words[@]}"; do
			case ${words[i]} in
			--collector.textfile.directory=*) REPLY=${words[i]#*=} ;;
			--collector.textfile.directory) REPLY=${words[i + 1]-} ;;
			esac
		done
		[[ $REPLY || $name != prometheus-node ]] || REPLY=${TEXTFILE%/*}    # Debian's own is built with it
		return 0
	done
	return 1
}

textfile_command() { # DIR: makes the service write there; to print
	local dir=$SYSTEM/etc/systemd/system/ndm-tcp-metrics.service.d
	printf "mkdir -p %s && printf '%%s\\\\n' '[Unit]' ConditionPathIsDirectory= ConditionPathIsDirectory=%s '[Service]' ExecStart= 'ExecStart=/usr/bin/ndmctl --quiet metrics --output %s/ndm-tcp.prom' ReadWritePaths=%s >%s/directory.conf && systemctl daemon-reload" \
		"$dir" "$1" "${1%/}" "$1" "$dir"
}
