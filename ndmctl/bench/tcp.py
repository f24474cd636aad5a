# SPDX-License-Identifier: GPL-2.0
"""TCP sockets: choose the algorithm, connect, read TCP_INFO, end without a trace in the kernel's cache of metrics."""
import errno
import socket
import struct
import time

from words import FAILED, UNSUPPORTED, Problem, shown

AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"
ALLOWED = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"

# struct tcp_info of <linux/tcp.h>, in its order; what follows tcpi_reord_seen is not needed. Linux 5.4 has all of it.
LAYOUT = struct.Struct("=8B24I4Q6I4Q2I2Q2I")
NAMES = (
    "state ca_state retransmits probes backoff options wscale app_limited"
    " rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv last_ack_recv"
    " pmtu rcv_ssthresh rtt_us rttvar_us snd_ssthresh cwnd_pkts advmss reordering_pkts rcv_rtt rcv_space total_retrans"
    " pacing_rate max_pacing_rate bytes_acked bytes_received segs_out segs_in notsent_bytes min_rtt_us data_segs_in"
    " data_segs_out delivery_rate busy_us rwnd_limited_us sndbuf_limited_us delivered delivered_ce bytes_sent bytes_retrans"
    " dsacks reorderings").split()
NO_RTT = 0xffffffff    # min_rtt before the first sample


class Info:
    """One reading of TCP_INFO, and when it was taken."""

    def __init__(self, sock):
        data = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        self.time_s = time.monotonic()
        if len(data) < LAYOUT.size:
            raise Problem(UNSUPPORTED, "TCP_INFO of this kernel lacks reordering and DSACK", "Linux 5.4 or newer has them: uname -r")
        self.__dict__.update(zip(NAMES, LAYOUT.unpack_from(data)))

    def wire_bytes(self):
        """What a meter counts, about: each segment has headers of IP and TCP with options."""
        return self.bytes_sent + 60 * self.segs_out


def words_of(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().split()
    except OSError:
        return []


def why_not(name):
    """Why this user cannot choose the algorithm, as a Problem; None when it can. Nothing is loaded: that would change the system."""
    if name not in words_of(AVAILABLE):
        hint = "sudo ndmctl load" if name == "ndm" or name.startswith("ndm_") else "sudo modprobe tcp_" + shown(name, 15)
        return Problem(FAILED, "the algorithm '%s' is not registered in this kernel" % shown(name, 15), hint, "algorithm")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        try:
            choose(sock, name)
        except PermissionError:
            allowed = " ".join(words_of(ALLOWED) + [name])
            return Problem(FAILED, "users may not choose the algorithm '%s'" % shown(name, 15),
                           "sudo sysctl -w net.ipv4.tcp_allowed_congestion_control='%s'" % shown(allowed), "algorithm")
        except OSError as error:
            return Problem(FAILED, "the algorithm '%s' cannot be chosen: %s" % (shown(name, 15), error.strerror), "ndmctl doctor", "algorithm")
    return None


def choose(sock, name):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())


def algorithm_of(sock):
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode("ascii", "replace")


def connect(address, algorithm, timeout_s=10):
    """To (family, sockaddr). The algorithm is set before, so that it sees the handshake. None leaves the default."""
    family, sockaddr = address
    sock = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        if algorithm:
            choose(sock, algorithm)
        sock.settimeout(timeout_s)
        sock.connect(sockaddr)
        # The kernel's route (congctl lock) or a BPF program may have the last word.
        if algorithm and algorithm_of(sock) != algorithm:
            raise Problem(FAILED, "the connection has the algorithm %s, not %s: a route or a policy prescribes it" %
                          (shown(algorithm_of(sock)), algorithm), "ndmctl route list; ndmctl cgroup show --self", "algorithm")
    except OSError as error:
        sock.close()
        raise connect_problem(error) from None
    except Problem:
        sock.close()
        raise
    return sock


def connect_problem(error):
    if isinstance(error, socket.timeout) or error.errno == errno.ETIMEDOUT:
        return Problem(FAILED, "the far end does not answer", "is it up, and does a firewall let this port through?", "timeout")
    if error.errno == errno.ECONNREFUSED:
        return Problem(FAILED, "the far end refuses the connection", "start the server there, such as: iperf3 -s", "refused")
    return Problem(FAILED, "no connection: %s" % (error.strerror or error), "ip route get ADDRESS shows the way", "unreachable")


def lost_problem(error):
    """For an error in an open connection."""
    if isinstance(error, socket.timeout) or error.errno == errno.ETIMEDOUT:
        return Problem(FAILED, "the far end has stopped answering", "is it still up?", "timeout")
    return Problem(FAILED, "the far end has closed the connection", "look at what its server says", "closed")


def reset(sock):
    """Ends it at once; see linger_nothing."""
    linger_nothing(sock)
    sock.close()


def linger_nothing(sock):
    """From now on, to close it is an RST. What still waits in the send buffer is not sent, and the kernel stores no metrics of the connection (reordering,
    RTT, ssthresh): it does so only after a FIN. So no flow leaves anything to the next one."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass


def idle_rtt_us(sock):
    """Of a connection that has carried no load yet."""
    rtt_us = Info(sock).min_rtt_us
    return None if rtt_us in (0, NO_RTT) else rtt_us
