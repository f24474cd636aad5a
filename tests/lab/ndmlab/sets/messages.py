# SPDX-License-Identifier: GPL-2.0
"""Set messages: one byte after another."""
from ..judge import metrics
from ..show import page
from ..algorithms import EVERY, PEERS
from ..show.columns import COUNT, DROPS
from ..lab_set import Part, Set
from ..model import Scenario, router
from .impairments import both_ways

# The published path was fast Ethernet. On the others one message in each millisecond: more would only measure the packets' size.
STEADY = "messages cc={cc} count=5000 every=1000 nodelay=1 trace={trace}"
SCENARIOS = (
    Scenario("lan-queued", router(100, 0.2, "pfifo limit 1000"), 0, "100 Mbit/s, 0.2 ms, 20,000 as fast as written, Nagle's algorithm on",
             traffic="messages cc={cc} count=20000 trace={trace}"),
    Scenario("lan-nodelay", router(100, 0.2, "pfifo limit 1000"), 0, "100 Mbit/s, 0.2 ms, 20,000 as fast as written, TCP_NODELAY",
             traffic="messages cc={cc} count=20000 nodelay=1 trace={trace}"),
    Scenario("lan-one", router(100, 0.2, "pfifo limit 1000"), 0, "100 Mbit/s, 0.2 ms, 2,000, each after the last arrived, Nagle's algorithm on",
             traffic="messages cc={cc} count=2000 wait=1 trace={trace}"),
    Scenario("wan-steady", router(10, 50), 0, "10 Mbit/s, 50 ms, one each millisecond", traffic=STEADY),
    Scenario("loss-steady", router(10, 50, more="loss 1%"), 0, "10 Mbit/s, 50 ms, 1 % loss, one each millisecond", traffic=STEADY),
    Scenario("jitter-steady", both_ways(10, 50, "delay 25ms 25ms"), 0, "10 Mbit/s, 25 ms +- 25 ms each way, one each millisecond",
             traffic=STEADY),
    Scenario("lte-steady", both_ways(10, 100, "delay 50ms 20ms loss 5%"), 0, "10 Mbit/s, 50 ms +- 20 ms, 5 % loss, one each millisecond",
             traffic=STEADY),
)


def times(part, cells, results):
    def text(row):
        mean, deviation = (row.of_flow(key, 1000, 2) for key in ("delay_mean_us", "delay_sd_us"))
        return f"{mean} / {deviation} / {row.worst('delay_max_us', 1000, 1)}, {page.show(row.values(metrics.retransmissions))}"
    return page.by_path(part, cells, results, text)


COLUMNS = (("mean", 10, lambda row: row.of_flow("delay_mean_us", 1000, 3)), ("sd", 9, lambda row: row.of_flow("delay_sd_us", 1000, 3)),
           ("p99", 9, lambda row: row.of_flow("delay_p99_us", 1000, 2)), ("worst ms", 10, lambda row: row.worst("delay_max_us", 1000, 2)),
           ("gap mean", 10, lambda row: row.of_flow("gap_mean_us", 1, 1)), ("sd", 9, lambda row: row.of_flow("gap_sd_us", 1, 1)),
           ("worst us", 10, lambda row: row.worst("gap_max_us", 1, 0)), ("segments", 10, lambda row: row.of_flow("segments", 1, 0)), COUNT, DROPS)
SET = Set("messages", SCENARIOS, EVERY, COLUMNS,
          page=Part("One-byte messages", "Milliseconds from writing a message to its arrival: mean / standard deviation / maximum, and retransmissions.", PEERS, shows=times))
