# SPDX-License-Identifier: GPL-2.0
"""Recorded links: where each comes from, and the file that link/lab_link.c plays.

Those of the Mahimahi project are fetched from Debian's archive, Starlink's lies in ../links.
"""
import hashlib
import itertools
import lzma
import pathlib
import shutil
import subprocess
from dataclasses import dataclass
from typing import Callable

from .machine import BUILD, TOP, LabError, new_part, say

FOLDER = BUILD / "links"
STARLINK = TOP / "tests/lab/links/starlink.xz"
PACKAGE, SUITE = "mahimahi-traces", "bullseye"  # no later suite has it
TRACES = "usr/share/mahimahi/traces"
MOST_MS = 200_000  # of a recording


@dataclass(frozen=True)
class Link:
    """A recording.

    about:  for people
    mean:   Mbit/s on the way to the receiver
    digest: of the file for the guest, 12 digits; another file is refused
    source: makes the file's bytes
    """
    about: str
    mean: float
    digest: str
    source: Callable


def packed(forward, back=(), delay=()):
    """The file that link/lab_link.c reads: packets for each ms of both ways, ms of delay for each 10 ms."""
    return f"forward {len(forward)} back {len(back)} delay {len(delay)}\n".encode() + bytes(forward) + bytes(back) + bytes(delay)


def counts_of(text):
    """Mahimahi's form: a line for each packet of 1500 bytes, the ms at which it could leave."""
    times = [int(line) for line in text.split()]
    counts = [0] * min(max(times) + 1, MOST_MS)
    for time in times:
        if time < len(counts):
            counts[time] += 1
    return counts


def fetch_package():
    """The folder with Mahimahi's recordings, fetched once."""
    folder = FOLDER / PACKAGE
    if folder.exists():
        return folder
    say(f"fetching {PACKAGE} of suite {SUITE}")
    part = new_part()
    for name in ("lists/partial", "cache/archives/partial"):
        (part / name).mkdir(parents=True)
    (part / "sources").write_bytes(subprocess.run([TOP / ".ci/mirror", "sources", SUITE], capture_output=True, check=True).stdout)
    # An archive of its own, so that this machine's lists stay as they are.
    apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "-o", f"Dir::Etc::SourceList={part}/sources", "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", f"Dir::State::Lists={part}/lists", "-o", f"Dir::Cache={part}/cache", "-o", "Acquire::Check-Valid-Until=false", "-o", "Acquire::Languages=none"]
    for words in (["update"], ["download", PACKAGE]):
        done = subprocess.run([*apt, *words], cwd=part, capture_output=True, text=True)
        if done.returncode:
            raise LabError(f"apt-get {' '.join(words)} failed for suite {SUITE}; that of Starlink needs no download:\n{done.stderr}")
    [package] = part.glob("*.deb")
    subprocess.run(["dpkg", "-x", package, part / "root"], check=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (part / "root" / TRACES).rename(folder)
    shutil.rmtree(part)
    return folder


def mahimahi(name):
    """Downlink on the way to the receiver, uplink on the way back."""
    def read():
        folder = fetch_package()
        return packed(*(counts_of((folder / f"{name}.{way}").read_text()) for way in ("down", "up")))
    return read


def starlink():
    return lzma.decompress(STARLINK.read_bytes())


def starlink_uplink():
    """That recording with a quarter of its capacity, both ways: what its recorders measured on the way up."""
    head, body = starlink().split(b"\n", 1)
    words = head.split()
    lengths = [int(word) for word in words[1::2]]
    forward, back, delay = (body[sum(lengths[:at]):sum(lengths[:at + 1])] for at in range(3))
    return packed(quarter(forward), quarter(back), delay)


def quarter(counts):
    """A quarter of these packets, as evenly as whole packets can be."""
    sums = [0, *itertools.accumulate(counts)]
    return [after // 4 - before // 4 for before, after in itertools.pairwise(sums)]


LINKS = {
    "lte-att": Link("LTE in a moving car, 4.6 Mbit/s in the mean (Mahimahi, AT&T 2016)", 4.56, "61145a046804", mahimahi("ATT-LTE-driving-2016")),
    "lte-tmobile": Link("LTE in a moving car, 14 Mbit/s (Mahimahi, T-Mobile, the first 200 s)", 14.31, "262df4096e89", mahimahi("TMobile-LTE-driving")),
    "lte-verizon": Link("LTE, 5.0 Mbit/s (Mahimahi, Verizon, short)", 5.03, "ab5977c9964d", mahimahi("Verizon-LTE-short")),
    "umts-tmobile": Link("UMTS in a moving car, 1.3 Mbit/s, silent for up to 6 s (Mahimahi, T-Mobile, the first 200 s)", 1.31, "9feea341d506", mahimahi("TMobile-UMTS-driving")),
    "evdo-verizon": Link("EV-DO in a moving car, 0.6 Mbit/s, silent for up to 6 s (Mahimahi, Verizon, the first 200 s)", 0.59, "22208c9e7f3c", mahimahi("Verizon-EVDO-driving")),
    "starlink": Link("Starlink, 49 Mbit/s, 7 to 68 ms of delay each way (LeoReplayer)", 48.7, "ef9a6a4e1924", starlink),
    "starlink-uplink": Link("Starlink, 12 Mbit/s, the way up (a quarter of that capacity)", 12.2, "478c398284eb", starlink_uplink),
}


def digest_of(data):
    return hashlib.sha256(data).hexdigest()[:12]


def file_of(name):
    """The file for the guest."""
    link = LINKS[name]
    path = FOLDER / f"{name}-{link.digest}"
    if not path.exists():
        data = link.source()
        if digest_of(data) != link.digest:
            raise LabError(f"link {name} has digest {digest_of(data)}, not {link.digest}: its source has changed, and what was published is of the other. "
                           "Look at it; then give the new one in ndmlab/links.py")
        FOLDER.mkdir(parents=True, exist_ok=True)
        part = pathlib.Path(f"{path}.part")
        part.write_bytes(data)
        part.rename(path)
    return path
