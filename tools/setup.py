#!/usr/bin/env python3
"""Makes sure of what the tests need besides Rust: a C compiler and Open MPI.

Open MPI is the reference that the simulated MPI is compared with. It is installed with apt if that is possible;
otherwise one line says what is missing and how to install it, and the exit status is 1.
"""

import os
import shutil
import subprocess
import sys

PACKAGES = {"cc": "gcc libc6-dev", "mpicc": "libopenmpi-dev", "mpirun": "openmpi-bin"}


def missing() -> list[str]:
    return [command for command in PACKAGES if shutil.which(command) is None]


def install(packages: list[str]) -> bool:
    """Installs Debian packages, once more with fresh package lists if it did not work."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    for attempt in (command, ["apt-get", "update"], command):
        print(" ".join(attempt), flush=True)
        done = subprocess.run(attempt, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        if attempt is command and done.returncode == 0:
            return True
    return False


def main() -> int:
    wanted = " ".join(PACKAGES[command] for command in missing()).split()
    if wanted and os.geteuid() == 0 and shutil.which("apt-get"):
        install(wanted)
    if absent := missing():
        packages = " ".join(PACKAGES[command] for command in absent)
        print(f"missing: {', '.join(absent)}; as root: apt-get install {packages}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
