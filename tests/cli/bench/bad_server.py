#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""bad_server.py ADDRESS PORT MODE: what else may listen where an iperf3 server was expected."""
import socket
import struct
import sys
import time

PARAMETERS, STREAMS, START, RUNNING, RESULTS, DISPLAY = (bytes([state]) for state in (9, 10, 1, 2, 13, 14))


def text(words):
    return struct.pack("!I", len(words)) + words


def receive(peer, count):
    while count:
        part = peer.recv(min(count, 65536))
        if not part:
            sys.exit()
        count -= len(part)


def begin(listener):
    """As a real server, until the data flow."""
    control = listener.accept()[0]
    receive(control, 37)
    control.sendall(PARAMETERS)
    receive(control, struct.unpack("!I", control.recv(4))[0])
    control.sendall(STREAMS)
    data = listener.accept()[0]
    receive(data, 37)
    control.sendall(START + RUNNING)
    return control, data


def main():
    mode = sys.argv[3]
    with socket.create_server((sys.argv[1], int(sys.argv[2]))) as listener:
        while True:
            if mode in ("web", "noise", "silent", "closes", "busy", "error"):
                peer = listener.accept()[0]
                peer.sendall({"web": b"HTTP/1.0 400 no\r\n\r\n", "noise": b"\x1b[2J\x1b]0;owned\x07" * 9, "silent": b"", "closes": b"",
                              "busy": b"\xff", "error": b"\xfe" + struct.pack("!ii", 106, 0)}[mode])
                if mode in ("silent", "busy", "error"):
                    time.sleep({"silent": 60}.get(mode, 0.5))
                peer.close()
                continue
            control, data = begin(listener)
            end_s = time.monotonic() + 30
            if mode == "denies-later":
                time.sleep(0.5)
                control.sendall(b"\xff")
            control.setblocking(False)
            while time.monotonic() < end_s:    # until TEST_END
                try:
                    if control.recv(1):
                        break
                except BlockingIOError:
                    data.recv(65536)
            control.setblocking(True)
            control.sendall(RESULTS)
            receive(control, struct.unpack("!I", control.recv(4))[0])
            control.sendall({"huge": struct.pack("!I", 2 ** 32 - 1), "deep": text(b"[" * 60000), "junk": text(b"\xff\x00{{"),
                             "odd": text(b'{"cpu_util_total": 1e999, "x": "\\u001b[2J"}'), "number": text(b"7"), "slow": text(b"{}")}.get(mode, b""))
            control.sendall(DISPLAY)
            if mode == "slow":    # has the client waited, or reset the connection, although its last word may be lost?
                receive(control, 1)
                time.sleep(0.7)
                control.setblocking(False)
                try:
                    control.recv(1)
                except BlockingIOError:
                    print("it waits", flush=True)
                except OSError as error:
                    print(error.strerror, flush=True)
            time.sleep(0.2)
            control.close()
            data.close()


main()
