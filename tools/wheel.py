#!/usr/bin/env python3
"""Builds the wheel weir-sim into target/wheels: `make wheel`. It is for Linux systems of 2018 and newer, whatever this one is:
zig links it. pip installs zig, maturin and Plotly's script into an environment that it makes for that.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "target" / "wheels"
#: The C library of RHEL 8, Debian 10 and Ubuntu 18.10; that of SLES 15 SP3 and Ubuntu 20.04 is newer.
GLIBC = "2.28"


def main() -> int:
    """Builds it, and says what it is; the exit status."""
    for old in WHEELS.glob("weir_sim-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--wheel-dir", str(WHEELS), str(ROOT)]
    if subprocess.run(command, env={"WEIR_GLIBC": GLIBC, **os.environ}).returncode != 0:
        return 1
    (wheel,) = WHEELS.glob("weir_sim-*.whl")
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"install it: python3 -m pip install {wheel.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
