# SPDX-License-Identifier: GPL-2.0
"""What the engines have in common: the guest's root, the module under test, how a cell is run. Each engine is a file of its own.

A cell's result is a function of its text, the module and the engine's machine, whatever the host does beside it.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

TOP = pathlib.Path(__file__).resolve().parents[4]
GUEST = TOP / "tests/lab/guest"
LINK = TOP / "tests/lab/link"  # the module for recorded links
BUILD = pathlib.Path(os.environ.get("NDM_LAB_BUILD", TOP / "build/lab"))  # elsewhere in a test only
PROGRAMS = ["/sbin/ip", "/sbin/tc"]
DONE = "LAB-DONE\n"


class LabError(Exception):
    """Something of the lab itself went wrong; the text says what and where to look."""


def need(*packages):
    """Install those Debian packages of the host that are missing."""
    subprocess.run([TOP / ".ci/need", *packages], check=True)


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


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
    folder = TOP / "src/module"
    sources = sorted(folder.rglob("*.[ch]"))
    return digest((folder / "Kbuild").read_bytes(), *(item for path in sources for item in (str(path.relative_to(folder)), without_comments(path.read_text()))))


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def install(part, folder):
    """What was made at `part` becomes `folder`, whole or not at all."""
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def new_part():
    BUILD.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix="part-", dir=BUILD))


class Kernel:
    """A kernel and the module built for it. An engine's own class sets these and makes what is in the folder:

    folder:  where all of it is kept
    release: the kernel's name of itself
    headers: the tree that a module builds against
    words:   what make needs for that tree
    """
    folder = release = headers = None
    words = ()

    def __init__(self):
        need("make", "gcc", "libc6-dev", "binutils")
        self.source = digest_module()
        self.building = threading.Lock()

    def module(self):
        """The module for this kernel, built once for each state of its source."""
        built = self.folder / f"tcp_ndm-{self.source}.ko"
        with self.building:
            self._build_module(built, self.words)
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
    return [word for word in output_of("ldd", program).split() if word.startswith("/")]


def libraries_of_all(programs):
    return sorted({library for program in programs for library in libraries_of(program)})


def distributions():
    """The tables of netem's `distribution`."""
    return sorted(pathlib.Path("/usr/lib").glob("*/tc/*.dist"))


class Machine:
    """What runs cells. An engine's own class sets `engine`, its name, and `definitions`, for the compiler of the guest's programs.

    kernel: a Kernel
    key:    says all that a result depends on, but for cell and module
    folder: what is made once for it, by _prepare() in another folder
    """
    engine = ""
    definitions = ()
    empty_root = ("bin", "dev", "proc", "sys", "usr/bin", "usr/sbin", "sbin")

    def __init__(self, kernel, *key):
        """`key`: what more of the engine a result depends on."""
        need("busybox-static", "iproute2", "cpio", "gcc", "libc6-dev")
        self.kernel = kernel
        own = digest(digest_files(self._guest_files()), digest_files(LINK.iterdir()), digest_files(distributions()), *key, output_of("gcc", "--version"),
                     *(pathlib.Path(program).resolve().read_bytes() for program in ("/bin/busybox", *PROGRAMS, *libraries_of_all(PROGRAMS))))
        self.key = f"{kernel.release}-{own}"
        self.folder = BUILD / f"machine-{self.key}"
        if not self.folder.exists():
            part = new_part()
            self._prepare(part)
            install(part, self.folder)
            try:
                self.run("true\n")
            except LabError:
                shutil.rmtree(self.folder)
                raise

    def _prepare(self, part):
        raise NotImplementedError

    def _play(self, work, cell, module, extra):
        """Play the cell of that file in the empty folder `work`; its output is in work/out then, the kernel's in work/console.

        Returns what is to say of the end of the engine's process.
        """
        raise NotImplementedError

    def refuse(self, cell):
        """Raises LabError for a cell that this engine cannot play."""

    def _guest_files(self):
        """Those that this engine's guest has."""
        return [path for path in GUEST.iterdir() if not path.name.startswith("engine-") or path.name == f"engine-{self.engine}"]

    def _make_initrd(self, part):
        root = part / "root"
        for name in self.empty_root:
            (root / name).mkdir(parents=True)
        shutil.copy("/bin/busybox", root / "bin/busybox")
        shutil.copy(GUEST / "init", root / "init")
        shutil.copy(GUEST / f"engine-{self.engine}", root / "engine")
        os.chmod(root / "init", 0o755)
        for source in self._guest_files():
            if source.suffix == ".sh":
                shutil.copy(source, root)
            elif source.suffix == ".c":
                subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", *self.definitions, source, "-o", root / "usr/bin" / source.stem, "-lm"], check=True)
        for program in PROGRAMS:
            shutil.copy(program, root / program[1:])
        for library in libraries_of_all((*PROGRAMS, root / "usr/bin/traffic")):
            (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library[1:])
        for table in distributions():
            (root / table.parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
            shutil.copy(table, root / table.relative_to("/"))
        self._add_link(part, root)
        self._add_to_root(root)
        # A fixed order and fixed times, so that the guest is the same to the byte.
        subprocess.run("find . -exec touch -h -d @0 {} + && find . | LC_ALL=C sort | cpio -o -H newc --reproducible --quiet > ../initrd",
                       shell=True, cwd=root, check=True)
        shutil.rmtree(root)
        (part / "empty").write_bytes(b"\n")

    def _add_link(self, part, root):
        """The module for recorded links, built in a folder of `part`; as small as the one under test."""
        built = part / "link"
        shutil.copytree(LINK, built)
        done = subprocess.run(["make", "-C", self.kernel.headers, f"M={built}", "W=1", *self.kernel.words, "modules"], capture_output=True, text=True,
                              env={name: value for name, value in os.environ.items() if name != "MAKEFLAGS"})
        if done.returncode or "warning:" in done.stderr:
            raise LabError(f"the module for recorded links does not build:\n{done.stdout}{done.stderr}")
        subprocess.run(["strip", "-g", "-o", root / "lab_link.ko", built / "lab_link.ko"], check=True)
        shutil.rmtree(built)

    def _add_to_root(self, root):
        """What only this engine's guest has."""

    def run(self, cell, extra=None):
        """Run the shell text `cell` (see guest/lab.sh) on a machine of its own; returns what it printed.

        extra: a file that the cell may have with `use_extra`
        """
        self.refuse(cell)
        with tempfile.TemporaryDirectory(prefix="cell-", dir=self._work_place()) as name:
            work = pathlib.Path(name)
            (work / "cell").write_text(cell)
            end = self._play(work, work / "cell", self.kernel.module(), extra or self.folder / "empty")
            output, console = ((work / file).read_text(errors="replace").replace("\r", "") if (work / file).exists() else "" for file in ("out", "console"))
            if not output.endswith(DONE):
                raise LabError(f"a cell did not end well ({end}); its text:\n{cell}\nits output ends:\n{output[-2000:]}\nits console ends:\n{console[-2000:]}")
            return output.removesuffix(DONE)

    def _work_place(self):
        """Where the folders of running cells are."""
        return BUILD
