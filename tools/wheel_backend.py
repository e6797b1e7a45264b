"""Builds the wheel weir-sim: what pip calls for this folder (pyproject.toml). The extension module is maturin's; beside it go the
command, which has the examples and machines in it, libmpi_abi.so, and the C headers.

The environment variable WEIR_BUILT names a folder that has the command and its library already; without it cargo builds both.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "weir"
#: Folders of the package that only the wheel has. Git passes them over.
STAGED = ["bin", "include"]
EXECUTABLES = ["weir", "libmpi_abi.so"]
#: The versions of the C library that wheels name, as their second numbers: manylinux_2_17 and so on.
MANYLINUX = [17, 24, 27, 28, 31, 34, 35, 36, 37, 38, 39, 40, 41]


def build_wheel(
    wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel; its name. Afterwards the source folder is as it was."""
    try:
        built = _built()
        _stage(built)
        arguments = f"{os.environ.get('MATURIN_PEP517_ARGS', '')} {_compatibility(built)}"
        os.environ["MATURIN_PEP517_ARGS"] = arguments
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        _clear()


def _compatibility(built: Path) -> str:
    """On which systems what was built runs: those with a C library that is new enough for it. maturin looks at the extension module
    alone, and refuses one that needs more.
    """
    found = {int(two) for name in EXECUTABLES for two in re.findall(rb"GLIBC_2\.(\d+)", (built / name).read_bytes())}
    fitting = [two for two in MANYLINUX if two >= max(found, default=MANYLINUX[-1] + 1)]
    return f"--compatibility manylinux_2_{fitting[0]}" if fitting else "--compatibility linux"


def build_sdist(sdist_directory: str, config_settings: dict | None = None) -> str:
    """The sources; their name."""
    return maturin.build_sdist(sdist_directory, config_settings)


def _built() -> Path:
    """The folder with the command and its library."""
    if named := os.environ.get("WEIR_BUILT"):
        return Path(named)
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "--package", "weir-cli", "--package", "weir-abi"],
        cwd=ROOT,
        check=True,
    )
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def _stage(built: Path) -> None:
    _clear()
    binaries = PACKAGE / "bin"
    binaries.mkdir()
    for name in EXECUTABLES:
        shutil.copy(built / name, binaries / name)
        # Lines of the source for backtraces are half of the files.
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-debug", binaries / name], check=True)
    (binaries / "weir").chmod(0o755)
    shutil.copytree(ROOT / "include", PACKAGE / "include")


def _clear() -> None:
    for name in STAGED:
        shutil.rmtree(PACKAGE / name, ignore_errors=True)
