# SPDX-License-Identifier: GPL-2.0
# ndmctl metrics. That Prometheus takes them is in tests/package/monitoring.bats.
load helpers
setup() { make_root; }

value_of() { # SAMPLE with its labels: its value
	awk -v sample="$1" 'index($0, sample " ") == 1 { print substr($0, length(sample) + 2) }' <<<"$output"
}

metric_is() { equals "$(value_of "$1")" "$2"; }

@test "metrics: state, connections, counters and entropy" {
	load_now
	add_sockets
	ndmctl set-default ndm
	ndmctl metrics
	exits 0
	metric_is ndm_tcp_loaded 1
	metric_is 'ndm_tcp_default{cc="ndm"}' 1
	metric_is 'ndm_tcp_connections{cc="ndm"}' 2
	metric_is 'ndm_tcp_connections{cc="dctcp"}' 1
	metric_is 'ndm_tcp_loss_events_total{verdict="noise"}' "$(sed -n 's/^loss_noise //p' "$R/proc/net/tcp_ndm")"
	metric_is 'ndm_tcp_loss_events_total{verdict="congestion"}' "$(sed -n 's/^loss_congestion //p' "$R/proc/net/tcp_ndm")"    # not the sum of all
	metric_is ndm_tcp_undos_total "$(sed -n 's/^undos //p' "$R/proc/net/tcp_ndm")"
	metric_is ndm_tcp_entropy_ratio_count "$(awk '/^entropy_/ { sum += $2 } END { print sum }' "$R/proc/net/tcp_ndm")"
	metric_is 'ndm_tcp_entropy_ratio_bucket{le="0.2"}' "$(awk '/^entropy_[01]/ { sum += $2 } END { print sum }' "$R/proc/net/tcp_ndm")"
	metric_is 'ndm_tcp_entropy_ratio_bucket{le="+Inf"}' "$(value_of ndm_tcp_entropy_ratio_count)"
	metric_is ndm_tcp_entropy_ratio_sum "$(awk '/^entropy_/ { split($1, part, "_"); sum += $2 * (part[2] + 0.5) / 10 } END { printf "%.2f", sum }' "$R/proc/net/tcp_ndm")"
	[[ $output == *'ndm_tcp_info{version="'[0-9]*'",variant="v1",kernel="'* ]] || fail 'no info'
}

@test "metrics: what an alert asks: wanted, loaded, enabled, valid, drift, lost policies" {
	ndmctl metrics
	metric_is ndm_tcp_wanted 0
	metric_is ndm_tcp_loaded 0
	metric_is ndm_tcp_enabled 0
	metric_is ndm_tcp_config_valid 1
	lacks_text ndm_tcp_config_drift_items ndm_tcp_loss_events_total
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'UNIT=web.service:no\nUNIT=sock.service:reno'    # policies of other algorithms
	ndmctl metrics
	metric_is ndm_tcp_wanted 0
	put "$R/etc/ndm-tcp/ndm-tcp.conf" UNIT=web.service:ndm_v4
	ndmctl metrics
	metric_is ndm_tcp_wanted 1
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=yes
	mkdir -p "$R/etc/systemd/system/multi-user.target.wants"
	ln -s /x "$R/etc/systemd/system/multi-user.target.wants/ndm-tcp.service"
	ndmctl metrics
	metric_is ndm_tcp_wanted 1
	metric_is ndm_tcp_enabled 1
	load_now
	ndmctl metrics
	metric_is ndm_tcp_loaded 1
	metric_is ndm_tcp_config_drift_items 1
	ndmctl load
	ndmctl metrics
	metric_is ndm_tcp_config_drift_items 0
	add_cgroups /batch.slice
	ndmctl cgroup set /batch.slice ndm
	exits 0
	ndmctl metrics
	metric_is 'ndm_tcp_policies{kind="cgroup"}' 1
	metric_is ndm_tcp_policies_lost 0
	rm -r "${R:?}/sys/fs/cgroup/batch.slice"
	ndmctl metrics
	metric_is ndm_tcp_policies_lost 1
	put "$R/etc/ndm-tcp/ndm-tcp.conf" VARIANT=v9
	ndmctl metrics
	exits 0
	metric_is ndm_tcp_config_valid 0
	lacks_text ndm_tcp_config_drift_items
}

lacks_text() { # TEXT...
	local text
	for text; do [[ $output != *"$text"* ]] || fail "has $text"; done
}

@test "metrics: kernels with and without the module; the newest one" {
	local kernel
	kernel=$(<"$R/proc/sys/kernel/osrelease")
	add_kernel 9.1
	add_kernel 10.2
	put "$R/lib/modules/9.1/updates/dkms/tcp_ndm.ko.xz" ''
	ndmctl metrics
	metric_is 'ndm_tcp_dkms_built{kernel="9.1"}' 1
	metric_is 'ndm_tcp_dkms_built{kernel="10.2"}' 0
	metric_is ndm_tcp_newest_kernel_built 0
	[[ $output == *"ndm_tcp_dkms_built{kernel=\"$kernel\"} "* ]] || fail 'not the running one'
	put "$R/lib/modules/10.2/extra/tcp_ndm.ko" ''
	ndmctl metrics
	metric_is ndm_tcp_newest_kernel_built 1
	add_kernel 11$'"\\\n\e'
	ndmctl metrics
	exits 0
	[[ $output == *'{kernel="11\"\\??"} 0'* ]] || fail 'not escaped'
}

@test "metrics: --output replaces the file at once, a link as well, and leaves nothing beside it" {
	local dir=$R/out file
	mkdir "$dir"
	ndmctl metrics -o "$dir/ndm.prom"
	exits 0
	equals "$output" ''
	equals "$(ls -A "$dir")" ndm.prom
	equals "$(stat -c %a "$dir/ndm.prom")" 644
	grep -qx 'ndm_tcp_loaded 0' "$dir/ndm.prom"
	add_cgroups
	load_now
	put "$R/precious" text
	ln -sf "$R/precious" "$dir/ndm.prom"
	(cd "$dir" && "$ON_R" metrics --output ndm.prom)
	holds precious text
	if [[ -L $dir/ndm.prom ]]; then fail 'still a link'; fi
	grep -qx 'ndm_tcp_loaded 1' "$dir/ndm.prom"
	tail -c 1 "$dir/ndm.prom" | cmp - <(echo)
	remember
	ndmctl metrics --output "$dir/ndm.prom" --dry-run
	says 'would: replace'
	unchanged
	ndmctl metrics --output "$dir"
	refuses 2 'is not the name of a file'
	ndmctl metrics --output "$dir/nosuch/ndm.prom"
	refuses 1 'the directory of' 'does not exist'
	ndmctl metrics --output /proc/version
	refuses 1 'cannot write /proc/version'
	mkfifo "$dir/fifo"
	for file in "$dir/fifo" /dev/null /dev/stdout; do
		"$ON_R" -n metrics --output "$file" >"$dir/out" 2>"$dir/err" && fail "$file"
		grep -q 'is no regular file, which this one could replace' "$dir/err" || fail "$file: $(cat "$dir/err")"
	done
	ndmctl metrics --output "$dir/ndm.prom" --json
	refuses 2 'excludes --json'
}

@test "metrics: --output goes where it was told to, also by a link" {
	mkdir "$R/mine"
	ln -s "$R/mine" "$R/linked"
	ndmctl metrics -o "$R/linked/ndm.prom"
	exits 0
	grep -q ndm_tcp_loaded "$R/mine/ndm.prom"
}

@test "metrics: JSON and plain" {
	load_now
	ndmctl metrics --json
	json_is '.command' metrics
	json_is '.metrics[] | select(.name == "ndm_tcp_loaded").value' 1
	json_is '[.metrics[] | select(.name == "ndm_tcp_entropy_ratio_bucket")] | length' 11
	ndmctl metrics --plain
	[[ $output == *$'ndm_tcp_loaded\t-\t1'* ]] || fail 'no line'
}
