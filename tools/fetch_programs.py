#!/usr/bin/env python3
"""Fetches MPI programs from outside this project into target/programs/NAME/.

The tests compile and run them unchanged. They are sources of Debian packages, in exactly the version that is named
here: another one is refused by its checksum. Without arguments it fetches all programs of the tests; with names, those.

A program that is there already is left alone. A folder appears whole or not at all. The exit status is 0 also when
something could not be fetched: one line then says what and why, and the tests that need it say so as well.
"""

import os
import shutil
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

import debian
from debian import CannotFetch

TARGET = Path(__file__).resolve().parent.parent / "target" / "programs"


@dataclass(frozen=True)
class Source:
    """Where a program comes from."""

    package: str
    file: str
    sha256: str
    # The folders of the archive that are kept, below its own one; all if there are none.
    keep: tuple[str, ...] = ()


PROGRAMS = {
    # Not a program: HPC Challenge needs a BLAS.
    "gsl": Source(
        "gsl",
        "gsl_2.7.1+dfsg.orig.tar.gz",
        "e560d6b9c6e254e46769bbb03583c00ecafbdd51b062c55db23b3b9612868567",
        keep=("cblas",),
    ),
    "hpcc": Source(
        "hpcc", "hpcc_1.5.0.orig.tar.gz", "0a6fef7ab9f3347e549fed65ebb98234feea9ee18aea0c8f59baefbe3cf7ffb8"
    ),
    "nas": Source(
        "simgrid",
        "simgrid_3.32.orig.tar.xz",
        "4b413d8e9d9b29b8e086b2f3edaec5b1149d7eb52b2e134f1ed13d30891ece7b",
        keep=("examples/smpi/NAS",),
    ),
    "netpipe": Source(
        "netpipe", "netpipe_3.7.2.orig.tar.gz", "13dac884ff52951636f651c421f5ff4a853218a95aa28a4a852402ee385a2ab8"
    ),
    "p4est": Source(
        "p4est", "p4est_2.2.orig.tar.xz", "f09a799d99e541c8f06a9ad3f1e7dc74362ad96a7938a69c7fbd4103516f86c9"
    ),
    "sprng": Source(
        "sprng", "sprng_2.0a.orig.tar.gz", "bcfa9e0501c4aba8f3e7bd7a728ae8d1e9ae771fc9d985d677f76f87b937454e"
    ),
    "sundials": Source(
        "sundials",
        "sundials_6.4.1+dfsg1.orig.tar.xz",
        "c61157f1d4be06c704bea40cb131eb63ba2dada161989071604d0a0959cdf04a",
        keep=("examples/cvode/parallel", "include", "src"),
    ),
}

# Not programs of the tests: `make conformance` fetches it.
SUITES = {
    "mpich-suite": Source(
        "mpich",
        "mpich_4.0.2.orig.tar.xz",
        "b27039f964afeb6b8a3e009c56b441cbe368c26d6d6476ad3bb7190996875860",
        keep=("test/mpi",),
    ),
}


def unpack(archive: Path, keep: tuple[str, ...], place: Path) -> None:
    """Unpacks an archive without its outermost folder."""
    place.mkdir()
    with tarfile.open(archive) as tar:
        for member in tar:
            path = member.name.split("/", 1)[1] if "/" in member.name else ""
            wanted = not keep or any(path == folder or path.startswith(f"{folder}/") for folder in keep)
            if path and wanted and (member.isfile() or member.isdir()):
                member.name = path
                tar.extract(member, place)


def fetch(name: str, lists: list[debian.SourceLists] | None = None) -> Path:
    """Makes sure of one program and returns its folder. `lists` keeps the package lists from one call to the next."""
    place = TARGET / name
    if place.exists():
        return place
    source = (PROGRAMS | SUITES)[name]
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="weir-programs-") as scratch:
        # apt downloads as a user of its own, if that one may write here.
        os.chmod(scratch, 0o777)
        lists = lists if lists is not None else []
        if not lists:
            own = Path(scratch) / "lists-of-sources"
            own.mkdir(mode=0o777)
            lists.append(debian.SourceLists(own, "libc6-dev"))
        archive = next((path for path in lists[0].download(source.package) if path.name == source.file), None)
        if archive is None:
            raise CannotFetch(f"Debian's archive has another version of {source.package} than {source.file}")
        if debian.sha256(archive) != source.sha256:
            raise CannotFetch(f"{source.file} is not the file whose SHA-256 is {source.sha256}")
        unfinished = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=TARGET))
        try:
            unpack(archive, source.keep, unfinished / "whole")
            (unfinished / "whole").rename(place)
        except (OSError, tarfile.TarError) as error:
            if not place.exists():  # no other was quicker
                raise CannotFetch(f"{place}: {error}") from None
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return place


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="weir-lists-") as scratch:
        os.chmod(scratch, 0o777)
        lists: list[debian.SourceLists] = []
        for name in sys.argv[1:] or PROGRAMS:
            try:
                if not lists and not (TARGET / name).exists():
                    lists.append(debian.SourceLists(Path(scratch), "libc6-dev"))
                print(f"{name}: {fetch(name, lists)}")
            except CannotFetch as error:
                print(f"{name}: not fetched: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
