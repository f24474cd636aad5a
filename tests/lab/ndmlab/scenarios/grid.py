# SPDX-License-Identifier: GPL-2.0
"""Set grid: round trips of 20 us to 2 s by rates of 1 Mbit/s to 10 Gbit/s. One flow, which another of its kind joins halfway.

The virtual clock has no limit of CPU; what limits is the guest's memory, so that the largest products of rate and round trip are left out.
"""
from ..model import PACKET, Scenario, router

RTTS_US = (20, 200, 2_000, 20_000, 200_000, 2_000_000)
RATES_MBIT = (1, 10, 100, 1_000, 10_000)
MOST_BYTES = 30e6     # in flight
MOST_PACKETS = 400e3  # in a cell, which takes some ten seconds of the host
LEAST_QUEUE = 32      # packets, where the product is less
STEPS = 80            # of a cell's time, for convergence


def seconds_of(rate, rtt_us):
    """Two hundred round trips, two seconds and 600 packets at least, but no more packets than a cell may cost, and then 24 round trips at least."""
    rtt = rtt_us / 1e6
    wanted = max(2, 200 * rtt, 600 * PACKET * 8 / rate / 1e6)
    return max(min(wanted, MOST_PACKETS * PACKET * 8 / rate / 1e6), min(wanted, 24 * rtt))


def queue_bytes(rate, rtt_us):
    return max(LEAST_QUEUE * PACKET, round(rate * rtt_us / 8))


def point(rate, rtt_us):
    seconds = round(seconds_of(rate, rtt_us), 3)
    step_ms = max(1, round(seconds * 1000 / STEPS))
    half = f"delay {rtt_us / 2:g}us"
    path = router(rate, rtt_us / 1000, f"bfifo limit {queue_bytes(rate, rtt_us)}", forward=half, back=half, rival="rival", buffers=67108864)
    traffic = (f"tested cc={{cc}} seconds={seconds:g} step={step_ms} sample={max(1, min(10, step_ms))} trace={{trace}}\n"
               f"rivals cc={{cc}} start={seconds / 2:g} seconds={seconds / 2:g} step={step_ms} sample={max(1, min(10, step_ms))}\ntogether")
    return Scenario(f"grid-{rate}m-{rtt_us}us", path, seconds, f"{rate:,} Mbit/s, {rtt_us / 1000:g} ms, FIFO of 1 BDP or {LEAST_QUEUE} packets, another of its kind joins halfway",
                    traffic=traffic, rtt=rtt_us / 1000)


POINTS = {(rate, rtt_us): point(rate, rtt_us) for rate in RATES_MBIT for rtt_us in RTTS_US if rate * rtt_us / 8 <= MOST_BYTES}
GRID = list(POINTS.values())
