#!/usr/bin/env python3
"""Fetches the C example programs that come with MPICH and Open MPI into target/mpi-examples/{mpich,openmpi}/.

They are programs from outside this project: the tests compile and run them unchanged. They come from Debian's
packages mpich-doc and openmpi-doc. The two cannot be installed together, so they are only unpacked; this needs no
root. Debian 12's openmpi-doc has no examples: then they come from the package's source.

A library whose examples are there already is left alone. A folder appears whole or not at all. The exit status is 0
also when something could not be fetched: one line then says what and why, and the tests that need it say so as well.
"""

import gzip
import os
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import debian
from debian import CannotFetch, run

TARGET = Path(__file__).resolve().parent.parent / "target" / "mpi-examples"


def download(package: str, folder: Path) -> Path:
    """Downloads a Debian package, once more with fresh package lists if we may renew them."""
    command = ["apt-get", "download", package]
    try:
        run(command, folder)
    except CannotFetch:
        if os.geteuid() != 0:
            raise
        run(["apt-get", "update"], folder)
        run(command, folder)
    return next(folder.glob(f"{package}_*.deb"))


def from_package(package: str, folder: Path) -> dict[str, bytes]:
    """The example programs in a package, by file name."""
    deb = download(package, folder)
    unpacked = folder / "unpacked"
    run(["dpkg", "-x", str(deb), str(unpacked)], folder)
    programs = {}
    for path in unpacked.glob("usr/share/doc/*/examples/**/*"):
        if path.name.endswith(".c") and path.is_file():
            programs[path.name] = path.read_bytes()
        elif path.name.endswith(".c.gz"):
            programs[path.stem] = gzip.decompress(path.read_bytes())
    return programs


def from_source(source: str, binary: str, folder: Path) -> dict[str, bytes]:
    """The example programs in the source of a package, by file name; `binary` is one of the packages made of it."""
    programs = {}
    for path in debian.SourceLists(folder, binary).download(source):
        with tarfile.open(path) as tar:
            for member in tar:
                content = tar.extractfile(member)
                if content is not None and re.fullmatch(r"[^/]+/examples/[^/]+\.c", member.name):
                    programs[Path(member.name).name] = content.read()
    return programs


def fetch(library: str) -> list[str]:
    """Makes sure of the examples of one library and returns their names."""
    place = TARGET / library
    if not place.exists():
        TARGET.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="weir-examples-") as scratch:
            # apt downloads as a user of its own, if that one may write here.
            os.chmod(scratch, 0o777)
            programs = from_package(f"{library}-doc", Path(scratch))
            if not programs:
                programs = from_source(library, f"{library}-doc", Path(scratch))
        if not programs:
            raise CannotFetch("neither the package nor its source has any C program")
        unfinished = Path(tempfile.mkdtemp(prefix=f".{library}-", dir=TARGET))
        try:
            for name, text in programs.items():
                (unfinished / name).write_bytes(text)
            os.chmod(unfinished, 0o755)
            unfinished.rename(place)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            if not place.exists():  # no other was quicker
                raise CannotFetch(f"{place}: {error.strerror}") from None
    return sorted(path.name for path in place.glob("*.c"))


def main() -> int:
    for library in ("mpich", "openmpi"):
        try:
            names = fetch(library)
            print(f"{library}: {len(names)} example programs: {', '.join(names)}")
        except CannotFetch as error:
            print(f"{library}: no example programs: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
