# SPDX-License-Identifier: GPL-2.0
"""A far end that is reached by ssh. Where it has iperf3, one login starts iperf3 -s -1 there, again after each flow, and the flows go to
it directly. Else, or where that port cannot be reached, they go through ssh itself into cat >/dev/null. Then the connection is still
ours: ssh takes it over from a ProxyCommand (ProxyUseFdpass), so that the algorithm is set and TCP_INFO is read without any rights."""
import array
import os
import secrets
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import iperf3
import target as names
import tcp
from words import FAILED, UNSUPPORTED, Problem, shown

LOGIN_S = 120       # somebody may have to type a password
READY_S = 10        # from the login to a server that listens, and to a sink
PORT_TRIES = 3
HERE = os.path.dirname(os.path.abspath(__file__))
BEGUN, MISSING = b"ndmctl-begun", b"ndmctl-missing"
MOST_GREETING_BYTES = 65536    # of what a login says before that
MOST_LINES, MOST_LINE_BYTES = 100, 4096    # of what it says on standard error
# It ends with its standard input, so with our ssh, even if that is killed.
SERVER = ("command -v iperf3 >/dev/null || { echo ndmctl-missing; exit; }; "
          '(trap "kill \\$!; exit" TERM; while iperf3 -s -1 -p %d >/dev/null 2>&1 & wait $!; do :; done; echo ndmctl-gone) & '
          "loop=$!; echo ndmctl-begun; cat >/dev/null; kill $loop 2>/dev/null")
SINK = "echo ndmctl-begun; exec cat >/dev/null"


class FarEnd:
    """ssh://[user@]host[:port]"""

    def __init__(self, target, speaker):
        if not shutil.which("ssh"):
            raise Problem(UNSUPPORTED, "the program ssh is not installed, or not in PATH", "apt install openssh-client")
        self.target, self.speaker, self.warning, self.server, self.direct = target, speaker, None, None, None
        self.address = self.address_of()
        try:
            self.direct = self.start_iperf3()
        except BaseException:
            self.close()
            raise
        if not self.direct:
            self.close()
            self.sink = Sink(self)
            speaker.warn(self.warning)

    def command(self, *more):
        words = ["ssh", "-T"] + list(more)
        if self.target.port:
            words += ["-p", str(self.target.port)]
        if self.target.user:
            words += ["-l", self.target.user]
        return words + ["--", self.target.host]

    def address_of(self):
        """What ssh itself would connect to: its configuration may have another name or port."""
        answer = subprocess.run(self.command("-G"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        settings = dict(line.partition(" ")[::2] for line in answer.stdout.decode("utf-8", "replace").splitlines())
        if settings.get("proxyjump", "none") != "none" or settings.get("proxycommand", "none") != "none":
            raise Problem(FAILED, "ssh reaches this host by way of another, so its path cannot be measured from here",
                          "name the nearer host, or one without ProxyJump and ProxyCommand", "indirect")
        try:
            return names.resolve(settings.get("hostname") or self.target.host, int(settings.get("port") or 22))
        except ValueError:
            raise Problem(FAILED, "ssh names no port for this host", "ssh -G HOST", "name") from None

    def start_iperf3(self):
        """A far end of iperf3; None where that cannot be."""
        for _ in range(PORT_TRIES):
            port = 20000 + secrets.randbelow(12000)
            self.server = start(self.command(), SERVER % port, self.speaker)
            word = await_word(self.server, BEGUN, MISSING)
            if word == MISSING:
                self.warning = "iperf3 is missing there, so the data go through ssh, whose cipher and window may be the limit"
                return None
            far_end = Direct((self.address[0], (self.address[1][0], port) + tuple(self.address[1][2:])), self.speaker.note)
            if far_end.can_be_reached():
                return far_end
            port_was_taken = bool(select.select([self.server.stdout], [], [], 0)[0])    # it says that its iperf3 is gone
            self.close()
            if not port_was_taken:
                break
        self.warning = "iperf3 cannot be reached there, as behind a firewall, so the data go through ssh, whose cipher and window may be the limit"
        return None

    def open(self, algorithm, seconds):
        return self.direct.open(algorithm, seconds) if self.direct else self.sink.open(algorithm)

    def close(self):
        if self.server:
            for pipe in (self.server.stdin, self.server.stdout):
                pipe.close()
            end(self.server)
            self.server = None


def start(command, script, speaker):
    """By a shell of POSIX there, whatever the login shell is. Ctrl-C is for us alone: ssh is ended when what was measured is safe."""
    process = subprocess.Popen(command + ["exec sh -c " + shlex.quote(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    process.passing_on = threading.Thread(target=pass_on, args=(process.stderr, speaker), daemon=True)
    process.passing_on.start()
    return process


def pass_on(stderr, speaker):
    """What ssh says, and so what the far end says there; questions go to the terminal itself."""
    with stderr:
        for number, line in enumerate(iter(lambda: stderr.readline(MOST_LINE_BYTES), b"")):
            if number < MOST_LINES:
                speaker.say("ssh: " + shown(line.decode("utf-8", "replace").rstrip("\r\n")))


def await_word(process, *words):
    """The first line that is one of these; a login may say other things before it."""
    deadline_s, said = time.monotonic() + LOGIN_S, b""
    while len(said) < MOST_GREETING_BYTES:
        if not select.select([process.stdout], [], [], max(0, deadline_s - time.monotonic()))[0]:
            break
        byte = os.read(process.stdout.fileno(), 1)
        if not byte:
            break
        said += byte
        line = said.rpartition(b"\n")[0].rpartition(b"\n")[2].strip() if byte == b"\n" else b""
        if line in words:
            return line
    process.passing_on.join(1)    # why
    raise Problem(FAILED, "the login by ssh failed, or the far end has no shell", "ssh HOST echo hello", "login")


def end(process):
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.passing_on.join(1)


class Direct(iperf3.FarEnd):
    """iperf3 that we have started: between two flows it starts again, which takes a moment."""

    def can_be_reached(self):
        """A connection that says nothing would end iperf3 -1 as well, so the answer is that of a whole beginning."""
        try:
            self.open(None, 1).close()
        except Problem:
            return False
        return True

    def open(self, algorithm, seconds):
        deadline_s = time.monotonic() + READY_S
        while True:
            try:
                return super().open(algorithm, seconds)
            except Problem as problem:
                if problem.kind not in ("refused", "closed") or time.monotonic() > deadline_s:
                    raise
            time.sleep(0.2)


class Sink:
    def __init__(self, far_end):
        self.far_end = far_end

    def open(self, algorithm):
        return SinkChannel(self.far_end, algorithm)


class SinkChannel:
    """A flow into ssh's standard input; `sock` is the connection that ssh uses."""

    far_cpu_percent, read_fds, process = None, (), None

    def __init__(self, far_end, algorithm):
        self.sock = tcp.connect(far_end.address, algorithm)
        self.directory = tempfile.mkdtemp(prefix="ndmctl-")
        try:
            self.idle_rtt_us = tcp.idle_rtt_us(self.sock)
            self.begin(far_end)
        except BaseException:
            self.close()
            raise

    def begin(self, far_end):
        path = os.path.join(self.directory, "socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(path)
            listener.listen(1)
            proxy = " ".join(shlex.quote(word).replace("%", "%%") for word in
                             (sys.executable, "-I", "-B", os.path.join(HERE, "ssh_proxy.py"), path))
            self.process = start(far_end.command("-o", "ProxyCommand=" + proxy, "-o", "ProxyUseFdpass=yes", "-o", "ControlPath=none",
                                                 "-o", "ControlMaster=no", "-o", "Compression=no"), SINK, far_end.speaker)
            self.hand_over(listener)
        await_word(self.process, BEGUN)
        os.set_blocking(self.process.stdin.fileno(), False)
        self.write_fd, self.read_fds = self.process.stdin.fileno(), [self.process.stdout.fileno()]

    def hand_over(self, listener):
        if not select.select([listener], [], [], READY_S)[0]:
            raise Problem(FAILED, "ssh did not take the connection over", "ssh -V: does it know ProxyUseFdpass?", "login")
        peer, _ = listener.accept()
        with peer:
            peer.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [self.sock.fileno()]))])

    def write(self, view):
        return os.write(self.write_fd, view)

    def read(self):
        raise Problem(FAILED, "the far end has closed the connection", "look at its log of sshd", "closed")

    def finish(self):
        """A sink has no word on what it got."""

    def close(self):
        tcp.linger_nothing(self.sock)
        if self.process:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                try:
                    pipe.close()
                except OSError:
                    pass
        self.sock.close()
        shutil.rmtree(self.directory, ignore_errors=True)
