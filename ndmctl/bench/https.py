# SPDX-License-Identifier: GPL-2.0
"""A far end that takes an upload by HTTPS: one POST of unknown length, which ends by a reset. Its certificate must be valid."""
import re
import ssl

import flow
import tcp
from words import FAILED, Problem, shown

ANSWER_S = 15
CHUNK = b"%x\r\n" % len(flow.BUFFER) + bytes(flow.BUFFER) + b"\r\n"
STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])\b")
ADVICE = {401: "it wants a login, which bench does not have", 404: "is the path of the address right?", 405: "it takes no POST there",
          411: "it takes no upload of unknown length", 413: "let it take more, as nginx does with client_max_body_size 0", 507: "its disk is full"}


class Channel:
    far_cpu_percent = None

    def __init__(self, address, target, algorithm, context):
        self.sock = tcp.connect(address, algorithm)
        self.answer, self.position, self.tls = b"", 0, None
        try:
            self.idle_rtt_us = tcp.idle_rtt_us(self.sock)
            self.begin(target, context)
        except BaseException:
            self.close()
            raise

    def begin(self, target, context):
        self.sock.settimeout(ANSWER_S)
        try:
            # The descriptor is TLS's from here on; TCP_INFO and the reset need the plain socket.
            self.tls = context.wrap_socket(self.sock.dup(), server_hostname=target.host)
            self.tls.sendall(request(target))
            self.tls.setblocking(False)
            self.write_fd, self.read_fds = self.sock.fileno(), []
            self.check_answer()
        except ssl.CertificateError as error:
            raise certificate_problem(error) from None
        except ssl.SSLError as error:
            if error.reason == "CERTIFICATE_VERIFY_FAILED":    # before Python 3.7
                raise certificate_problem(error) from None
            raise Problem(FAILED, "the far end speaks no TLS that fits: %s" % shown(error.reason or error), "is this the port of its HTTPS?", "strange") \
                from None
        except OSError as error:
            raise tcp.lost_problem(error) from None

    def write(self, _view):
        """The chunks carry their own lengths, so they are not what the caller offers, only as much of it."""
        self.check_answer()
        try:
            sent = self.tls.send(memoryview(CHUNK)[self.position:])
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            raise BlockingIOError from None
        except ssl.SSLError as error:
            raise OSError(error.reason or "TLS") from None
        self.position = (self.position + sent) % len(CHUNK)
        return sent

    def check_answer(self):
        """An early answer that is no error means that it goes on reading; so does nothing."""
        try:
            part = self.tls.recv(4096)
            if not part:
                raise Problem(FAILED, "the far end has closed the connection", "let it take longer uploads", "closed")
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except ssl.SSLError as error:
            raise OSError(error.reason or "TLS") from None
        self.answer = (self.answer + part)[:4096]
        match = STATUS.match(self.answer)
        if not match and len(self.answer) < 12:
            return
        status = int(match.group(1)) if match else 0
        if status >= 300 or not match:
            raise Problem(FAILED, "the far end refuses the upload: status %d" % status if match else "the far end does not speak HTTP",
                          ADVICE.get(status, "name an address that takes uploads, as of a server of yours"), "refused")

    def finish(self):
        """There is no end of the upload."""

    def close(self):
        tcp.linger_nothing(self.sock)
        if self.tls:
            self.tls.close()
        self.sock.close()


def certificate_problem(error):
    return Problem(FAILED, "the certificate of the far end is not valid: %s" % shown(getattr(error, "verify_message", error)),
                   "name it as its certificate does; SSL_CERT_FILE=FILE trusts another authority", "certificate")


def request(target):
    host = "[%s]" % target.host if ":" in target.host else target.host
    if target.port != 443:
        host += ":%d" % target.port
    return ("POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: ndmctl-bench\r\nContent-Type: application/octet-stream\r\n"
            "Transfer-Encoding: chunked\r\n\r\n" % (target.path, host)).encode()


class FarEnd:
    """https://host[:port]/path"""

    warning = None

    def __init__(self, target, address):
        self.target, self.address = target, address
        self.context = ssl.create_default_context()
        self.context.set_alpn_protocols(["http/1.1"])

    def open(self, algorithm, _seconds):
        return Channel(self.address, self.target, algorithm, self.context)

    def close(self):
        pass
