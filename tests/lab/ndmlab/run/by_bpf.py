# SPDX-License-Identifier: GPL-2.0
"""v5 as a BPF program on the stock engine, whose kernel is Debian's own, with type information: what a cell has in the place of use_ndm."""
import shutil
import subprocess

from .machine import BUILD, TOP, digest_files, libraries_of, need, new_part

BPFTOOL = "/usr/sbin/bpftool"
USE_PROGRAM = ("use_extra /bpf.cpio", "(cd / && cpio -iu < /bpf.cpio 2> /dev/null)", "mount -t bpf bpf /sys/fs/bpf",
               "bpftool struct_ops register /ndm_v5.o > /refused 2>&1 || fail \"$(tail -n 3 /refused)\"")


def archive_for(kernel):
    """A file for the guest: bpftool, what it needs, the program, and the kernel's configuration, in which libbpf looks for HZ."""
    need("bpftool", "clang", "llvm", "libbpf-dev", "cpio")
    built = BUILD / "bpf"
    subprocess.run(["make", "-s", "-C", TOP / "src/bpf", f"O={built.resolve()}", "algorithms"], check=True)
    archive = BUILD / f"bpf-{kernel.release}-{digest_files([built / 'bpfel/ndm_v5.o'])}.cpio"
    if not archive.exists():
        part = new_part()
        for path in (BPFTOOL, *libraries_of(BPFTOOL)):
            (part / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, part / path[1:])
        shutil.copy(built / "bpfel/ndm_v5.o", part)
        (part / "boot").mkdir()
        shutil.copy(kernel.folder / "boot" / f"config-{kernel.release}", part / "boot")
        subprocess.run(f"find . | cpio -o -H newc --quiet > {archive.resolve()}.part", shell=True, cwd=part, check=True)
        archive.with_suffix(".cpio.part").rename(archive)
        shutil.rmtree(part)
    return archive
