# SPDX-License-Identifier: GPL-2.0
"""All flows of a plan, one at a time. What is measured is kept after each flow, whatever happens next."""
import time

import flow
import machine
import tcp
from plan import algorithm_of
from words import Problem, duration, rate, size

SETTLE_SHARE = 0.25         # of the pause: what is still in queues leaves, before other traffic is looked for
FAILURE_PAUSE_S = 3         # longer after each failure in a row: the far end may be starting again
FAILURES_IN_A_ROW = 2       # then the far end is given up
CPU_LIMIT_PERCENT = 80
LIMITED_SHARE = 0.1         # of the time, by a window or a buffer
OTHERS_SHARE = 0.1          # of our own bytes; ACKs are up to a twentieth
IDLE_OTHERS_SHARE = 0.05    # of the goodput, during the pause


class Stopped(Exception):
    """A signal."""

    def __init__(self, number):
        super().__init__()
        self.number = number


class Campaign:
    def __init__(self, plan, far_end, speaker, keep):
        self.plan, self.far_end, self.speaker, self.keep = plan, far_end, speaker, keep
        self.flows, self.spent_bytes, self.failures = [], 0, 0
        self.ended, self.problem, self.signal = "running", None, None
        self.device, self.idle_bytes_per_s = None, None

    def run(self):
        """Until it is done, or has to end; why is in `ended`."""
        try:
            self.ended = self.run_blocks()
        except Stopped as stopped:
            self.ended, self.signal = "interrupted", stopped.number
        self.keep(self)

    def run_blocks(self):
        largest_block_bytes = 0
        for block, slots in enumerate(self.plan.order(), 1):
            if self.plan.budget_bytes is not None and self.spent_bytes + largest_block_bytes > self.plan.budget_bytes:
                return "budget"
            before_bytes = self.spent_bytes
            for slot in slots:
                if self.flows:
                    self.pause()
                if not self.one_flow(block, slot):
                    return self.ended
                self.keep(self)
            largest_block_bytes = max(largest_block_bytes, self.spent_bytes - before_bytes)
            self.speaker.note("block %d of %d: %s" % (block, self.plan.blocks, self.block_line(block)))
        return "done"

    def block_line(self, block):
        return ", ".join("%s %s" % (f["slot"], rate(f["goodput_bits_per_second"]) if f["ok"] else "failed")
                         for f in sorted(self.flows, key=lambda f: self.plan.slots.index(f["slot"])) if f["block"] == block)

    def pause(self):
        """Queues empty; and nobody of ours sends, so what the device carries is of others."""
        self.speaker.progress("pause" + self.left())
        time.sleep(self.plan.pause_s * SETTLE_SHARE)
        watched, begin_s = machine.Watch(self.device), time.monotonic()
        time.sleep(self.plan.pause_s * (1 - SETTLE_SHARE) + FAILURE_PAUSE_S * self.failures)
        carried = watched.carried_bytes()
        self.idle_bytes_per_s = sum(carried) / (time.monotonic() - begin_s) if carried else None

    def left(self, elapsed_s=0):
        return ", %s left" % duration(max(0, self.plan.estimated_s(self.plan.flows() - len(self.flows)) - elapsed_s))

    def one_flow(self, block, slot):
        """Whether to go on."""
        record = {"block": block, "slot": slot, "algorithm": algorithm_of(slot),
                  "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "ok": False}
        try:
            try:
                self.measure(record)
            except OSError as error:    # of a flow that is lost; what was measured before stays
                raise tcp.lost_problem(error) from None
            self.failures = 0
        except Problem as problem:
            if problem.kind == "budget":
                self.ended = "budget"
                return False
            if not self.flows or problem.kind == "algorithm":
                raise
            record["failed"] = problem.kind
            self.failures += 1
            self.speaker.warn("block %d, %s: %s" % (block, slot, problem.cause))
            if self.failures >= FAILURES_IN_A_ROW:
                self.flows.append(record)
                self.ended, self.problem = "far end", problem
                return False
        self.flows.append(record)
        return True

    def measure(self, record):
        channel = self.far_end.open(record["algorithm"], self.plan.seconds)
        try:
            self.device = machine.device_of(channel.sock)
            watched = machine.Watch(self.device)
            readings, budget_is_spent = flow.send(channel, self.plan.seconds, self.budget_left(), self.show_tick(record))
            busiest_percent, carried = watched.busiest_percent(), watched.carried_bytes()
            try:
                channel.finish()
            except (Problem, OSError):
                if readings[-1].bytes_acked == readings[0].bytes_acked:
                    raise
                record["no_farewell"] = True    # what arrived is known from the ACKs
        finally:
            self.spend(channel)
            channel.close()
        if budget_is_spent:
            raise Problem(1, "the budget is spent", "a larger --budget", "budget")
        record.update(flow.summarise(readings, self.plan.skipped_s))
        record.update(idle_rtt_us=channel.idle_rtt_us, busiest_processor_percent=busiest_percent, far_cpu_percent=channel.far_cpu_percent,
                      ok=True)
        record["flags"] = flags_of(record, self.others(carried, readings), self.idle_others(record))

    def spend(self, channel):
        """Also of a flow that failed or was interrupted."""
        try:
            self.spent_bytes += tcp.Info(channel.sock).wire_bytes()
        except OSError:
            pass

    def budget_left(self):
        return None if self.plan.budget_bytes is None else self.plan.budget_bytes - self.spent_bytes

    def show_tick(self, record):
        ticks = [0]

        def show(elapsed_s, readings):
            ticks[0] += 1
            if ticks[0] % 5:
                return
            latest = readings[-min(len(readings), 11):]
            bits = 8 * (latest[-1].bytes_acked - latest[0].bytes_acked) / max(0.001, latest[-1].time_s - latest[0].time_s)
            self.speaker.progress("block %d of %d, %s: %2d of %d s, %s, %s sent%s" % (
                record["block"], self.plan.blocks, record["algorithm"], elapsed_s, self.plan.seconds, rate(bits),
                size(self.spent_bytes + latest[-1].wire_bytes()), self.left(elapsed_s)))
        return show

    def others(self, carried, readings):
        """The share of bytes of others in this flow; None on loopback, where each byte is counted on both sides."""
        if carried is None or self.device == "lo":
            return None
        own = readings[-1].wire_bytes() - readings[0].wire_bytes()
        received, sent = carried
        return max(received, sent - own) / max(1, own)

    def idle_others(self, record):
        if self.idle_bytes_per_s is None:
            return None
        return self.idle_bytes_per_s * 8 / max(1, record["goodput_bits_per_second"])


def flags_of(record, others_share, idle_others_share):
    """What spoils a measurement, in single words; report.py says what they mean."""
    found = {
        "cpu": record["busiest_processor_percent"] > CPU_LIMIT_PERCENT,
        "far-cpu": (record["far_cpu_percent"] or 0) > CPU_LIMIT_PERCENT,
        "receive-window": record["receive_window_limited_share"] > LIMITED_SHARE,
        "send-buffer": record["send_buffer_limited_share"] > LIMITED_SHARE,
        "other-traffic": (others_share or 0) > OTHERS_SHARE or (idle_others_share or 0) > IDLE_OTHERS_SHARE,
    }
    return [name for name, is_so in found.items() if is_so]
