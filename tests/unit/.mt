#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Breaks a copy of the module in one way after the other; the test that claims to see it must fail. Prints TAP. It shows
# that no invariant of the fuzzer and no scripted test holds whatever the code does. About five minutes.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
only=${1:-}
work=build/mutants
count=0
failed=0

rm -rf "$work"
tests/unit/build
mkdir -p "$work/unit"

# mutant PROGRAM CLAIM FILE SED: after SED on FILE, PROGRAM says `not ok ... CLAIM`.
mutant() {
	local program=$1 claim=$2 file=$3 change=$4 run
	[ -z "$only" ] || [[ "$claim" == *"$only"* ]] || return 0
	count=$((count + 1))
	rm -rf "$work/module"
	cp -r src/module "$work/module"
	cp build/unit/*.o "$work/unit"
	sed -i -E "$change" "$work/module/$file"
	if cmp -s "src/module/$file" "$work/module/$file"; then
		echo "not ok $count - $file has nothing left of: $change"
		failed=1
		return 0
	fi
	if ! tests/unit/build "$work/module" "$work/unit" "$file" "$program" > "$work/log" 2>&1; then
		echo "not ok $count - does not compile: $change"
		sed 's/^/# /' "$work/log"
		failed=1
		return 0
	fi
	run=("$work/unit/$program")
	[ "$program" != fuzz_ops ] || run+=(--calls 3000000 --all)
	"${run[@]}" > "$work/log" 2>&1 || true
	if grep -qE "^not ok [0-9]+ - .*$claim" "$work/log"; then
		echo "ok $count - $program sees: $claim"
	else
		echo "not ok $count - $program does not see ($claim): $change"
		failed=1
	fi
}

# Invariants of the fuzzer.



# Scripted tests.
mutant test_v5_trial 'none is made' ndm_trial.c 's/^\tif \(!READ_ONCE\(ndm_tuning.trials\)\)/\tif (0)/'
mutant test_v5_trial 'trials=0 ends it' ndm_trial.c '/ndm_tuning.trials/{n;s/v->trial_pkts = 0;/;/}'
mutant test_v5_trial '1 % lost by chance: flight' ndm_trial.c 's/if \(ratio < NDM_TRIAL_SAME|\(ratio < NDM_TRIAL_SAME/(0/'
mutant test_v5_trial 'lost by load: flight' ndm_trial.c 's/ratio > NDM_TRIAL_MORE/0/;s/ratio > NDM_TRIAL_DOUBT/0/'
mutant test_v5_trial 'lost by the load of ten: flight' ndm_trial.c 's/NDM_TRIAL_LN_RATIO 208/NDM_TRIAL_LN_RATIO 20/'
mutant test_v5_trial 'COUNTS\(15, 50, 0, 0, 0, 0\)' ndm_trial.c 's/known_lost >= NDM_TRIAL_KNOWN \&\&/known_lost >= NDM_TRIAL_KNOWN - 1 \&\&/'
mutant test_v5_trial 'COUNTS\(0, 0, 0, 15, 50, 0\)' ndm_trial.c 's/trial_lost >= NDM_TRIAL_KNOWN\) \{/trial_lost > NDM_TRIAL_KNOWN) {/'
mutant test_v5_trial 'cwnd 27' ndm_trial.c 's/cwnd \+ cwnd \/ 3 > ndm/cwnd + cwnd \/ 2 > ndm/'
mutant test_v5_trial 'COUNTS\(16, 50, 0, 0, 0, 2\)' ndm_trial.c 's/!v->settle \&\& v->losses/v->losses/'
mutant test_v5_trial 'COUNTS\(16, 50, 0, 15, 50, 2\)' ndm_trial.c 's/v->settle -= !!v->settle/;/'
mutant test_v5_trial 'COUNTS\(20, 60, 60, 3, 0, 0\)' ndm_trial.c 's/\(-320\)/(-319 + 1)/'
mutant test_v5_trial 'COUNTS\(20, 60, 60, 3, 1, 0\)' ndm_trial.c 's/min\(cwnd \+ cwnd \/ 3, 65535U\)/min(cwnd + cwnd \/ 4, 65535U)/'
mutant test_v5_trial 'cwnd 65535' ndm_trial.c 's/min\(cwnd \+ cwnd \/ 3, 65535U\)/min(cwnd + cwnd \/ 3, 70000U)/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 7, 0, 0\)' ndm_trial.c 's/NDM_TRIAL_MORE 768/NDM_TRIAL_MORE 700/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 8, 0, 0\)' ndm_trial.c 's/ndm_cubic_keep\(v->trial_pkts\), NDM/v->trial_pkts \/ 2, NDM/'
mutant test_v5_trial 'COUNTS\(60, 200, 50, 10, 0, 0\)' ndm_trial.c 's/if \(settle > 1\)/if (0)/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 22, 40, 0\)' ndm_trial.c 's/NDM_TRIAL_UNDECIDED 24/NDM_TRIAL_UNDECIDED 23/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 23, 40, 0\)' ndm_trial.c 's/v->trial_pkts - v->trial_pkts \/ 10/v->trial_pkts/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 23, 41, 0\)' ndm_trial.c 's/NDM_TRIAL_DOUBT 128/NDM_TRIAL_DOUBT 100/'
mutant test_v5_trial 'COUNTS\(16, 2000, 100, 13, 1012, 0\)' ndm_trial.c 's/trial_units == NDM_TRIAL_UNITS/trial_units >= NDM_TRIAL_UNITS - 1/'
mutant test_v5_trial 'COUNTS\(16, 2000, 100, 13, 1013, 0\)' ndm_trial.c 's/trial_units == NDM_TRIAL_UNITS/trial_units > NDM_TRIAL_UNITS/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 15, 55, 2\)' ndm_trial.c 's/^\t\tv->settle--;/;/'
mutant test_v5_trial 'COUNTS\(60, 200, 100, 14, 22, 2\)' ndm_trial.c 's/ \&\& v->trial_lost < NDM_TRIAL_KNOWN \&\& !full/ \&\& 0/'
mutant test_v5_trial 'COUNTS\(250, 800, 100, 15, 55, 2\)' ndm_trial.c 's/ \|\| lost > NDM_TRIAL_KNOWN_LOST//'
mutant test_v5_trial 'COUNTS\(20, 65530, 60, 0, 1020, 1\)' ndm_trial.c 's/units > NDM_TRIAL_KNOWN_UNITS \|\| //'
mutant test_v5_trial 'COUNTS\(220, 30, 100, 0, 0, 1\)' ndm_trial.c 's/^\t\tunits >>= 1;$/\t\t;/'
mutant test_v5_trial 'COUNTS\(200, 30, 100, 0, 0, 1\)' ndm_trial.c 's/min\(lost, n \/ 4\)/lost/'
mutant test_v5_trial 'COUNTS\(20, 60, 428, 2, 30, 0\)' ndm_trial.c 's/trial_pkts \/ 4 \* 3\)/trial_pkts \/ 2)/'
mutant test_v5_trial 'v->queue = true' ndm_trial.c 's/v->queue \|\| v->cut/v->cut/'
mutant test_v5_trial 'v->trial_pkts = 0; v->queue = true' ndm_trial.c 's/^\t\tif \(v->trial_pkts\)/\t\tif (1)/'
mutant test_v5_trial 'v->cut_from_pkts = 70' ndm_trial.c 's/v->queue \|\| v->cut_from_pkts/v->queue/'
mutant test_v5_trial 'v->limited = false' ndm_trial.c 's/return v->limited \&\& /return /'
mutant test_v5_trial 'v->holding = true: [0-9]+ units' ndm_trial.c 's/!v->holding \&\& !v->reordered/!v->reordered/'
mutant test_v5_trial 'v->reordered = 1' ndm_trial.c 's/ \&\& !v->reordered//'
mutant test_v5_trial 'ssthresh = 61: ' ndm_trial.c 's/ \&\&$/ \&\& 1 \&\&/;s/!tcp_in_slow_start\(tcp_sk\(sk\)\)/1/'
mutant test_v5_trial 'ssthresh = 61; v->noise' ndm_trial.c 's/\(v->noise \|\| \(inet/((inet/'
mutant test_v5_trial 'state = TCP_CA_Loss: ' ndm_trial.c 's/icsk_ca_state <= TCP_CA_Recovery/icsk_ca_state <= TCP_CA_Loss/'
mutant test_v5_trial '100 rounds of 50 packets' ndm_trial.c 's/\(begun \+ n\) >>/n >>/'
mutant test_v5_trial 'cwnd returns to 0.7' ndm_trial.c 's/^\tndm_set_cwnd\(tp, to\);/;/'
mutant test_v5_trial 'not below what one cut leaves' ndm_trial.c 's/ndm_cubic_keep\(max\(cwnd, tp->prior_cwnd\)\)/ndm_cubic_keep(cwnd)/'
mutant test_v5_trial 'a recovery after a cut: nothing more' ndm_trial.c 's/icsk_ca_state <= TCP_CA_Disorder\)\)/icsk_ca_state <= TCP_CA_Recovery))/'
mutant test_v5_trial 'a cut with verdict 3 leaves' ndm_trial.c 's/v->verdict == NDM_QUEUE \? .*/0;/'
mutant test_v5_trial 'a cut with verdict 4 leaves' ndm_trial.c 's/v->verdict == NDM_QUEUE/1/'
mutant test_v5_trial 'before a trial a cut keeps' ndm_trial.c '/^void ndm_trial_stop/,/^}/s/if \(!v->trial_pkts\)/if (0)/'
mutant test_v5_trial 'prr_out = 9: ' ndm_trial.c 's/tp->prr_out >= tp->prr_delivered/1/'
mutant test_v5_trial 'prr_out = c->tp.prr_delivered = 0: ' ndm_trial.c 's/tp->prr_out \&\& tp->prr_out/tp->prr_out/'
mutant test_v5_trial 'snd_ssthresh--: ' ndm_trial.c 's/tcp_packets_in_flight\(tp\) < tp->snd/tcp_packets_in_flight(tp) <= tp->snd/'
mutant test_v5_trial 'v->holding = true: [0-9]+ more' ndm_trial.c 's/v->noise \&\& !v->holding/v->noise/'
mutant test_v5_trial 'v->noise = false: ' ndm_trial.c 's/v->trial_pkts \&\& v->noise/v->trial_pkts/'
mutant test_v5_trial 'v->trial_pkts = 0: ' ndm_trial.c 's/v->trial_pkts \&\& v->noise/v->noise/'
mutant test_v5_trial 'state = TCP_CA_Disorder: ' ndm_trial.c 's/icsk_ca_state == TCP_CA_Recovery \&\&/1 \&\&/'
mutant test_v5_trial 'ECN ends it' ndm_v5.c 's/^\tndm_trial_stop\(v, cwnd\);/;/'
mutant test_v5_trial 'a pause forgets' ndm_v5.c 's/^\tv->known_units = 0;/;/'
echo "1..$count"
exit $failed
