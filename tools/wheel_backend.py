"""Builds the wheel weir-sim: what pip calls for this folder (pyproject.toml). The extension module is maturin's; beside it go the
command, which has the examples and machines in it, libmpi_abi.so, libweir_backend.so, the C headers, and Plotly's script, which pages have within them.

Two environment variables: WEIR_BUILT names a folder that has the command and the libraries already; without it cargo builds them.
WEIR_GLIBC is the oldest version of the C library that the wheel is for: zig links all of it against that one, on any system.
Without it this system's linker does, and the wheel is for systems that are no older than this one.
"""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import get_requires_for_build_sdist, prepare_metadata_for_build_wheel  # noqa: F401
from plotly.offline import get_plotlyjs

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "weir"
#: What only the wheel has of the package. Git passes it over.
STAGED = ["bin", "include"]
#: What `make python` has put into the source folder already, or the wheel alone has.
SCRIPT = PACKAGE / "report" / "assets" / "plotly.min.js.gz"
EXECUTABLES = ["weir", "libmpi_abi.so", "libweir_backend.so"]
#: What zig links for.
PLATFORM = "x86_64-unknown-linux-gnu"
#: The versions of the C library that wheels name, as their second numbers: manylinux_2_17 and so on.
MANYLINUX = [17, 24, 27, 28, 31, 34, 35, 36, 37, 38, 39, 40, 41]


def get_requires_for_build_wheel(config_settings: dict | None = None) -> list[str]:
    """What pip installs beside what pyproject.toml names: the linker, if it is wanted."""
    linker = ["cargo-zigbuild>=0.22,<0.25", "ziglang>=0.15,<0.18"] if os.environ.get("WEIR_GLIBC") else []
    return [*maturin.get_requires_for_build_wheel(config_settings), *linker]


def build_wheel(
    wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel; its name. Afterward the source folder is as it was."""
    had_script = SCRIPT.is_file()
    if os.environ.get("WEIR_GLIBC"):
        # Wheels for others do not name folders of this computer.
        cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
        renamed = [
            f"--remap-path-prefix={folder}={name}"
            for folder, name in [(cargo / "registry" / "src", "crates"), (ROOT, "weir")]
        ]
        os.environ["RUSTFLAGS"] = " ".join([os.environ.get("RUSTFLAGS", ""), *renamed]).strip()
    try:
        built = _built()
        _stage(built)
        arguments = f"{os.environ.get('MATURIN_PEP517_ARGS', '')} {_compatibility(built)}"
        os.environ["MATURIN_PEP517_ARGS"] = arguments
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        _clear()
        if not had_script:
            SCRIPT.unlink(missing_ok=True)


def _compatibility(built: Path) -> str:
    """On which systems what was built runs: those with a C library that is new enough for it. maturin looks at the extension module
    alone, and refuses one that needs more.
    """
    if wanted := os.environ.get("WEIR_GLIBC"):
        return f"--zig --target {PLATFORM} --compatibility manylinux_{wanted.replace('.', '_')}"
    found = {int(two) for name in EXECUTABLES for two in re.findall(rb"GLIBC_2\.(\d+)", (built / name).read_bytes())}
    fitting = [two for two in MANYLINUX if two >= max(found, default=MANYLINUX[-1] + 1)]
    return f"--compatibility manylinux_2_{fitting[0]}" if fitting else "--compatibility linux"


def build_sdist(sdist_directory: str, config_settings: dict | None = None) -> str:
    """The sources; their name."""
    return maturin.build_sdist(sdist_directory, config_settings)


def _built() -> Path:
    """The folder with the command and the libraries."""
    if named := os.environ.get("WEIR_BUILT"):
        return Path(named)
    wanted = os.environ.get("WEIR_GLIBC")
    command = ["cargo", "zigbuild", "--target", f"{PLATFORM}.{wanted}"] if wanted else ["cargo", "build"]
    command += ["--release", "--locked", "--package", "weir-cli", "--package", "weir-abi", "--package", "weir-backend"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return (target / PLATFORM if wanted else target) / "release"


def _stage(built: Path) -> None:
    _clear()
    binaries = PACKAGE / "bin"
    binaries.mkdir()
    for name in EXECUTABLES:
        shutil.copy(built / name, binaries / name)
    (binaries / "weir").chmod(0o755)
    shutil.copytree(ROOT / "include", PACKAGE / "include")
    SCRIPT.write_bytes(gzip.compress(get_plotlyjs().encode(), mtime=0))


def _clear() -> None:
    for name in STAGED:
        shutil.rmtree(PACKAGE / name, ignore_errors=True)
