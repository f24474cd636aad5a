# SPDX-License-Identifier: GPL-2.0
"""A far end that runs iperf3 -s. Its protocol: a connection for control, on which states are single bytes and texts are JSON behind
their length, and one for the data, which is ours. Both begin with the same cookie of 37 bytes. All that it says may be wrong."""
import json
import secrets
import socket
import struct
import time

import tcp
from words import FAILED, Problem

TEST_START, TEST_RUNNING, TEST_END = 1, 2, 4
PARAM_EXCHANGE, CREATE_STREAMS, SERVER_TERMINATE = 9, 10, 11
EXCHANGE_RESULTS, DISPLAY_RESULTS, DONE = 13, 14, 16
DENIED, SERVER_ERROR = 255, 254
NAMES = {TEST_START: "start", TEST_RUNNING: "running", PARAM_EXCHANGE: "parameters", CREATE_STREAMS: "streams", EXCHANGE_RESULTS: "results",
         DISPLAY_RESULTS: "display"}
ANSWER_S = 15               # for all of what is asked before the data, and after it
FAREWELL_S = 5              # for the far end to close it after the last word, which may have to be sent again
MOST_RESULT_BYTES = 65536   # a real one has a few hundred
BUSY_TRIES, BUSY_PAUSE_S = 4, 3


class Control:
    """The control connection. Whatever it does takes no longer than its deadline."""

    def __init__(self, sock):
        self.sock = sock
        self.deadline_s = time.monotonic() + ANSWER_S

    def extend(self):
        self.deadline_s = time.monotonic() + ANSWER_S

    def send(self, data):
        try:
            self.sock.settimeout(ANSWER_S)
            self.sock.sendall(data)
        except OSError as error:
            raise tcp.lost_problem(error) from None

    def receive(self, count):
        data = b""
        while len(data) < count:
            left_s = self.deadline_s - time.monotonic()
            try:
                if left_s <= 0:
                    raise socket.timeout
                self.sock.settimeout(left_s)
                part = self.sock.recv(count - len(data))
            except OSError as error:
                raise tcp.lost_problem(error) from None
            if not part:
                raise Problem(FAILED, "the far end has closed the connection", "is it iperf3 3.1 or newer? look at what it says", "closed")
            data += part
        return data

    def await_end(self):
        """Until the far end has closed it. To reset it at once would drop what was lost of the last word, and a reset may be lost, too: the
        server would then be busy for ever."""
        self.deadline_s = time.monotonic() + FAREWELL_S
        try:
            self.receive(1)
        except Problem:
            pass

    def send_json(self, value):
        text = json.dumps(value).encode()
        self.send(struct.pack("!I", len(text)) + text)

    def receive_json(self):
        length, = struct.unpack("!I", self.receive(4))
        if length > MOST_RESULT_BYTES:
            raise strange("announces %d bytes of results" % length)
        try:
            value = json.loads(self.receive(length).decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            raise strange("sends results that are not JSON") from None
        return value if isinstance(value, dict) else {}

    def expect(self, *states):
        """The next state that is one of these."""
        state = self.receive(1)[0]
        if state in states:
            return state
        if state == DENIED:
            raise Problem(FAILED, "the iperf3 server is busy with another test", "wait until it is free, or start one of your own: iperf3 -s", "busy")
        if state == SERVER_ERROR:
            code, = struct.unpack("!i", self.receive(4))
            raise Problem(FAILED, "the iperf3 server reports its error %d" % code, "look at what it says; iperf3 -s --debug", "server")
        if state == SERVER_TERMINATE:
            raise Problem(FAILED, "the iperf3 server is being ended", "start it again: iperf3 -s", "closed")
        raise strange("says %d%s" % (state, states and " in place of " + " or ".join(NAMES[expected] for expected in states) or ", unasked"))


def strange(what):
    return Problem(FAILED, "the far end " + what, "is it an iperf3 server? the port is that of iperf3 -s", "strange")


class Channel:
    """One flow. `sock` has the algorithm and is read for TCP_INFO."""

    def __init__(self, address, algorithm, seconds):
        self.sock = None
        self.control = Control(tcp.connect(address, None))
        self.far_cpu_percent = None
        try:
            self.begin(address, algorithm, seconds)
        except BaseException:
            self.close()
            raise

    def begin(self, address, algorithm, seconds):
        control = self.control
        control.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        cookie = secrets.token_hex(18).encode() + b"\0"
        control.send(cookie)
        control.expect(PARAM_EXCHANGE)
        # We end the test, so the time is only what the server may plan with.
        control.send_json({"tcp": True, "omit": 0, "time": seconds + 60, "num": 0, "blockcount": 0, "parallel": 1, "len": 131072,
                           "pacing_timer": 1000, "client_version": "3.12"})
        control.expect(CREATE_STREAMS)
        self.sock = tcp.connect(address, algorithm)
        try:
            self.sock.sendall(cookie)
        except OSError as error:
            raise tcp.lost_problem(error) from None
        control.expect(TEST_START)
        control.expect(TEST_RUNNING)
        self.idle_rtt_us = min(filter(None, (tcp.idle_rtt_us(control.sock), tcp.idle_rtt_us(self.sock))), default=None)
        self.sock.setblocking(False)
        self.write_fd, self.read_fds = self.sock.fileno(), [control.sock.fileno()]

    def write(self, view):
        return self.sock.send(view)

    def read(self):
        """The server has something to say during the test: that is always trouble."""
        self.control.extend()
        self.control.expect()

    def finish(self):
        """The server's own word on the test. Results are there without it."""
        control = self.control
        control.extend()
        control.send(bytes([TEST_END]))
        control.expect(EXCHANGE_RESULTS)
        info = tcp.Info(self.sock)
        control.send_json({"cpu_util_total": 0, "cpu_util_user": 0, "cpu_util_system": 0, "sender_has_retransmits": 1,
                           "streams": [{"id": 1, "bytes": info.bytes_acked, "retransmits": info.total_retrans, "jitter": 0, "errors": 0,
                                        "packets": 0, "start_time": 0, "end_time": 1}]})
        percent = control.receive_json().get("cpu_util_total")
        if isinstance(percent, (int, float)) and not isinstance(percent, bool) and 0 <= percent <= 100000:
            self.far_cpu_percent = round(float(percent), 1)
        control.expect(DISPLAY_RESULTS)
        control.send(bytes([DONE]))
        control.await_end()

    def close(self):
        if self.sock:
            tcp.reset(self.sock)
        tcp.reset(self.control.sock)


class FarEnd:
    """iperf3://host[:port]"""

    warning = None

    def __init__(self, address, say=None):
        self.address = address
        self.say = say or (lambda text: None)

    def open(self, algorithm, seconds):
        for tries in range(BUSY_TRIES):
            try:
                return Channel(self.address, algorithm, seconds)
            except Problem as problem:
                if problem.kind != "busy" or tries == BUSY_TRIES - 1:
                    raise
            self.say("the iperf3 server is busy; trying again in %d s" % BUSY_PAUSE_S)
            time.sleep(BUSY_PAUSE_S)
        return None

    def close(self):
        pass
