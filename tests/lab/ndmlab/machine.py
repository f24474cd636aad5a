# SPDX-License-Identifier: GPL-2.0
"""A stock Debian kernel in QEMU in virtual time: one instruction is one nanosecond, idle time is skipped.

Booting costs seconds, so a machine is booted once, stopped by the guest itself at one exact instruction and saved; each cell
resumes that copy. A cell's result is a function of its text, the module and the saved machine, whatever the host does beside it.
"""
import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[3]
GUEST = TOP / "tests/lab/guest"
BUILD = pathlib.Path(os.environ.get("NDM_LAB_BUILD", TOP / "build/lab"))  # elsewhere in a test only
PVPANIC_PORT = "0x505"
WALL_LIMIT = 1800  # seconds of the host for one cell; the longest takes some minutes

# Loaded before the machine is saved. The module under test comes with each cell, so that editing it leaves the peers' cells valid.
MODULES = """sch_netem sch_htb sch_tbf sch_fq sch_fq_codel sch_codel sch_pie sch_cake sch_ingress cls_u32 cls_matchall
act_police act_mirred veth dummy ifb tun tcp_bbr tcp_westwood tcp_veno tcp_cdg tcp_illinois""".split()
PROGRAMS = ["/sbin/ip", "/sbin/tc"]

QEMU = ["qemu-system-x86_64", "-accel", "tcg", "-rtc", "base=2026-01-01T00:00:00,clock=vm",
        "-cpu", "qemu64,-rdrand,-rdseed", "-seed", "1", "-smp", "1", "-m", "256", "-nodefaults", "-no-user-config",
        "-display", "none", "-no-reboot", "-device", f"pvpanic,ioport={PVPANIC_PORT}", "-action", "panic=pause"]
CLOCK = "shift=0,sleep=off"
# While it records, QEMU's two threads take turns. Without that, its main loop now and then looks in the moment after the guest went
# idle and before the guest's last instructions are counted; moving the clock on to the next timer it then counts them twice, and
# the guest is some hundred nanoseconds late from there on: one run in five of the busy ones. Nobody needs the record itself.
TAKING_TURNS = "rr=record,rrfile=/dev/null"
COMMAND_LINE = ("console=ttyS0 random.trust_cpu=off random.trust_bootloader=off nokaslr mitigations=off panic=-1 quiet "
                "ipv6.autoconf=0 iomem=relaxed")  # the last for guest/stop.c


class LabError(Exception):
    """Something of the lab itself went wrong; the text says what and where to look."""


def need(*packages):
    """Install those Debian packages of the host that are missing."""
    subprocess.run([TOP / "tests/need", *packages], check=True)


def digest(*parts):
    """Twelve hexadecimal digits that change with any of the parts (bytes or text)."""
    total = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:12]


def digest_files(paths):
    return digest(*(item for path in sorted(paths) for item in (path.name, path.read_bytes())))


def without_comments(text):
    """C without comments and ends of lines: what says nothing to the compiler moves no figure."""
    kept = re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda match: match[1] or " ", text, flags=re.DOTALL)
    return " ".join(kept.split())


def digest_module():
    """Changes with the code of the module under test, not with what is said about it."""
    sources = sorted(path for path in (TOP / "src/module").iterdir() if path.suffix in (".c", ".h"))
    return digest((TOP / "src/module/Kbuild").read_bytes(), *(item for path in sources for item in (path.name, without_comments(path.read_text()))))


class Kernel:
    """A stock kernel of Debian, fetched but not installed, and the module built for it."""

    def __init__(self):
        need("linux-headers-amd64", "make", "gcc", "libc6-dev", "binutils", "kmod")
        headers = sorted(pathlib.Path("/usr/src").glob("linux-headers-*-amd64"),
                         key=lambda path: [int(part) if part.isdigit() else part for part in path.name.replace("+", "-").replace(".", "-").split("-")])
        self.headers = headers[-1]
        self.release = self.headers.name.removeprefix("linux-headers-")
        self.folder = BUILD / f"kernel-{self.release}"
        self.source = digest_module()
        self.building = threading.Lock()
        if not (self.folder / "vmlinuz").exists():
            self._fetch()

    def _fetch(self):
        print(f"  fetching kernel {self.release}", file=sys.stderr, flush=True)
        BUILD.mkdir(parents=True, exist_ok=True)
        part = pathlib.Path(tempfile.mkdtemp(prefix="part-", dir=BUILD))
        subprocess.run(["apt-get", "download", "-qq", f"linux-image-{self.release}"], cwd=part, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        [package] = part.glob("*.deb")
        subprocess.run(["dpkg", "-x", package, part], check=True)
        package.unlink()
        (part / f"boot/vmlinuz-{self.release}").rename(part / "vmlinuz")
        shutil.rmtree(self.folder, ignore_errors=True)
        part.rename(self.folder)

    def module(self, without=""):
        """The module for this kernel, with all its mechanisms or without one; built once for each state of its source."""
        built = self.folder / f"tcp_ndm-{self.source}{without and f'-without-{without}'}.ko"
        with self.building:
            self._build_module(built, [f"NDM_V5_WITHOUT={without}"] if without else [])
        return built

    def _build_module(self, built, arguments):
        if not built.exists():
            if digest_module() != self.source:  # its results would go under the name of another
                raise LabError("src/module changed since this run began: run it again")
            output = f"build/lab/module-{os.getpid()}"
            done = subprocess.run([TOP / "tests/module/build", self.headers, output, *arguments], capture_output=True, text=True)
            if done.returncode:
                raise LabError(f"the module does not build:\n{done.stdout}{done.stderr}")
            # Without debugging symbols: the guest reads it byte by byte, and each byte is an instruction.
            subprocess.run(["strip", "-g", "-o", built.with_suffix(".part"), TOP / output / "tcp_ndm.ko"], check=True)
            built.with_suffix(".part").rename(built)
            shutil.rmtree(TOP / output)


def libraries_of(program):
    """Paths of the shared libraries that a program needs, its loader included."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [word for word in text.split() if word.startswith("/")]


def distributions():
    """The tables of netem's `distribution`."""
    return sorted(pathlib.Path("/usr/lib").glob("*/tc/*.dist"))


class Machine:
    """A saved machine that cells are resumed from."""

    def __init__(self):
        need("qemu-system-x86", "busybox-static", "iproute2", "cpio", "gcc", "libc6-dev")
        self.kernel = Kernel()
        tools = [subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout for tool in (QEMU[0], "gcc")]
        key = digest(digest_files(GUEST.iterdir()), digest_files(distributions()), " ".join(QEMU + MODULES), CLOCK, TAKING_TURNS, COMMAND_LINE, *tools,
                     *(pathlib.Path(program).resolve().read_bytes() for program in ("/bin/busybox", *PROGRAMS)))
        self.key = f"{self.kernel.release}-{key}"
        self.folder = BUILD / f"machine-{self.key}"
        if not (self.folder / "state").exists():
            self._save()

    def _save(self):
        print(f"  booting and saving a machine with kernel {self.kernel.release}", file=sys.stderr, flush=True)
        part = pathlib.Path(tempfile.mkdtemp(prefix="part-", dir=BUILD))
        self._make_initrd(part)
        (part / "empty").write_bytes(b"\n")
        self._boot_and_save(part)
        shutil.rmtree(self.folder, ignore_errors=True)
        part.rename(self.folder)
        try:
            self.run("true\n")
        except LabError:
            shutil.rmtree(self.folder)
            raise

    def _boot_and_save(self, part):
        # Not taking turns, for a migration and a record exclude each other; guest/stop.c makes up for it.
        with self._qemu(part, part, *[part / "empty"] * 3, "-icount", CLOCK) as monitor:
            # QEMU is not asked again and again: it would wake its main loop.
            monitor.wait_for("the guest to boot", lambda: "snapshot-ready" in (part / "console").read_text(errors="replace"))
            monitor.wait_for("the guest to stop", lambda: "guest-panicked" in monitor.ask("info status"))
            timers = monitor.ask("info lapic")
            if "initial_count = 0 " not in timers:
                raise LabError(f"the CPU's timer runs, so the machine was not stopped at an exact time (see guest/stop.c):\n{timers}")
            monitor.ask("migrate_set_parameter max-bandwidth 10G")
            monitor.ask(f'migrate "exec:cat > {part}/state"')
            if "completed" not in (status := monitor.ask("info migrate")):
                raise LabError(f"the machine could not be saved:\n{status}")
            monitor.tell("quit")

    def _make_initrd(self, part):
        root = part / "root"
        for name in ("bin", "dev", "proc", "sys", "usr/bin", "usr/sbin", "sbin"):
            (root / name).mkdir(parents=True)
        shutil.copy("/bin/busybox", root / "bin/busybox")
        shutil.copy(GUEST / "init", root / "init")
        for script in GUEST.glob("*.sh"):
            shutil.copy(script, root)
        os.chmod(root / "init", 0o755)
        for source in GUEST.glob("*.c"):
            subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", f"-DPVPANIC_PORT={PVPANIC_PORT}", source, "-o", root / "usr/bin" / source.stem, "-lm"], check=True)
        for program in PROGRAMS:
            shutil.copy(program, root / program[1:])
        for library in {lib for program in (*PROGRAMS, root / "usr/bin/traffic") for lib in libraries_of(program)}:
            (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library[1:])
        for table in distributions():
            (root / table.parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
            shutil.copy(table, root / table.relative_to("/"))
        self._copy_modules(root)
        # A fixed order and fixed times, so that the guest is the same to the byte.
        subprocess.run("find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | cpio -o -H newc --reproducible --quiet > ../initrd",
                       shell=True, cwd=root, check=True)
        shutil.rmtree(root)

    def _copy_modules(self, root):
        """The modules, what they depend on, and the index that modprobe reads."""
        release = self.kernel.release
        source = self.kernel.folder / "lib/modules" / release
        target = root / "lib/modules" / release
        target.mkdir(parents=True)
        shutil.copy(source / "modules.builtin", target)
        shutil.copy(source / "modules.order", target)
        subprocess.run(["depmod", "-b", self.kernel.folder, release], check=True)
        depends = dict(line.split(":", 1) for line in (source / "modules.dep").read_text().splitlines())
        by_name = {pathlib.Path(path).name.split(".ko")[0].replace("-", "_"): path for path in depends}
        builtin = {pathlib.Path(path).stem.replace("-", "_") for path in (source / "modules.builtin").read_text().split()}
        modules = [name for name in MODULES if name not in builtin]
        for name in (*modules, "qemu_fw_cfg"):
            for path in (by_name[name], *depends[by_name[name]].split()):
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / path, target / path)
        shutil.copy(source / "modules.builtin.modinfo", target)
        subprocess.run(["depmod", "-b", root, release], check=True)
        (root / "modules").write_text("\n".join(modules) + "\n")

    def run(self, cell, extra=None, without=""):
        """Run the shell text `cell` (see guest/lab.sh) on a copy of the machine; returns what it printed.

        extra: a file that the cell may have with `use_extra`
        without: a mechanism (enum ndm_v5_part) that the module under test is built without
        """
        with tempfile.TemporaryDirectory(prefix="cell-", dir=BUILD) as name:
            work = pathlib.Path(name)
            (work / "cell").write_text(cell)
            with self._qemu(self.folder, work, work / "cell", self.kernel.module(without), extra or self.folder / "empty",
                            "-icount", f"{CLOCK},{TAKING_TURNS}", "-incoming", f"exec:cat {self.folder}/state") as monitor:
                monitor.wait_for("the saved machine", lambda: "inmigrate" not in monitor.ask("info status"))
                monitor.tell("cont")
                monitor.await_end()
            output = (work / "out").read_text(errors="replace").replace("\r", "")
            if not output.endswith("LAB-DONE\n"):
                console = (work / "console").read_text(errors="replace")
                raise LabError(f"a cell did not end well (status {monitor.process.returncode} of QEMU; a negative one is a signal); its text:\n{cell}\nits output ends:\n{output[-2000:]}\nits console ends:\n{console[-2000:]}")
            return output.removesuffix("LAB-DONE\n")

    @contextlib.contextmanager
    def _qemu(self, folder, work, cell, module, extra, *more):
        process = subprocess.Popen(
            [*QEMU, "-kernel", self.kernel.folder / "vmlinuz", "-initrd", folder / "initrd", "-append", COMMAND_LINE,
             "-serial", f"file:{work}/console", "-serial", f"file:{work}/out", "-monitor", "stdio",
             "-fw_cfg", f"name=opt/ndm-lab/cell,file={cell}", "-fw_cfg", f"name=opt/ndm-lab/module,file={module}",
             "-fw_cfg", f"name=opt/ndm-lab/extra,file={extra}", *more],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        try:
            yield Monitor(process)
        finally:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


class Monitor:
    """QEMU's own prompt, on its standard input and output."""
    PROMPT = "(qemu) "

    def __init__(self, process):
        self.process = process
        self._read()
        self.ask("info status")  # answered when all is set up; the prompt comes before

    def _read(self):
        text = ""
        while not text.endswith(self.PROMPT):
            more = self.process.stdout.read(1)
            if not more:
                raise LabError(f"QEMU ended: {self.process.stderr.read()}{text[-2000:]}")
            text += more
        return text.removesuffix(self.PROMPT)

    def tell(self, command):
        self.process.stdin.write(f"{command}\n")

    def ask(self, command):
        self.tell(command)
        return self._read()

    def wait_for(self, what, true, seconds=300):
        deadline = time.monotonic() + seconds
        while not true():
            if time.monotonic() > deadline:
                raise LabError(f"waited {seconds} s for {what}")
            time.sleep(0.02)

    def await_end(self):
        try:
            self.process.communicate(timeout=WALL_LIMIT)
        except subprocess.TimeoutExpired:
            raise LabError(f"a cell took more than {WALL_LIMIT} s of the host") from None
