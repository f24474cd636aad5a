# SPDX-License-Identifier: GPL-2.0
"""One flow: send as much as the connection takes, read TCP_INFO every 100 ms, say what happened after the first seconds."""
import os
import select
import statistics
import time

import tcp
from words import FAILED, Problem

TICK_S = 0.1
HEADERS = 16        # of so many bytes one more is a header, or is sent again
LEAST_BYTES = 2000  # of a budget: a segment
BUFFER = memoryview(os.urandom(131072))    # random: a link that compresses would else be measured as a faster one


def send(channel, seconds, budget_bytes, on_tick):
    """Readings of TCP_INFO, the first before the first byte. Ends early, and says so, when the kernel has got budget_bytes to send."""
    readings = [tcp.Info(channel.sock)]
    poll = select.poll()
    poll.register(channel.write_fd, select.POLLOUT)
    for fd in channel.read_fds:
        poll.register(fd, select.POLLIN)
    begin_s = time.monotonic()
    end_s, next_s, position, left_bytes = begin_s + seconds, begin_s + TICK_S, 0, budget_bytes
    try:
        while True:
            now_s = time.monotonic()
            if now_s >= next_s:
                readings.append(tcp.Info(channel.sock))
                on_tick(now_s - begin_s, readings)
                if budget_bytes is not None:
                    left_bytes = budget_bytes - readings[-1].wire_bytes() - with_headers(readings[-1].notsent_bytes)
                if now_s >= end_s:
                    return readings, False
                next_s += TICK_S * max(1, int((now_s - next_s) / TICK_S) + 1)    # a host that slept has no ticks to catch up with
            for fd, events in poll.poll(max(0, (next_s - time.monotonic()) * 1000)):
                if fd in channel.read_fds:
                    channel.read()
                elif events:
                    written = push(channel, position, next_s, left_bytes)
                    position = (position + written) % len(BUFFER)
                    if budget_bytes is not None:
                        left_bytes -= with_headers(written)
            if left_bytes is not None and left_bytes < LEAST_BYTES:
                readings.append(tcp.Info(channel.sock))
                return readings, True
    except OSError as error:
        raise tcp.lost_problem(error) from None


def push(channel, position, until_s, most_bytes):
    """Writes until the buffer is full, the next reading is due (a path as fast as this never fills it), or the budget is spent. How much."""
    written = 0
    try:
        while time.monotonic() < until_s:
            begin, end = (position + written) % len(BUFFER), None
            if most_bytes is not None:
                left_bytes = most_bytes - with_headers(written)
                if left_bytes < LEAST_BYTES:
                    break
                end = begin + left_bytes * HEADERS // (HEADERS + 1)
            written += channel.write(BUFFER[begin:end])
    except BlockingIOError:
        pass
    return written


def with_headers(written_bytes):
    return written_bytes + written_bytes // HEADERS


def summarise(readings, skip_s):
    """What happened after the first skip_s seconds; per second and per segment only in the report."""
    start = next((r for r in readings if r.time_s - readings[0].time_s >= skip_s - TICK_S / 2), readings[-1])
    counted = [r for r in readings if r.time_s >= start.time_s]
    last, seconds = readings[-1], readings[-1].time_s - start.time_s
    if seconds < TICK_S:
        raise Problem(FAILED, "the flow ended before there was anything to measure", "a larger --budget, or fewer algorithms", "short")
    acked = last.bytes_acked - start.bytes_acked
    if acked <= 0:
        raise Problem(FAILED, "no byte arrived at the far end", "is the path up? its loss may be too high for TCP", "timeout")

    def grown(name):
        return getattr(last, name) - getattr(start, name)

    def middle(name):
        return int(statistics.median(getattr(r, name) for r in counted))
    return {
        "seconds": round(seconds, 3), "acked_bytes": acked, "goodput_bits_per_second": round(acked * 8 / seconds),
        "sent_bytes": grown("bytes_sent"), "retransmitted_bytes": grown("bytes_retrans"),
        "sent_segments": grown("data_segs_out"), "retransmitted_segments": grown("total_retrans"),
        "dsacks": grown("dsacks"), "reorderings": grown("reorderings"),
        "srtt_median_us": middle("rtt_us"), "rtt_min_us": last.min_rtt_us if last.min_rtt_us != tcp.NO_RTT else None,
        "cwnd_median_pkts": middle("cwnd_pkts"), "delivery_rate_median_bits_per_second": 8 * middle("delivery_rate"),
        "receive_window_limited_share": share(grown("rwnd_limited_us"), seconds),
        "send_buffer_limited_share": max(share(grown("sndbuf_limited_us"), seconds), starved_share(counted)),
        "series": series(readings),
    }


def share(limited_us, seconds):
    return round(min(1.0, max(0.0, limited_us / 1e6 / seconds)), 3)


def starved_share(readings):
    """The kernel says nothing of a buffer that is the limit while cwnd could still double. But then cwnd would allow more, and nothing
    waits to be sent."""
    starved = [r.notsent_bytes == 0 and r.unacked < r.cwnd_pkts for r in readings]
    return round(sum(starved) / len(starved), 3)


def series(readings):
    """All of the flow, the first seconds included: for pictures."""
    pairs = zip(readings, readings[1:])
    return {"step_ms": round(TICK_S * 1000), "acked_bytes": [b.bytes_acked - a.bytes_acked for a, b in pairs],
            "srtt_us": [r.rtt_us for r in readings[1:]]}
