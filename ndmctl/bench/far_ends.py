# SPDX-License-Identifier: GPL-2.0
"""The far end for each kind of target. It has `warning`, open(algorithm, seconds) and close(). A channel, which open returns, has sock,
write_fd, read_fds, write(view), read(), finish(), close(), idle_rtt_us and far_cpu_percent."""
import target as names


def open_far_end(target, speaker):
    if target.kind == "ssh":
        import ssh
        return ssh.FarEnd(target, speaker)
    address = names.resolve(target.host, target.port)
    if target.kind == "https":
        import https
        return https.FarEnd(target, address)
    import iperf3
    return iperf3.FarEnd(address, speaker.note)
