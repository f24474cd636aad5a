#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""path.py NETNS [--rate MBIT] [--delay MS] [--jitter MS] [--loss PERCENT] [--queue PACKETS]

A path of known properties between this network namespace (10.9.0.1, device near) and NETNS (10.9.0.2, device far), without netem,
which not every kernel has: two tun devices, and this process between them. Towards NETNS it loses packets at random, then queues and
delays each; with jitter, packets overtake each other. Back it only delays. The loss is drawn from a fixed seed. Prints "ready"
when packets can pass, and ends when its standard input does.
"""
import argparse
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 1, 0x1000


def tun(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return fd


def ip(*words):
    subprocess.run(("ip",) + words, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("netns")
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--delay", type=float, default=10)
    parser.add_argument("--jitter", type=float, default=0)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--queue", type=int, default=200)
    options = parser.parse_args()
    near, far = tun("near"), tun("far")
    ip("link", "set", "far", "netns", options.netns)
    ip("addr", "add", "10.9.0.1/24", "dev", "near")
    ip("link", "set", "near", "up")
    ip("-n", options.netns, "addr", "add", "10.9.0.2/24", "dev", "far")
    ip("-n", options.netns, "link", "set", "far", "up")
    print("ready", flush=True)
    forward(options, near, far)


def forward(options, near, far):
    chance, order, waiting = random.Random(1), itertools.count(), []
    one_way_s, jitter_s = options.delay / 2000, options.jitter / 1000
    free_s, longest_s = 0.0, options.queue * 1500 * 8 / (options.rate * 1e6)
    while True:
        timeout_s = max(0, waiting[0][0] - time.monotonic()) if waiting else 1
        readable = select.select([near, far, sys.stdin], [], [], timeout_s)[0]
        now_s = time.monotonic()
        for fd in readable:
            if fd is sys.stdin:
                return
            for _ in range(64):
                try:
                    packet = os.read(fd, 65536)
                except BlockingIOError:
                    break
                if fd == far:
                    heapq.heappush(waiting, (now_s + one_way_s, next(order), near, packet))
                elif max(free_s, now_s) - now_s <= longest_s and chance.random() * 100 >= options.loss:
                    free_s = max(free_s, now_s) + len(packet) * 8 / (options.rate * 1e6)
                    heapq.heappush(waiting, (free_s + one_way_s + jitter_s * chance.random(), next(order), far, packet))
        now_s = time.monotonic()
        while waiting and waiting[0][0] <= now_s:
            _, _, fd, packet = heapq.heappop(waiting)
            try:
                os.write(fd, packet)
            except (BlockingIOError, OSError):
                pass


if __name__ == "__main__":
    main()
