# SPDX-License-Identifier: GPL-2.0
"""A stock Debian kernel in QEMU in virtual time: one instruction is one nanosecond, idle time is skipped.

Booting costs seconds, so a machine is booted once, stopped by the guest itself at one exact instruction and saved; each cell
resumes that copy.
"""
import contextlib
import pathlib
import shutil
import subprocess
import time

from .machine import BUILD, Kernel, LabError, Machine, install, need, new_part, output_of, say

PVPANIC_PORT = "0x505"
WALL_LIMIT = 1800  # seconds of the host for one cell; the longest takes some minutes

# Loaded before the machine is saved. The module under test comes with each cell, so that editing it leaves the peers' cells valid.
MODULES = """sch_netem sch_htb sch_tbf sch_fq sch_fq_codel sch_codel sch_pie sch_cake sch_ingress cls_u32 cls_matchall
act_police act_mirred veth dummy ifb tun tcp_bbr tcp_westwood tcp_veno tcp_cdg tcp_illinois""".split()

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


class StockKernel(Kernel):
    """The newest kernel of Debian whose headers are here, fetched but not installed."""

    def __init__(self):
        super().__init__()
        need("linux-headers-amd64", "kmod")
        headers = sorted(pathlib.Path("/usr/src").glob("linux-headers-*-amd64"),
                         key=lambda path: [int(part) if part.isdigit() else part for part in path.name.replace("+", "-").replace(".", "-").split("-")])
        self.headers = headers[-1]
        self.release = self.headers.name.removeprefix("linux-headers-")
        self.folder = BUILD / f"kernel-{self.release}"
        if not (self.folder / "vmlinuz").exists():
            self._fetch()

    def _fetch(self):
        say(f"fetching kernel {self.release}")
        part = new_part()
        subprocess.run(["apt-get", "download", "-qq", f"linux-image-{self.release}"], cwd=part, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        [package] = part.glob("*.deb")
        subprocess.run(["dpkg", "-x", package, part], check=True)
        package.unlink()
        (part / f"boot/vmlinuz-{self.release}").rename(part / "vmlinuz")
        install(part, self.folder)


class StockMachine(Machine):
    """A saved machine that cells are resumed from."""
    engine = "stock"
    definitions = (f"-DPVPANIC_PORT={PVPANIC_PORT}",)

    def __init__(self):
        need("qemu-system-x86")
        super().__init__(StockKernel(), " ".join(QEMU + MODULES), CLOCK, TAKING_TURNS, COMMAND_LINE, output_of(QEMU[0], "--version"))

    def _prepare(self, part):
        say(f"booting and saving a machine with kernel {self.kernel.release}")
        self._make_initrd(part)
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

    def _add_to_root(self, root):
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

    def _play(self, work, cell, module, extra):
        with self._qemu(self.folder, work, cell, module, extra,
                        "-icount", f"{CLOCK},{TAKING_TURNS}", "-incoming", f"exec:cat {self.folder}/state") as monitor:
            monitor.wait_for("the saved machine", lambda: "inmigrate" not in monitor.ask("info status"))
            monitor.tell("cont")
            monitor.await_end()
        return f"status {monitor.process.returncode} of QEMU; a negative one is a signal"

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
