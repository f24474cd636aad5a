# SPDX-License-Identifier: GPL-2.0
# Whether node_exporter reads what ndm-tcp-metrics.timer writes.
load helpers
setup() {
	make_root
	load_now
	mkdir -p "$R/etc/systemd/system/timers.target.wants"
	ln -s /usr/lib/systemd/system/ndm-tcp-metrics.timer "$R/etc/systemd/system/timers.target.wants/"
	fake systemctl <<<'echo inactive'
}

exporter() { # COMM ARG...: it runs
	mkdir -p "$R/proc/77"
	put "$R/proc/77/comm" "$1"
	printf '%s\0' "$@" >"$R/proc/77/cmdline"
}

warns() { # PART..., and prints a command, into NEXT
	ndmctl doctor --json
	NEXT=$(jq -r '[.findings[] | select(.check == "metrics" and .state == "warn")][0].command' <<<"$output")
	output=$(jq -r '[.findings[] | select(.check == "metrics" and .state == "warn")][0].text' <<<"$output")
	local part
	for part; do says "$part"; done
}

@test "textfile: the timer is enabled, and there is no directory" {
	warns 'writes nothing: there is no directory /var/lib/prometheus/node-exporter'
	equals "$NEXT" "mkdir -p $R/var/lib/prometheus/node-exporter"
	bash -c "$NEXT"
	warns null
	rm -r "$R/etc/systemd/system/timers.target.wants" "$R/var"
	warns null
}

@test "textfile: node_exporter reads elsewhere: the command makes the timer write there" {
	mkdir -p "$R/var/lib/prometheus/node-exporter" "$R/srv/textfile"
	exporter prometheus-node --web.listen-address=:9100
	warns null
	exporter prometheus-node --collector.textfile.directory=/srv/textfile
	warns 'writes /var/lib/prometheus/node-exporter/ndm-tcp.prom, but node_exporter reads /srv/textfile'
	PATH=$R/fixture:$PATH bash -c "$NEXT"
	warns null
	holds etc/systemd/system/ndm-tcp-metrics.service.d/directory.conf "[Unit]
ConditionPathIsDirectory=
ConditionPathIsDirectory=/srv/textfile
[Service]
ExecStart=
ExecStart=/usr/bin/ndmctl --quiet metrics --output /srv/textfile/ndm-tcp.prom
ReadWritePaths=/srv/textfile"
	grep -qxF "$(sed 1q "$R/etc/systemd/system/ndm-tcp-metrics.service.d/directory.conf")" "$CLI/../../man/ndmctl-metrics.8"
	exporter node_exporter --collector.textfile.directory '/srv/text file;reboot'
	warns 'reads /srv/text file;reboot; see ndmctl-metrics(8)'
	equals "$NEXT" null
}

@test "textfile: several directories, patterns, old options, a node_exporter in a container" {
	mkdir -p "$R/var/lib/prometheus/node-exporter" "$R/srv/textfile"
	exporter node_exporter -collector.textfile.directory=/srv/textfile --collector.textfile.directory '/var/lib/prometheus/*'
	warns null
	exporter prometheus-node --no-collector.textfile
	warns 'node_exporter reads no files of others'
	exporter node_exporter
	warns 'node_exporter reads no files of others' '--collector.textfile.directory=/var/lib/prometheus/node-exporter'
	exporter node_exporter --collector.textfile.directory=/text
	mkdir -p "$R/proc/77/root"
	warns 'node_exporter, in its container, reads /text: mount /var/lib/prometheus/node-exporter there'
	ln -s "$R/var/lib/prometheus/node-exporter" "$R/proc/77/root/text"
	warns null
}
