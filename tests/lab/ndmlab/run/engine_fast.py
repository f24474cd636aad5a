# SPDX-License-Identifier: GPL-2.0
"""User Mode Linux in virtual time: the CPU is infinitely fast, and time passes only while all programs of the guest wait.

The kernel is a program of the host, so nothing is translated: a cell costs about a tenth of what QEMU takes. It is built from
Debian's source package; see kernel/build. It boots for each cell.
"""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import threading

from .machine import BUILD, TOP, Kernel, LabError, Machine, digest_files, install, new_part

BUILDER = TOP / "tests/lab/kernel"
DEFAULT_SOURCE = "linux-source"  # Debian's metapackage: the source of the suite's own kernel
WALL_LIMIT = 600  # seconds of the host for one cell; the longest takes a minute
SHARED_MEMORY = "/dev/shm"
SHARED_MEMORY_NEEDED = 512 << 20  # two guests
STARTED_AT = 1767225600  # the guest's clock at its start, seconds of Unix time: 2026-01-01

# glibc has other code for other CPUs, in other pages. A page fault takes virtual time, so the host's CPU would move all results: every program
# of the guest, its first one too, uses the code for the oldest CPU. CPU features, then habits of glibc 2.36 to 2.42, which skips names that it does not know.
NOT_USED = ("AVX AVX2 AVX_VNNI AVX512F AVX512VL AVX512BW AVX512DQ AVX512CD AVX512ER AVX512PF AVX512VBMI AVX512VBMI2 BMI1 BMI2 ERMS FMA FMA4 FSRM FSRS FZLRM "
            "FSRCS LZCNT MOVBE POPCNT RTM SSE3 SSSE3 SSE4_1 SSE4_2 XSAVE XSAVEC APX_F AVX_Fast_Unaligned_Load Fast_Copy_Backward Fast_Rep_String "
            "Fast_Unaligned_Copy Fast_Unaligned_Load Avoid_Non_Temporal_Memset Prefer_ERMS Prefer_FSRM Prefer_No_AVX512_Probing Prefer_No_VZEROUPPER "
            "Prefer_PMINUB_for_stringop Slow_BSF Slow_SSE4_2").split()

# All words are the same whatever the folder, as the kernel mixes them into its random numbers: names are relative to the folder that it
# is started in. As much memory as the stock machine has, on which TCP's limits of memory hang.
COMMAND_LINE = ["mem=256M", "initrd=initrd", "time-travel=inf-cpu", f"time-travel-start={STARTED_AT * 10 ** 9}", "uml_dir=.", "umid=uml",
                "con=null", "con0=null,fd:1", "panic=-1", "quiet", "ipv6.autoconf=0",
                # A word that the kernel does not know is for the environment of the first program.
                "GLIBC_TUNABLES=glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in NOT_USED)]


def present_cpu():
    """The CPU that this thread runs on; the scheduler chose one that has little to do."""
    return int(pathlib.Path("/proc/thread-self/stat").read_text().rpartition(")")[2].split()[36])


def endless_path(text):
    """The line of a guest's script that builds a path without a rate and without a delay; None when there is none."""
    for line in text.splitlines():
        words = shlex.split(line) if line.startswith("path_") else [""]
        names = {word.split("=")[0] for word in words}
        if words[0] == "path_loopback" and not names & {"delay", "rate"} or words[0] == "path_router" and not names & {"forward", "rate"}:
            return line
    return None


class FastKernel(Kernel):
    """Built from a source package of Debian and, as SOURCE+FILE, a patch of its user, once for each state of these and of kernel/."""
    words = ("ARCH=um",)

    def __init__(self, name=""):
        super().__init__()
        source, _, patch = name.partition("+")
        source, patches = source or DEFAULT_SOURCE, [pathlib.Path(patch)] if patch else []
        if not re.fullmatch(r"[a-z][a-z0-9.-]*", source):
            raise LabError(f"--kernel {source} names neither a package such as linux-source-6.1 nor a suite such as trixie")
        if patches and not patches[0].is_file():
            raise LabError(f"--kernel {name} names a patch that is no file: {patch}")
        # Of a patch its content, too: another of that name is another kernel, whose results are others.
        changes = [f"{patch.stem}-{digest_files([patch])}" for patch in patches]
        self.folder = BUILD / "-".join(["kernel", source, digest_files(BUILDER.iterdir()), *changes])
        if not self.folder.exists():
            self._build(source, *patches)
        self.headers = self.folder / "tree"
        self.release = "-".join([*((self.folder / name).read_text().strip() for name in ("release", "version")), *changes])

    def _build(self, source, *patches):
        part = new_part()
        try:
            done = subprocess.run([BUILDER / "build", part, source, *patches])
        except KeyboardInterrupt:
            shutil.rmtree(part)
            raise
        if done.returncode:
            raise LabError(f"the fast engine's kernel was not built, for the reason above; what is there is in {part}")
        install(part, self.folder)


class FastMachine(Machine):
    """Boots for each cell."""
    engine = "fast"
    empty_root = (*Machine.empty_root, "host")

    def __init__(self, kernel=""):
        free = shutil.disk_usage(SHARED_MEMORY).free
        if free < SHARED_MEMORY_NEEDED:
            raise LabError(f"{SHARED_MEMORY} has {free >> 20} MB left, and the memory of the fast engine's guests is there, {SHARED_MEMORY_NEEDED >> 20} MB: "
                           f"mount -o remount,size=1G {SHARED_MEMORY}")
        self.placing = threading.Lock()
        self.guests = dict.fromkeys(sorted(os.sched_getaffinity(0)), 0)  # by CPU of the host
        super().__init__(FastKernel(kernel), digest_files(BUILDER.iterdir()), " ".join(COMMAND_LINE))

    @property
    def environment(self):
        """Of the guest's kernel, which mixes it into its random numbers. Since 6.13 programs start by a stub that without TMPDIR fails to map the
        guest's memory ("expected SIGSTOP"); older kernels keep the results that they had without."""
        stub = self.kernel.headers / "arch/um/kernel/skas/stub_exe"
        return {"TMPDIR": SHARED_MEMORY} if stub.exists() else {}

    def _guest_files(self):
        return [path for path in super()._guest_files() if path.name != "stop.c"]

    def _prepare(self, part):
        self._make_initrd(part)

    def _work_place(self):
        return SHARED_MEMORY

    def refuse(self, cell):
        path = endless_path(cell)
        if path:
            raise LabError("this path has no rate and no delay. The fast engine's CPU takes no time, so that a transfer there would never end: "
                           f"use --engine stock, or give the path a rate:\n     {path}")

    @contextlib.contextmanager
    def _cpu(self):
        """A CPU for one guest: its kernel and its programs take turns, and to wake each other across CPUs costs more than all they do."""
        with self.placing:
            here = present_cpu()
            cpu = min(self.guests, key=lambda one: (self.guests[one], one != here))
            self.guests[cpu] += 1
        try:
            yield cpu
        finally:
            with self.placing:
                self.guests[cpu] -= 1

    def _play(self, work, cell, module, extra):
        for name, target in (("linux", self.kernel.folder / "linux"), ("initrd", self.folder / "initrd")):
            (work / name).symlink_to(target)
        for name, target in (("module", module), ("extra", extra)):
            shutil.copy(target, work / name)  # the guest would look for what a link names in its own root
        with self._cpu() as cpu:
            return self._boot(work, cell, cpu)

    def _boot(self, work, cell, cpu):
        # No randomised addresses and no environment, both of which the kernel would see; the console is a file, as a pipe would tell
        # by a signal, at times of the host, that it was read. A session of its own, so that all its processes can be ended; and a limit of
        # CPU time, should this program be killed before it does so.
        with (work / "console").open("wb") as console:
            process = subprocess.Popen(["taskset", "-c", str(cpu), "prlimit", f"--cpu={2 * WALL_LIMIT}", "setarch", "-R", "./linux", *COMMAND_LINE],
                                       cwd=work, env=self.environment, stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True)
        try:
            process.wait(timeout=WALL_LIMIT)
        except subprocess.TimeoutExpired:
            raise LabError(f"a cell took more than {WALL_LIMIT} s of the host; a program of the guest that never waits stops its clock. Its text:\n"
                           f"{cell.read_text()}") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return f"status {process.returncode} of the kernel's process; a negative one is a signal"
