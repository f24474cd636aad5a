# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# result.bash: bench runs it, make_result makes what it would have measured.

bench() { run --separate-stderr "$NDMCTL" bench "$@"; }

# A result of seven blocks in which bbr has twice Cubic's goodput; each CHANGE is a line of Python on run, flow.
make_result() { # FILE [CHANGE...]
	/usr/bin/python3 - "$@" <<-'END'
		import json, sys
		flows = []
		for block in range(1, 8):
		    for slot, rate in (("cubic", 10.0), ("cubic-again", 10.5), ("bbr", 20.0)):
		        flows.append(dict(block=block, slot=slot, algorithm=slot[:5].rstrip("-"), began="2026-11-23T12:00:00Z", ok=True, seconds=15.0,
		            acked_bytes=int(rate * 1e6), goodput_bits_per_second=rate * 1e6 + block, sent_bytes=int(rate * 1e6), retransmitted_bytes=1000,
		            sent_segments=1000, retransmitted_segments=10, dsacks=1, reorderings=2, srtt_median_us=40000, rtt_min_us=39000,
		            idle_rtt_us=39000, cwnd_median_pkts=50, delivery_rate_median_bits_per_second=1e7, receive_window_limited_share=0.0,
		            send_buffer_limited_share=0.0, busiest_processor_percent=10.0, far_cpu_percent=None, flags=[],
		            series=dict(step_ms=100, acked_bytes=[1000] * 200, srtt_us=[40000] * 200)))
		run = dict(schema=1, command="bench", ndmctl="0.1.0", began="2026-11-23T12:00:00Z", ended="done", warning=None, sent_bytes=5000000,
		    target=dict(kind="iperf3", address=None, path_id="0123456789abcdef"),
		    machine=dict(kernel="6.12", architecture="x86_64", processors=2, module_version=None, ndm_variant=None, default_algorithm="cubic",
		        default_qdisc="fq"),
		    plan=dict(algorithms=["cubic", "bbr"], blocks=7, seconds=20, skipped_seconds=5.0, pause_seconds=2.0, seed=7, budget_bytes=None),
		    flows=flows)
		flow = flows[0]
		for change in sys.argv[2:]:
		    exec(change)
		json.dump(run, open(sys.argv[1], "w"))
	END
}
