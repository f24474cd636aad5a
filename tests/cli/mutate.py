#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""mutate.py: text that ndmctl reads of others, changed at random. As a program by the name of a tool, it runs that tool of the made-up
system (ROOT/fixture/NAME; it is ROOT/mutant/NAME) and passes its answer on, changed in one of three calls. ROOT/mutant/seed, with the
name and the arguments, decides how, so that a seed repeats a run."""
import os
import random
import subprocess
import sys

BYTES = [b"\x1b[35m", b"\x9b", b"\n", b"\r", b"\t", b"\x07", b"\x01", b"\xff\xfe", b"\xc3\xa9", b"'", b'"', b"\\", b"$(touch CANARY)",
         b"`touch CANARY`", b";touch CANARY;", b"$x", b"${x:=y}", b"a[$(touch CANARY)]", b"*", b"?", b"[", b"]", b"{a,b}", b"~", b"%s%n", b" ",
         b"/", b"//", b"..", b".", b":", b"=", b",", b"-", b"--", b"0", b"08", b"-1", b"999999999999999999999", b"16#ff", b"x" * 300, b"\\n", b"\\e[1m", b"!"]


def mutated(rng, text):
    """One to three changes of lines, words or bytes."""
    for _ in range(rng.randint(1, 3)):
        lines = text.splitlines(keepends=True) or [b""]
        at = rng.randrange(len(lines))
        kind = rng.randrange(9)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        elif kind == 2:
            lines[at] = lines[at][:rng.randint(0, len(lines[at]))]
        elif kind == 3:
            lines[at:] = [lines[at][:rng.randint(0, len(lines[at]))]]
        elif kind == 4:
            lines[at] = lines[at] * rng.choice([2, 300])
        elif kind in (5, 6):
            words = lines[at].split(b" ")
            words[rng.randrange(len(words))] = rng.choice(BYTES + words)
            lines[at] = b" ".join(words)
        else:
            cut = rng.randint(0, len(lines[at]))
            lines[at] = lines[at][:cut] + rng.choice(BYTES) + lines[at][cut + rng.randint(0, 2):]
        text = b"".join(lines)
    return text


def main():
    here, name = os.path.split(os.fsencode(os.path.abspath(sys.argv[0])))
    with open(here + b"/seed", "rb") as stream:
        said = b"\0".join([name] + [os.fsencode(word) for word in sys.argv[1:]]).replace(here[:-len(b"/mutant")], b"")
        rng = random.Random(stream.read() + said)
    done = subprocess.run([here + b"/../fixture/" + name] + sys.argv[1:], stdout=subprocess.PIPE, check=False)
    out, code = done.stdout, done.returncode
    if rng.random() < 1 / 3:
        out = mutated(rng, out)
        if rng.random() < 0.1:
            code = rng.choice([0, 1, 2, 127])
    sys.stdout.buffer.write(out)
    return code


if __name__ == "__main__":
    sys.exit(main())
