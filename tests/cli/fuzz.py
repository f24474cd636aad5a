#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""fuzz.py NDMCTL ROOT SECONDS [SEED]: random command lines and names for the copy of ndmctl that belongs to the made-up system ROOT.
Where ROOT/mutant is, its programs are links to mutate.py: then command lines are ordinary, and what others say and write is random.

Whatever they are, ndmctl must end with a code of its manual; say cause and cure when it fails; print nothing but printable ASCII;
print JSON with --json; show no error of bash; run nothing that a name says; and leave the system as it was when it fails.
fuzz.bats runs it for seconds, `make fuzz-cli SECONDS=3600` for an hour."""
import json
import os
import random
import re
import subprocess
import sys
import time

from mutate import BYTES, mutated

ORDINARY = b"ndm ndm_v1 ndm_v4 cubic bbr reno nosuch default yes no KEEP_NOISE VARIANT DEFAULT 700 v4 v9 web web.service sock batch.slice all blue 90 1 main 7 " \
           b"/batch.slice batch.slice / 192.0.2.0/24 10.0.2.5/24 2001:db8::/32 ::/0 KEEP_NOISE=700 always never - true sh".split()
BASH_ERROR = re.compile(rb"line \d+:|unbound variable|syntax error|bad substitution|bad array subscript|command not found|value too great|invalid arithmetic"
                        rb"|awk:|sed:|integer expression|ambiguous redirect|cannot overwrite|numeric argument")
# These keep what they have done before they failed, and say so.
KEEPS = {b"load", b"unload", b"service"}
# An answer of ip may have 300 routes, and `service remove` asks again for each; a mutant takes 0.1 s, beside other work twice that.
ENDS_WITHIN_S = 300


def hostile(rng):
    return b"".join(rng.choice(BYTES + ORDINARY) for _ in range(rng.randint(1, 4)))


def word(rng, kind, root):
    if rng.random() < 0.35:
        return hostile(rng)
    return rng.choice(ORDINARY)


def command_line(rng, commands, options, root):
    name, arguments = rng.choice(commands)
    line = name.split()
    for kind in re.findall(rb"[A-Z]+|\.\.\.", arguments):
        if kind == b"..." or rng.random() < 0.9:
            line.append(word(rng, kind, root))
    if rng.random() < 0.15:
        line.insert(rng.randint(0, len(line)), hostile(rng))
    for option, argument in rng.sample(options, rng.choice([0, 0, 1, 1, 2, 3])):
        line.insert(rng.choice([0, len(line)]), option)
        if argument != b"-" and rng.random() < 0.9:
            at = line.index(option)
            if rng.random() < 0.5:
                line[at] = option + b"=" + word(rng, argument, root)
            else:
                line.insert(at + 1, word(rng, argument, root))
    return [w.replace(b"\0", b"")[:4000] for w in line]


def state(root):
    """What a command that failed must have left alone."""
    found = {}
    for top in (b"etc", b"proc/sys", b"sys/module", b"run", b"netns"):
        for path, dirs, files in os.walk(os.path.join(root, top)):
            for name in files:
                file = os.path.join(path, name)
                if name in (b"lock", b"commands.log") or os.path.islink(file):
                    continue
                with open(file, "rb") as stream:
                    found[file] = stream.read()
    return found


def plant_name(rng, root):
    """Somebody's cgroup, network namespace, process, or file in conf.d."""
    name = hostile(rng).replace(b"/", b"_").replace(b"\0", b"")[:200]
    if name in (b"", b".", b".."):
        return
    kind = rng.randrange(4)
    try:
        if kind == 0 and b"\n" not in name:
            os.makedirs(root + b"/sys/fs/cgroup/batch.slice/" + name, exist_ok=True)
            open(root + b"/sys/fs/cgroup/batch.slice/" + name + b"/cgroup.procs", "wb").close()
        elif kind == 1:
            os.makedirs(root + b"/run/netns", exist_ok=True)
            os.symlink(root + b"/netns/web", root + b"/run/netns/" + name)
        elif kind == 2:
            with open(root + b"/proc/90/comm", "wb") as stream:
                stream.write(name[:15] + b"\n")
        else:
            with open(root + b"/etc/ndm-tcp/conf.d/10-" + name + b".conf", "wb") as stream:
                stream.write(rng.choice([b"", b"# " + name + b"\n", b"KEEP_NOISE=600\n"]))
    except OSError:
        pass


# What root may well type on that system.
ORDINARY_LINES = [line.split() for line in b"""status|status --short|status --check|doctor|sockets|sockets --cc cubic|sockets --netns blue|status --counters|metrics|advise
cgroup list|cgroup show /batch.slice|cgroup show --pid 90|cgroup set /batch.slice ndm|cgroup set /batch.slice cubic|cgroup set /batch.slice ndm --persist
cgroup clear /batch.slice|unit list|unit set web ndm_v4|unit set web ndm --runtime|unit set sock ndm|unit set batch.slice cubic|unit clear web|unit clear sock|unit clear batch.slice
status --netns all|status --netns blue|set-default ndm|set-default ndm --runtime|set-default ndm --netns blue|set-default cubic --netns /proc/90/ns/net|set-default --revert
route list|route set 192.0.2.0/24 ndm|route set ::/0 ndm|route clear 192.0.2.0/24|route clear ::/0|load|unload|config get|config get DEFAULT
config validate|config get --diff|config set KEEP_NOISE 700|config set DEFAULT ndm|config unset DEFAULT|config set METRICS yes|config set METRICS no|--version
service start|service stop|service units|service attach web.service|service upgrade|service remove""".replace(b"\n", b"|").split(b"|")]

# What other programs, users and administrators write, and ndmctl reads.
FILES = [b"/etc/ndm-tcp/ndm-tcp.conf", b"/proc/net/tcp_ndm", b"/proc/modules", b"/proc/self/mountinfo", b"/proc/self/cgroup", b"/proc/90/comm",
         b"/proc/812/comm", b"/proc/sys/net/ipv4/tcp_available_congestion_control"]


def ordinary_line(rng):
    return rng.choice(ORDINARY_LINES) + rng.choice([[], [], [b"--json"], [b"--plain"], [b"--dry-run"]])


class Answers:
    """Changes at random what ndmctl reads; each file from what it was at first."""

    def __init__(self, root):
        self.root = root
        self.genuine = {}
        for file in FILES:
            try:
                with open(root + file, "rb") as stream:
                    self.genuine[file] = stream.read()
            except FileNotFoundError:
                pass

    def change(self, rng):
        with open(self.root + b"/mutant/seed", "wb") as stream:
            stream.write(b"%d" % rng.randrange(1 << 60))
        for file, text in self.genuine.items():
            if not os.path.exists(self.root + file):
                continue
            with open(self.root + file, "wb") as stream:
                stream.write(mutated(rng, text) if rng.random() < 0.1 else text)


def wants_json(line, valued):
    """--json is an option there, no argument: not behind --, and not the value of another option."""
    at = 0
    while at < len(line) and line[at] != b"--":
        if line[at] == b"--json":
            return True
        at += 2 if line[at] in valued else 1
    return False


def complaints(line, result, before, after, valued=frozenset()):
    """valued: the options that take a value."""
    code, out, err = result.returncode, result.stdout, result.stderr
    if code not in (0, 1, 2, 3, 4, 5, 6):
        yield f"exit code {code}"
    if re.search(rb"[^ -~\n\t]", out + err) or b"\t" in err:
        yield "raw bytes"
    if BASH_ERROR.search(err):
        yield "an error of bash"
    quiet_failure = any(w in line for w in (b"doctor", b"--check"))
    if code and not quiet_failure and not (b"ndmctl: " in err and b"hint: " in err):
        yield "no cause and cure"
    if wants_json(line, valued) and code == 0 and out:
        try:
            json.loads(out)
        except ValueError:
            yield "no JSON"
    if code and before != after and not KEEPS & set(line):
        yield "a change that was not taken back: " + ", ".join(os.fsdecode(f) for f in set(before) ^ set(after) or [f for f in before if before[f] != after[f]])


def main():
    ndmctl, root = os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2])
    seconds = float(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    rng = random.Random(seed)
    table = [line.split(b"\t") for line in subprocess.run([ndmctl, "help", "--plain"], stdout=subprocess.PIPE, check=True).stdout.splitlines()]
    commands = [(row[1], row[3] if row[3] != b"-" else b"") for row in table if row[0] == b"command"]
    options = sorted({(row[2], row[3]) for row in table if row[0] == b"option"} - {(b"--report", b"FILE"), (b"--output", b"FILE")})
    valued = {option for option, argument in options if argument != b"-"}
    scratch = root + b"/scratch"
    os.makedirs(scratch, exist_ok=True)
    env = dict(os.environ, NDMCTL_LOCK_WAIT="5")
    answers = Answers(root) if os.path.exists(root + b"/mutant") else None
    end, runs, failed = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end and failed < 10:
        if answers:
            answers.change(rng)
        if rng.random() < 0.2:
            plant_name(rng, root)
        line = ordinary_line(rng) if answers else command_line(rng, commands, options, root)
        before = state(root)
        try:
            program = [os.path.join(os.path.dirname(ndmctl), b"service")] + line[1:] if line[:1] == [b"service"] else [ndmctl] + line
            result = subprocess.run(program, cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            print(f"seed {seed}, run {runs}: {line}\n  did not end")
            failed += 1
            continue
        runs += 1
        for complaint in complaints(line, result, before, state(root), valued):
            print(f"seed {seed}, run {runs}: {line}\n  {complaint}\n  {result.returncode} {result.stdout[-300:]!r} {result.stderr[-600:]!r}")
            failed += 1
        if os.listdir(scratch):
            print(f"seed {seed}, run {runs}: {line}\n  made {os.listdir(scratch)}")
            failed += 1
            break
    print(f"{runs} command lines, seed {seed}, {failed} complaints")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
