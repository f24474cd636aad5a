#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# What Prometheus says of the metrics and of the alert rules. A made-up system, as in tests/cli; the real one is in tests/vm/stories/admin.bats.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	.ci/need jq
	PROMTOOL=$(tests/package/promtool)
	export PROMTOOL
}

setup() {
	load ../cli/helpers
	RULES=$BATS_TEST_DIRNAME/../../ndmctl/monitoring/ndm-tcp.rules.yml
	make_root
	load_now
	add_sockets
	ndmctl set-default ndm
	# Connections are counted.
	add_cgroups
	put "$R/sys/kernel/btf/vmlinux" ''
	ndmctl config set METRICS yes
	exits 0
	cp "$BATS_TEST_DIRNAME/../cli/fixtures/counting/rows.json" "$R/fixture/ndm_count_names"
	ndmctl metrics
	exits 0
}

@test "promtool check metrics has no complaint" {
	run "$PROMTOOL" check metrics <<<"$output"
	[ "$status" = 0 ] && [ "$output" = '' ] || fail "$output"
	run "$PROMTOOL" check metrics <<<'ndm_tcp_x{a=b} 1'
	[ "$status" != 0 ]
}

@test "the alert rules are valid, and each fires when it should and not before" {
	run "$PROMTOOL" check rules "$RULES"
	[ "$status" = 0 ] && [[ $output == *'8 rules found'* ]] || fail "$output"
	run "$PROMTOOL" test rules "$BATS_TEST_DIRNAME/monitoring.test.yml"
	[ "$status" = 0 ] && [[ $output == *SUCCESS* ]] || fail "$output"
}

@test "every alert is tested, every metric of a rule is emitted, every command of a rule exists" {
	local name count=0
	for name in $(sed -n 's/.*- alert: //p' "$RULES"); do
		count=$((count + 1))
		[ "$(grep -c "alertname: $name,\?" "$BATS_TEST_DIRNAME/monitoring.test.yml")" -eq 2 ] || fail "$name is tested before and after"
	done
	[ "$count" = 8 ]
	count=0
	for name in $(sed '/^ *annotations:/,/^ *command:/d; /^ *#/d' "$RULES" | grep -oE 'ndm_tcp_[a-z_]+' | sort -u); do
		count=$((count + 1))
		grep -q "^$name[ {]" <<<"$output" || fail "$name is not emitted"
	done
	[ "$count" = 9 ]
	for name in $(sed -n 's/^ *command: ndmctl //p' "$RULES" | sed 's/ --.*//' | tr ' ' -); do
		grep -q "^cmd_${name//-/_}()" "$BATS_TEST_DIRNAME"/../../ndmctl/lib/commands/*.sh || fail "there is no command $name"
	done
}

@test "each panel of the Grafana dashboard has an expression that Prometheus takes, of metrics that are emitted" {
	local board=$BATS_TEST_DIRNAME/../../ndmctl/monitoring/ndm-tcp.dashboard.json rules=$BATS_TEST_TMPDIR/rules.yml name count=0
	jq -e '[.panels[] | .title != "" and .description != "" and (.targets | length > 0) and .datasource.uid == "${datasource}"] | length >= 10 and all' "$board"
	jq -e '[.panels[].id] | length == (unique | length)' "$board"
	jq '{groups: [{name: "panels", rules: [.panels[].targets[].expr | gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; ".*") | {record: "panel", expr: .}]}]}' "$board" >"$rules"
	run "$PROMTOOL" check rules --lint=none "$rules"
	[ "$status" = 0 ] && [[ $output == *'11 rules found'* ]] || fail "$output"
	ndmctl metrics
	for name in $(jq -r '.panels[].targets[].expr, .templating.list[1].query.query' "$board" | grep -oE 'ndm_tcp_[a-z_]+' | sort -u); do
		count=$((count + 1))
		grep -q "^$name[ {]" <<<"$output" || fail "$name is not emitted"
	done
	[ "$count" = 11 ]
}
