# SPDX-License-Identifier: GPL-2.0
"""The target: what the user has named, and nothing else. Its name and address stay out of results unless the user wants them there."""
import hashlib
import hmac
import re
import secrets
import socket

from words import FAILED, USAGE, Problem, shown

FORM = re.compile(r"(iperf3|ssh|https)://(?:([A-Za-z0-9_][A-Za-z0-9_.@\\-]*)@)?(\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9_.-]+)?\]|[A-Za-z0-9_][A-Za-z0-9_.-]*)"
                  r"(?::([0-9]{1,5}))?(/[!-~]*)?")
PORTS = {"iperf3": 5201, "https": 443, "ssh": None}
HINT = "iperf3://HOST[:PORT], ssh://[USER@]HOST[:PORT] or https://HOST[:PORT]/PATH"


class Target:
    def __init__(self, text):
        match = FORM.fullmatch(text)
        if not match or len(text) > 2000:
            raise Problem(USAGE, "'%s' is no target" % shown(text, 60), HINT)
        self.kind, self.user, host, port, path = match.groups()
        self.host = host.strip("[]")
        self.port = int(port) if port else PORTS[self.kind]
        self.path = path or "/"
        if port and not 1 <= self.port <= 65535:
            raise Problem(USAGE, "there is no port %s" % port, HINT)
        if self.user and self.kind != "ssh":
            raise Problem(USAGE, "%s:// takes no user" % self.kind, HINT)
        if path not in (None, "/") and self.kind != "https":
            raise Problem(USAGE, "%s:// takes no path" % self.kind, HINT)
        self.text = text

    def public_name(self, with_address):
        return {"kind": self.kind, "address": self.text if with_address else None, "path_id": path_id(self.text)}


def resolve(host, port):
    """The first address, once: so that all flows go the same way. As (family, sockaddr)."""
    try:
        family, _, _, _, sockaddr = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no host name"
        raise Problem(FAILED, "the name %s has no address: %s" % (shown(host), reason), "getent ahosts NAME", "name") from None
    return family, sockaddr


def path_id(text):
    """The same for the same target on this machine, so that results can be joined; nobody else can guess it, since the key stays here:
    addresses are too few for a hash alone to hide them."""
    try:
        with open("/etc/machine-id", "rb") as file:
            key = file.read(100).strip()
    except OSError:
        key = b""
    return hmac.new(key or secrets.token_bytes(16), b"ndmctl bench " + text.encode(), hashlib.sha256).hexdigest()[:16]
