#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""power.py: what a power cut would leave on the disk of a guest, at each of the writes that the guest made.

QEMU's driver blklogwrites logs every write of the guest to a file, in the format of the kernel's dm-log-writes
(Documentation/admin-guide/device-mapper/log-writes.rst). A cut after N writes is the disk of before with the first N of them; the
kernel's cache is lost, as it never came to the disk.

    power.py count LOG                    how many writes there are
    power.py image LOG DISK FROM TO       applies the writes from FROM (counted from 0) to before TO to DISK
    power.py judge LOG DISK CHANGES DIR   applies them to DISK one by one and looks at each place: CHANGES has lines
                                          "NAME FROM TO BEFORE AFTER", the last two files with what show-state prints of the
                                          guest; prints a line for each, fails when a place has neither"""
import os
import shutil
import struct
import subprocess
import sys

SECTOR = 512
HEADER = struct.Struct("<4Q")    # sector, sectors, flags, length of what only marks have
DISCARD, MARK = 4, 8    # flags of an entry that has no data of its own
MOST_PLACES = 80    # of one change: each place takes half a second


def entries(log):
    """(place of the data in the log, sector, sectors, flags) of each write, in order."""
    at = SECTOR    # behind the superblock
    size = os.fstat(log.fileno()).st_size
    while at + SECTOR <= size:
        log.seek(at)
        sector, sectors, flags, _ = HEADER.unpack(log.read(HEADER.size))
        if not sectors and not flags:
            return
        at += SECTOR
        yield at, sector, sectors, flags
        if not flags & (DISCARD | MARK):
            at += sectors * SECTOR


def apply(log, disk, entry):
    at, sector, sectors, flags = entry
    if flags & (DISCARD | MARK) or not sectors:
        return
    log.seek(at)
    disk.seek(sector * SECTOR)
    disk.write(log.read(sectors * SECTOR))


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def read_state(image, work):
    """The state as the guest would find it after its boot: with the journal of the file system replayed, which is taken back then."""
    undo, tree = os.path.join(work, "undo"), os.path.join(work, "tree")
    for path in (undo, tree):
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.remove(path)
    os.mkdir(tree)
    done = run("e2fsck", "-E", "journal_only", "-p", "-z", undo, image)
    if done.returncode > 1:
        raise SystemExit(f"e2fsck: {done.stdout.decode(errors='replace')}")
    try:
        for folder in ("ndm-tcp", "systemd"):
            run("debugfs", "-R", f"rdump /etc/{folder} {tree}", image)
        return run(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../guest/show-state"), tree).stdout
    finally:
        if os.path.exists(undo) and run("e2undo", undo, image).returncode:
            raise SystemExit("e2undo failed")


def compare(state, old, new, ended):
    """mixed: each file is one of both, as where a change has several; when the command has ended, its change lasts."""
    if state == new:
        return "after"
    if ended:
        return "neither"
    if state == old:
        return "before"
    lasting = names(old) & names(new)
    return "mixed" if old & new <= state <= old | new and lasting <= names(state) else "neither"


def names(state):
    return {line.split(None, 1)[1] for line in state}


def judge(log_name, image, changes, work):
    wrong = 0
    with open(log_name, "rb") as log, open(image, "r+b", buffering=0) as disk:
        every = list(entries(log))
        applied = 0
        for line in open(changes, encoding="utf-8"):
            name, first, last, before, after = line.split()
            first, last = int(first), int(last)
            old, new = (set(open(file, "rb").read().splitlines()) for file in (before, after))
            step = max(1, (last - first) // MOST_PLACES)
            found = {"before": 0, "after": 0, "mixed": 0, "neither": 0}
            for place in list(range(first, last, step)) + [last]:
                while applied < place:
                    apply(log, disk, every[applied])
                    applied += 1
                state = read_state(image, work)
                what = compare(set(state.splitlines()), old, new, place == last)
                found[what] += 1
                if what == "neither" and found[what] == 1:
                    print(f"after write {place - first} of {last - first} of {name}:\n{state.decode(errors='replace')}")
            print(f"{name}: {sum(found.values())} places of {last - first + 1}, " + ", ".join(f"{what} {count}" for what, count in found.items()))
            wrong += found["neither"]
    return 1 if wrong else 0


def main():
    command, log_name = sys.argv[1:3]
    if command == "judge":
        return judge(log_name, *sys.argv[3:])
    with open(log_name, "rb") as log:
        every = list(entries(log))
        if command == "count":
            print(len(every))
        else:
            with open(sys.argv[3], "r+b", buffering=0) as disk:
                for entry in every[int(sys.argv[4]):int(sys.argv[5])]:
                    apply(log, disk, entry)
    return 0


if __name__ == "__main__":
    sys.exit(main())
