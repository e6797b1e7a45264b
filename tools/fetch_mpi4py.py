#!/usr/bin/env python3
"""Builds mpi4py for the standard's binary interface into target/mpi4py, for the tests that run Python programs.

Its wheels are built for the interfaces of MPICH and Open MPI; so it is built from its source, with the compiler wrapper
of the MPICH that tools/setup.py has unpacked. Nothing of the system changes. The folder appears whole or not at all.
The exit status is 0 also when it is not to be had: one line then says why, and the tests that need it say so as well.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.1.2"
TARGET = Path(__file__).resolve().parent.parent / "target"
PLACE = TARGET / "mpi4py"
COMPILER = TARGET / "mpich" / "bin" / "mpicc_abi"


def pip(*args: str, **variables: str) -> str | None:
    """Runs pip; says what went wrong, if anything did."""
    command = [sys.executable, "-m", "pip", *args]
    environment = {**os.environ, **variables}
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stderr.splitlines() if line.strip()] or ["pip says nothing"]
    return None if done.returncode == 0 else lines[-1]


def build(scratch: Path) -> str | None:
    """Builds the package below a folder; says what went wrong, if anything did."""
    options = ["--quiet", "--no-deps"]
    package = f"mpi4py=={VERSION}"
    if why := pip("download", *options, "--no-binary", "mpi4py", "--dest", str(scratch), package):
        return why
    source = next(scratch.glob("mpi4py-*.tar.gz"))
    # Not optimized: the tests do not measure it, and it compiles four times as fast.
    flags = {"MPICC": str(COMPILER), "CFLAGS": "-O0 -g0"}
    if why := pip("install", *options, "--target", str(scratch / "new" / "lib"), str(source), **flags):
        return why
    with tarfile.open(source) as archive:
        tests = [member for member in archive.getmembers() if "/test/" in member.name]
        archive.extractall(scratch, members=tests)
    shutil.move(scratch / f"mpi4py-{VERSION}" / "test", scratch / "new" / "test")
    return None


def main() -> int:
    if not (PLACE / "test").exists():
        with tempfile.TemporaryDirectory(prefix=".mpi4py-", dir=TARGET) as scratch:
            if why := build(Path(scratch)):
                print(f"mpi4py {VERSION} is not to be had: {why}", file=sys.stderr)
                return 0
            shutil.rmtree(PLACE, ignore_errors=True)
            (Path(scratch) / "new").rename(PLACE)
    print(f"mpi4py {VERSION}: {len(list((PLACE / 'test').glob('test_*.py')))} files of tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
