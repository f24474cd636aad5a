# SPDX-License-Identifier: GPL-2.0
"""A result as JSON, schema 1. A file of a result may come from anybody: what is read is checked, field by field, and the rest dropped."""
import json
import math
import os
import re
import secrets

from words import FAILED, Problem, shown

SCHEMA = 1
MOST_FILE_BYTES = 32 * 1024 * 1024
MOST_FLOWS, MOST_STEPS = 5000, 20000
NAME = re.compile(r"[A-Za-z0-9_.-]{1,32}")
FLAGS = ("cpu", "far-cpu", "receive-window", "send-buffer", "other-traffic")
NUMBERS = ("seconds", "acked_bytes", "goodput_bits_per_second", "sent_bytes", "retransmitted_bytes", "sent_segments",
           "retransmitted_segments", "dsacks", "reorderings", "srtt_median_us", "cwnd_median_pkts",
           "delivery_rate_median_bits_per_second", "receive_window_limited_share", "send_buffer_limited_share")
NUMBERS_OR_NULL = ("rtt_min_us", "idle_rtt_us", "busiest_processor_percent", "far_cpu_percent")
FACTS = ("kernel", "architecture", "module_version", "ndm_variant", "default_algorithm", "default_qdisc")


def read(path):
    """The run in a file, with only what is known here and is what it should be."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise Problem(FAILED, "cannot read %s: %s" % (shown(path), error.strerror), "ls -l FILE") from None
    try:
        if len(data) > MOST_FILE_BYTES:
            raise ValueError("it is too large")
        return checked(json.loads(data.decode("utf-8"), parse_constant=refuse_constant))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else \
            "it is no JSON" if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)) else str(error)
        raise Problem(FAILED, "%s is no result of ndmctl bench: %s" % (shown(path), shown(reason)), "name files that ndmctl bench -o has written") \
            from None


def refuse_constant(name):
    raise ValueError("it contains " + name)


def require(is_so, what):
    if not is_so:
        raise ValueError("wrong or missing: " + what)


def number(value, what):
    require(isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e18 and math.isfinite(value), what)
    return value


def numbers(values, what):
    require(isinstance(values, list) and len(values) <= MOST_STEPS, what)
    return [number(value, what) for value in values]


def word(value, what):
    require(isinstance(value, str) and NAME.fullmatch(value), what)
    return value


def line(value, most=200):
    """A text of which nothing is known; None where it is none."""
    return value[:most] if isinstance(value, str) else None


def part(data, name):
    value = data.get(name)
    require(isinstance(value, dict), name)
    return value


def checked(data):
    require(isinstance(data, dict) and data.get("command") == "bench", "command")
    require(data.get("schema") == SCHEMA, "schema (known is %d)" % SCHEMA)
    target, plan, host = part(data, "target"), part(data, "plan"), part(data, "machine")
    flows = data.get("flows")
    require(isinstance(flows, list) and len(flows) <= MOST_FLOWS, "flows")
    require(isinstance(plan.get("algorithms"), list) and 0 < len(plan["algorithms"]) <= 50, "plan.algorithms")
    return {
        "schema": SCHEMA, "command": "bench", "ndmctl": line(data.get("ndmctl")), "began": line(data.get("began")),
        "ended": word(data.get("ended"), "ended").replace("-", " "), "warning": line(data.get("warning")),
        "target": {"kind": word(target.get("kind"), "target.kind"), "address": line(target.get("address")),
                   "path_id": word(target.get("path_id"), "target.path_id")},
        "machine": dict({name: line(host.get(name), 100) for name in FACTS}, processors=host.get("processors")
                        if isinstance(host.get("processors"), int) else None),
        "plan": {"algorithms": [word(name, "plan.algorithms") for name in plan["algorithms"]],
                 "blocks": number(plan.get("blocks"), "plan.blocks"), "seconds": number(plan.get("seconds"), "plan.seconds"),
                 "skipped_seconds": number(plan.get("skipped_seconds"), "plan.skipped_seconds"), "seed": number(plan.get("seed"), "plan.seed"),
                 "budget_bytes": None if plan.get("budget_bytes") is None else number(plan["budget_bytes"], "plan.budget_bytes")},
        "sent_bytes": number(data.get("sent_bytes"), "sent_bytes"),
        "flows": [checked_flow(flow) for flow in flows],
    }


def checked_flow(data):
    require(isinstance(data, dict) and isinstance(data.get("ok"), bool), "flows.ok")
    flow = {"block": number(data.get("block"), "flows.block"), "slot": word(data.get("slot"), "flows.slot"),
            "algorithm": word(data.get("algorithm"), "flows.algorithm"), "began": line(data.get("began"), 30), "ok": data["ok"]}
    if not flow["ok"]:
        return dict(flow, failed=word(data.get("failed"), "flows.failed"))
    for name in NUMBERS:
        flow[name] = number(data.get(name), "flows." + name)
    require(flow["goodput_bits_per_second"] >= 1, "flows.goodput_bits_per_second")
    require(flow["acked_bytes"] >= 1, "flows.acked_bytes")
    for name in NUMBERS_OR_NULL:
        flow[name] = None if data.get(name) is None else number(data[name], "flows." + name)
    require(isinstance(data.get("flags"), list), "flows.flags")
    flow["flags"] = [name for name in FLAGS if name in data["flags"]]
    series = part(data, "series")
    flow["series"] = {"step_ms": number(series.get("step_ms"), "series.step_ms"),
                      "acked_bytes": numbers(series.get("acked_bytes"), "series.acked_bytes"), "srtt_us": numbers(series.get("srtt_us"), "series.srtt_us")}
    return flow


class Output:
    """A file that the user named, in a directory that ndmctl has opened: so nobody can exchange that meanwhile. Each text replaces the
    whole file at once."""

    def __init__(self, directory_fd, name):
        self.directory_fd, self.name = directory_fd, name
        self.new = ".%s.%s.new" % (name, secrets.token_hex(6))

    def try_it(self):
        """Before anything is sent: can a file be made there?"""
        try:
            os.close(os.open(self.new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o644, dir_fd=self.directory_fd))
            os.unlink(self.new, dir_fd=self.directory_fd)
        except OSError as error:
            raise self.refused(error) from None

    def refused(self, error):
        return Problem(FAILED, "cannot write %s: %s" % (shown(self.name), error.strerror), "name a file in a directory of yours")

    def write(self, text):
        try:
            fd = os.open(self.new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o644, dir_fd=self.directory_fd)
            try:
                with os.fdopen(fd, "w", encoding="utf-8") as file:
                    file.write(text)
                os.replace(self.new, self.name, src_dir_fd=self.directory_fd, dst_dir_fd=self.directory_fd)
            except BaseException:
                os.unlink(self.new, dir_fd=self.directory_fd)
                raise
        except OSError as error:
            raise self.refused(error) from None
