#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""https_server.py CERTIFICATE ADDRESS PORT: takes uploads at /upload; elsewhere it answers 413, as a server that takes
small ones only, or 507 at /full, as one whose disk is full."""
import socket
import ssl
import sys
import threading


def serve(plain, context):
    try:
        with context.wrap_socket(plain, server_side=True) as peer:
            head = b""
            while b"\r\n\r\n" not in head:
                head += peer.recv(4096)
            if not head.startswith(b"POST /upload "):
                status = b"507 Full" if head.startswith(b"POST /full ") else b"413 Too Large"
                peer.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            while peer.recv(65536):
                pass
    except OSError:
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
with socket.create_server((sys.argv[2], int(sys.argv[3]))) as listener:
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0], context), daemon=True).start()
