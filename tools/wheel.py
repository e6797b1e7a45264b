#!/usr/bin/env python3
"""Builds the wheel weir-sim into target/wheels: `make wheel`. The Python that runs this has maturin (`make python`)."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "target" / "wheels"


def main() -> int:
    """Builds it, and says what it is; the exit status."""
    for old in WHEELS.glob("weir_sim-*.whl"):
        old.unlink()
    # pip finds maturin beside this interpreter, cargo where the shell does.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(WHEELS), str(ROOT)]
    if subprocess.run(command, env={**os.environ, "PATH": path}).returncode != 0:
        return 1
    (wheel,) = WHEELS.glob("weir_sim-*.whl")
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"install it: python3 -m pip install {wheel.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
