# SPDX-License-Identifier: GPL-2.0
"""A stock Debian kernel in QEMU in virtual time: one instruction is one nanosecond, idle time is skipped.

Booting costs seconds, so a machine is booted once, stopped by the guest itself at one exact instruction and saved; each cell
resumes that copy. A cell's result is a function of its text, the module and the saved machine: nothing of the host enters.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[3]
GUEST = TOP / "tests/lab/guest"
BUILD = TOP / "build/lab"
PVPANIC_PORT = "0x505"
WALL_LIMIT = 1800  # seconds of the host for one cell; the longest takes some minutes

# Loaded before the machine is saved. The module under test comes with each cell, so that editing it leaves the peers' cells valid.
MODULES = """sch_netem sch_htb sch_tbf sch_fq sch_fq_codel sch_codel sch_pie sch_cake sch_ingress cls_u32 cls_matchall
act_police act_mirred veth dummy ifb tun tcp_bbr tcp_westwood tcp_veno tcp_cdg tcp_illinois""".split()
PROGRAMS = ["/sbin/ip", "/sbin/tc"]

QEMU = ["qemu-system-x86_64", "-accel", "tcg", "-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm",
        "-cpu", "qemu64,-rdrand,-rdseed", "-seed", "1", "-smp", "1", "-m", "256", "-nodefaults", "-no-user-config",
        "-display", "none", "-no-reboot", "-device", f"pvpanic,ioport={PVPANIC_PORT}", "-action", "panic=pause"]
COMMAND_LINE = ("console=ttyS0 random.trust_cpu=off random.trust_bootloader=off nokaslr mitigations=off panic=-1 quiet "
                "ipv6.autoconf=0")


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


def module_sources():
    return [path for path in (TOP / "src/module").iterdir() if path.suffix in (".c", ".h") or path.name == "Kbuild"]


class Kernel:
    """A stock kernel of Debian, fetched but not installed, and the module built for it."""

    def __init__(self):
        need("linux-headers-amd64", "make", "gcc", "libc6-dev", "binutils", "kmod")
        headers = sorted(pathlib.Path("/usr/src").glob("linux-headers-*-amd64"),
                         key=lambda path: [int(part) if part.isdigit() else part for part in path.name.replace("+", "-").replace(".", "-").split("-")])
        self.headers = headers[-1]
        self.release = self.headers.name.removeprefix("linux-headers-")
        self.folder = BUILD / f"kernel-{self.release}"
        if not (self.folder / "vmlinuz").exists():
            self._fetch()
        self.module = self._build_module()

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

    def _build_module(self):
        """The module for this kernel; built once for each state of its source."""
        built = self.folder / f"tcp_ndm-{digest_files(module_sources())}.ko"
        if not built.exists():
            output = f"build/lab/module-{os.getpid()}"
            done = subprocess.run([TOP / "tests/module/build", self.headers, output], capture_output=True, text=True)
            if done.returncode:
                raise LabError(f"the module does not build:\n{done.stdout}{done.stderr}")
            # Without debugging symbols: the guest reads it byte by byte, and each byte is an instruction.
            subprocess.run(["strip", "-g", "-o", built.with_suffix(".part"), TOP / output / "tcp_ndm.ko"], check=True)
            built.with_suffix(".part").rename(built)
            shutil.rmtree(TOP / output)
        return built


def libraries_of(program):
    """Paths of the shared libraries that a program needs, its loader included."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [word for word in text.split() if word.startswith("/")]


class Machine:
    """A saved machine that cells are resumed from."""

    def __init__(self):
        need("qemu-system-x86", "busybox-static", "iproute2", "cpio", "gcc", "libc6-dev")
        self.kernel = Kernel()
        key = digest(digest_files(GUEST.iterdir()), " ".join(QEMU + MODULES), COMMAND_LINE,
                     *(pathlib.Path(program).resolve().read_bytes() for program in PROGRAMS))
        self.key = f"{self.kernel.release}-{key}"
        self.folder = BUILD / f"machine-{self.key}"
        if not (self.folder / "state").exists():
            self._save()

    def _save(self):
        print(f"  booting and saving a machine with kernel {self.kernel.release}", file=sys.stderr, flush=True)
        part = pathlib.Path(tempfile.mkdtemp(prefix="part-", dir=BUILD))
        self._make_initrd(part)
        (part / "empty").write_bytes(b"\n")
        with self._qemu(part, part / "empty", part / "empty", part) as talk:
            talk.await_event("GUEST_PANICKED")
            talk.command("migrate-set-parameters", **{"max-bandwidth": 10 ** 10})
            talk.command("migrate", uri=f"exec:cat > {part}/state")
            while (status := talk.command("query-migrate").get("status")) not in ("completed", "failed"):
                time.sleep(0.05)
            if status == "failed":
                raise LabError("the machine could not be saved")
            talk.command("quit")
        shutil.rmtree(self.folder, ignore_errors=True)
        part.rename(self.folder)

    def _make_initrd(self, part):
        root = part / "root"
        for name in ("bin", "dev", "proc", "sys", "usr/bin", "sbin"):
            (root / name).mkdir(parents=True)
        shutil.copy("/bin/busybox", root / "bin/busybox")
        shutil.copy(GUEST / "init", root / "init")
        for part in GUEST.glob("*.sh"):
            shutil.copy(part, root)
        os.chmod(root / "init", 0o755)
        for source in GUEST.glob("*.c"):
            subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", root / "usr/bin" / source.stem, "-lm"], check=True)
        for program in PROGRAMS:
            shutil.copy(program, root / program[1:])
        for library in {lib for program in (*PROGRAMS, root / "usr/bin/traffic") for lib in libraries_of(program)}:
            (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library[1:])
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

    def run(self, cell):
        """Run the shell text `cell` (see guest/lab.sh) on a copy of the machine; returns what it printed."""
        with tempfile.TemporaryDirectory(prefix="cell-", dir=BUILD) as name:
            work = pathlib.Path(name)
            (work / "cell").write_text(cell)
            with self._qemu(self.folder, work / "cell", self.kernel.module, work, "-incoming", f"exec:cat {self.folder}/state") as talk:
                while talk.command("query-status")["status"] == "inmigrate":
                    time.sleep(0.02)
                talk.command("cont")
                talk.await_end()
            output = (work / "out").read_text(errors="replace").replace("\r", "")
            if not output.endswith("LAB-DONE\n"):
                console = (work / "console").read_text(errors="replace")
                raise LabError(f"a cell did not end well (status {talk.process.returncode} of QEMU; a negative one is a signal); its text:\n{cell}\nits output ends:\n{output[-2000:]}\nits console ends:\n{console[-2000:]}")
            return output.removesuffix("LAB-DONE\n")

    @contextlib.contextmanager
    def _qemu(self, folder, cell, module, work, *more):
        control = work / "qmp"
        process = subprocess.Popen(
            [*QEMU, "-kernel", self.kernel.folder / "vmlinuz", "-initrd", folder / "initrd", "-append", COMMAND_LINE,
             "-serial", f"file:{work}/console", "-serial", f"file:{work}/out",
             "-fw_cfg", f"name=opt/ndm-lab/cell,file={cell}", "-fw_cfg", f"name=opt/ndm-lab/module,file={module}",
             "-qmp", f"unix:{os.path.relpath(control)},server,wait=off", *more], stderr=subprocess.PIPE, text=True)
        try:
            yield Talk(control, process)
        finally:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Talk:
    """QEMU's control socket."""

    def __init__(self, path, process):
        self.process = process
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.socket.connect(os.path.relpath(path))
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise LabError(f"QEMU did not start: {process.stderr.read()}") from None
                time.sleep(0.02)
        self.socket.settimeout(WALL_LIMIT)
        self.lines = self.socket.makefile("rw")
        self._read()
        self.command("qmp_capabilities")

    def _read(self):
        line = self.lines.readline()
        if not line:
            raise LabError(f"QEMU ended: {self.process.stderr.read()}")
        return json.loads(line)

    def command(self, name, **arguments):
        self.lines.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.lines.flush()
        while True:
            answer = self._read()
            if "error" in answer:
                raise LabError(f"QEMU refuses {name}: {answer['error']}")
            if "return" in answer:
                return answer["return"]

    def await_event(self, name):
        while self._read().get("event") != name:
            pass

    def await_end(self):
        try:
            while self.lines.readline():
                pass
            self.process.wait(timeout=WALL_LIMIT)
        except (TimeoutError, subprocess.TimeoutExpired):
            raise LabError(f"a cell took more than {WALL_LIMIT} s of the host") from None
