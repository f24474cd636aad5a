# SPDX-License-Identifier: GPL-2.0
"""This machine: what it is, and what else it does during a flow. All from files that every user may read."""
import fcntl
import os
import platform
import socket
import struct

import tcp

SIOCGIFADDR = 0x8915


def read_word(path, default=None):
    words = tcp.words_of(path)
    return words[0] if words else default


def facts():
    """What a reader of the result needs to know of this end."""
    return {
        "kernel": platform.release(), "architecture": platform.machine(), "processors": os.cpu_count(),
        "module_version": read_word("/sys/module/tcp_ndm/version"), "ndm_variant": read_word("/sys/module/tcp_ndm/parameters/variant"),
        "default_algorithm": read_word("/proc/sys/net/ipv4/tcp_congestion_control"),
        "default_qdisc": read_word("/proc/sys/net/core/default_qdisc"),
    }


def device_of(sock):
    """The name of the network device that has this socket's own address; None when it cannot be told."""
    address = sock.getsockname()[0].split("%")[0]
    if sock.family == socket.AF_INET6 and not address.startswith("::ffff:"):
        return device_of_ipv6(socket.inet_pton(socket.AF_INET6, address).hex())
    wanted = socket.inet_aton(address.replace("::ffff:", ""))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(probe, SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:
                continue
            if answer[20:24] == wanted:
                return name
    return None


def device_of_ipv6(digits):
    try:
        with open("/proc/net/if_inet6", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if fields[0] == digits:
                    return fields[-1]
    except OSError:
        pass
    return None


def traffic_of(device):
    """Bytes that the device has received and sent."""
    try:
        with open("/proc/net/dev", encoding="ascii", errors="replace") as file:
            for line in file:
                name, colon, rest = line.partition(":")
                if colon and name.strip() == device:
                    fields = rest.split()
                    return int(fields[0]), int(fields[8])
    except (OSError, ValueError, IndexError):
        pass
    return None


def processor_times():
    """For each processor: busy and all ticks. Work at nice 19 gives way, so it counts as idle, as do guests, which are counted as user."""
    times = {}
    try:
        with open("/proc/stat", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if fields and fields[0][:3] == "cpu" and fields[0] != "cpu":
                    user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields[1:9])
                    busy = user + system + irq + softirq + steal
                    times[fields[0]] = (busy, busy + nice + idle + iowait)
    except (OSError, ValueError):
        pass
    return times


class Watch:
    """From its making on: how busy the busiest processor was, and what the device carried."""

    def __init__(self, device):
        self.device = device
        self.times, self.traffic = processor_times(), traffic_of(device)

    def busiest_percent(self):
        shares = [0.0]
        for name, (busy, total) in processor_times().items():
            busy_before, total_before = self.times.get(name, (0, 0))
            if total > total_before:
                shares.append(100.0 * (busy - busy_before) / (total - total_before))
        return round(max(shares), 1)

    def carried_bytes(self):
        """(received, sent), or None where it is unknown."""
        now = traffic_of(self.device)
        if now is None or self.traffic is None:
            return None
        return tuple(max(0, after - before) for after, before in zip(now, self.traffic))
