#!/usr/bin/env python3
"""Makes sure of what the tests need besides Rust: a C compiler and Open MPI. With the argument "bench" it makes sure of
what `make bench` compares with instead: a C++ compiler and SimGrid.

Open MPI is the reference that the simulated MPI is compared with. Packages are installed with apt if that is possible;
otherwise one line says what is missing and how to install it, and the exit status is 1.
"""

import os
import shutil
import subprocess
import sys

# Commands, with the packages that have them. smpicxx comes with SimGrid's headers.
FOR_TESTS = {"cc": "gcc libc6-dev", "mpicc": "libopenmpi-dev", "mpirun": "openmpi-bin"}
FOR_BENCHES = {"c++": "g++", "smpicxx": "libsimgrid-dev"}


def missing(packages: dict[str, str]) -> list[str]:
    return [command for command in packages if shutil.which(command) is None]


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
    needed = FOR_BENCHES if sys.argv[1:] == ["bench"] else FOR_TESTS
    wanted = " ".join(needed[command] for command in missing(needed)).split()
    if wanted and os.geteuid() == 0 and shutil.which("apt-get"):
        install(wanted)
    if absent := missing(needed):
        packages = " ".join(needed[command] for command in absent)
        print(f"missing: {', '.join(absent)}; as root: apt-get install {packages}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
