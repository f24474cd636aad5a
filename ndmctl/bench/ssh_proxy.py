# SPDX-License-Identifier: GPL-2.0
"""The ProxyCommand of ssh: takes the connection that ssh.py has made, and passes it on to ssh, whose end of a socket is standard output."""
import array
import socket
import sys

SIZE = array.array("i").itemsize
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as ours:
    ours.connect(sys.argv[1])
    _, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(SIZE))
with socket.socket(fileno=1) as to_ssh:
    to_ssh.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ancillary[0][2][:SIZE])])
