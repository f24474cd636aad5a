# SPDX-License-Identifier: GPL-2.0
# sockets, and status --counters.
load helpers
setup() { make_root; load_now; add_sockets; }

@test "sockets: the attribute of ndm becomes words, that of a real DCTCP does not; as --plain, also of one algorithm, as text, as JSON" {
	ndmctl sockets --plain
	exits 0
	equals "$(cut -f 1-10 <<<"$output")" $'ESTAB\t192.0.2.1:22\t192.0.2.9:50000\tcubic\t10\t3.5\t-\t-\t-\t-
ESTAB\t192.0.2.1:443\t192.0.2.9:50001\tndm\t42\t20.25\tnoise\t812\t333\t150
ESTAB\t192.0.2.1:443\t192.0.2.9:50002\tndm\t12\t21\tcongestion\t100\t0\t1000
ESTAB\t[2001:db8::1]:443\t[2001:db8::9]:50003\tndm_v4\t3\t0.5\tnodata\t0\t0\t500
ESTAB\t192.0.2.1:80\t192.0.2.9:50004\tdctcp\t10\t1\t-\t-\t-\t-
FIN-WAIT-2\t192.0.2.1:80\t192.0.2.9:50005\t-\t-\t-\t-\t-\t-\t-'
	ndmctl sockets --plain --cc ndm_v4
	equals "$(cut -f 3 <<<"$output")" '[2001:db8::9]:50003'
	ndmctl sockets --cc vegas --plain
	exits 0
	complains 'note: this kernel has no algorithm vegas'
	equals "$output" ''
	ndmctl sockets
	equals "$(wc -l <<<"$output")" 7
	says 'STATE '
	ndmctl sockets --json
	json_is '.sockets|length' 6
	json_is '.sockets[1] | [.entropy, .rtt_ms, .verdict] | tostring' '[812,20.25,"noise"]'
	json_is '.sockets[0].verdict, .sockets[5].cc' $'null\nnull'
	: >"$R/fixture/ss.txt"
	ndmctl sockets --json
	json_is '.sockets|length' 0
}

@test "sockets: process, cgroup and network namespace of each; --netns" {
	add_netns host cubic self
	add_netns host cubic 1 init
	add_netns web reno 90 nginx
	name_netns web blue
	ndmctl sockets --json
	json_is '.sockets[0] | [.pid, .process, .cgroup] | join(" ")' '812 sshd /system.slice/ssh.service'
	json_is '.sockets[3] | [.pid, .process, .cgroup] | join("|")' '77|Web Content) x|/user.slice/a cubic "b'
	json_is '.sockets[4].pid' null
	json_is '.sockets[0].netns' "$(netns_number host)"
	ndmctl sockets
	says 'PID PROCESS         CGROUP'
	says '812 sshd            /system.slice/ssh.service'
	fake nsenter <<<'shift; exec "$@"'
	ndmctl sockets --netns blue --json
	json_is '[.sockets[].netns] | unique | join(" ")' "$(netns_number web)"
	ndmctl sockets --netns all --json
	json_is '.sockets | length' 12
}

@test "sockets: every verdict of the module in words, none for what it never says" {
	local code word words=() source=$BATS_TEST_DIRNAME/../../src/module
	for code in {0..10}; do
		printf 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:2 ndm_v5 rtt:1/1 cwnd:2 dctcp:(ce_state:%s,alpha:1,ab_ecn:2,ab_tot:3)\n' "$code"
	done >"$R/fixture/ss.txt"
	ndmctl sockets --plain
	# the words of /proc/net/tcp_ndm, and those that it counts as ecn_reductions and rtos
	for word in $(sed -n 's/^NDM_COUNTER(LOSSES[A-Z_]*, "loss_\([a-z]*\)")/\1/p' "$source/counters.h") ecn timeout; do words+=("$word"); done
	equals "${#words[@]}" "$(sed -n '/^enum ndm_verdict/,/^}/p' "$source/ndm.h" | grep -c '^.NDM_[A-Z_]*,')"
	equals "$(cut -f 7 <<<"$output" | paste -sd ' ')" "${words[*]} -"
	equals "${words[*]}" "$(sed -n 's/^VERDICTS=(\(.*\)).*/\1/p' "$BATS_TEST_DIRNAME/../../ndmctl/lib/probes/sockets.sh")"
}

# As without AF_NETLINK, or without the module tcp_diag: ss then has the lines of /proc/net/tcp.
@test "sockets: where the kernel does not answer ss, nothing is invented" {
	local command
	put "$R/fixture/ss.txt" 'ESTAB 0 0 192.0.2.1:22 192.0.2.9:50000 rto:0.2 ato:0.04 qack:13 bidir cwnd:10 reordering:0
CLOSE-WAIT 0 0 192.0.2.1:22 192.0.2.9:50001 ato:0.04 qack:2 cwnd:10'
	for command in sockets advise; do
		ndmctl $command
		refuses 1 'the kernel tells it no algorithms' 'modprobe tcp_diag'
	done
	ndmctl status
	says 'sockets     unknown: '
	[[ $output != *bidir* && $output != *'0 TCP'* ]] || fail 'invented'
	ndmctl status --json
	json_is .sockets null
	ndmctl metrics
	[[ $output != *ndm_tcp_connections* ]] || fail 'invented'
	: >"$R/fixture/ss.txt"
	ndmctl status
	says 'sockets     none    (0 TCP'
}

# As after "Cannot open netlink socket", or where a security module lets it open but not ask.
@test "sockets: ss that is missing, fails, or names an error and exits 0 has not answered; a cgroup that is gone is no error" {
	local command
	rm "$R/fixture"/ss{,.txt}
	ndmctl sockets
	refuses 5 'apt install iproute2'
	ndmctl status
	exits 0
	fake ss <<<'exit 1'
	ndmctl sockets
	refuses 1 'ss failed'
	fake ss <<<'echo "netlink receive error Operation not permitted (1)" >&2'
	for command in sockets advise; do
		ndmctl $command
		refuses 1 'ss failed'
	done
	ndmctl status
	says 'sockets     unknown: '
	fake ss <<<"[[ \$* != *--cgroup* ]] || echo 'Failed to open cgroup2 by ID' >&2; echo 'ESTAB 0 0 192.0.2.1:22 192.0.2.9:50000 cubic rto:204 rtt:3.5/1 cwnd:10'"
	ndmctl status
	says 'sockets     1 cubic'
}

@test "counters: text, plain and JSON" {
	ndmctl status --counters
	exits 0
	says 'acks               123456'
	says 'entropy_9          50'
	ndmctl status --counters --plain
	equals "$(head -n 1 <<<"$output")" $'version\t0.1.0'
	equals "$(wc -l <<<"$output")" "$(tail -n +2 "$R/proc/net/tcp_ndm" | wc -l)"    # all but the schema
	ndmctl status --counters --json
	json_is .acks 123456
	json_is '.acks|type' number
	json_is .variant v1
	json_is .entropy_9 50
	json_is .queue_own 3
}

@test "counters: lines of a newer module are passed on" {
	printf 'novelty 7\nsomething else\n' >>"$R/proc/net/tcp_ndm"
	ndmctl status --counters --json
	json_is .novelty 7
	sed -i 's/schema 1/schema 2/' "$R/proc/net/tcp_ndm"
	ndmctl status --counters
	exits 0
	complains 'schema 2'
}

@test "counters: not loaded, or garbage" {
	printf '\001\002\n' >"$R/proc/net/tcp_ndm"
	ndmctl status --counters
	refuses 1 'not loaded'
	rm "${R:?}/proc/net/tcp_ndm"
	ndmctl status --counters
	refuses 1 'sudo ndmctl load'
}

@test "sockets: a variable CGROUPS of the environment names no file to read" {
	put "$R/fixture/ss.txt" 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:1 users:(("x",pid=77,fd=3))  ndm wscale:7,7 rtt:1/1 cwnd:10'
	put "$R/sys/module/tcp_ndm/refcnt" 1
	mkfifo "$R/read"
	link_answers
	# who reads a pipe that nobody writes to does not come back
	run --separate-stderr env CGROUPS="$R/read" timeout 60 "$ON_R" unload
	refuses 1 'in use: '
}

@test "sockets: a network namespace that does not exist, has ended or is not permitted: one cause, no empty list" {
	add_netns host cubic self
	add_netns host cubic 1 systemd
	add_netns web cubic 90 nginx
	name_netns web blue
	add_netns other cubic 91 other
	ndmctl sockets --netns nosuch --json
	refuses 1 'no network namespace and no process'
	equals "$(grep -c ^ndmctl: <<<"$stderr")" 1
	ndmctl sockets --netns ''
	refuses 2 'neither a name'
	equals "$(grep -c ^ndmctl: <<<"$stderr")" 1
	ndmctl sockets --json --netns all
	equals "$stderr" ''
	local most
	most=$(jq '.sockets | length' <<<"$output")
	# one that ends between the list and the question
	wrap nsenter <<<'if [[ ${1#--net=} -ef ${0%/*}/../netns/web ]]; then exit 1; fi; real "$@"'
	ndmctl sockets --json --netns all
	exits 0
	complains 'left out: network namespace blue (pid 90, nginx)'
	(($(jq '.sockets | length' <<<"$output") > 0 && $(jq '.sockets | length' <<<"$output") <= most)) || fail 'no sockets of the others'
	ndmctl sockets --json --netns blue
	refuses 1 'cannot enter the network namespace blue'
	ndmctl status --netns blue
	refuses 1 'cannot enter network namespace blue'
}
