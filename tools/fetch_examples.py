#!/usr/bin/env python3
"""Fetches the C example programs that come with MPICH and Open MPI into target/mpi-examples/{mpich,openmpi}/.

They are programs nobody in this project wrote: the tests compile and run them unchanged. They come from Debian's
packages mpich-doc and openmpi-doc. The two cannot be installed together, so they are only unpacked; this needs no
root. Debian 12's openmpi-doc has no examples: then they come from the package's source.

A library whose examples are there already is left alone. A folder appears whole or not at all. The exit status is 0
also when something could not be fetched: one line then says what and why, and the tests that need it say so as well.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "target" / "mpi-examples"


class CannotFetch(Exception):
    """Why something is not to be had, in one line."""


def run(command: list[str], folder: Path) -> str:
    """Runs a command and returns what it printed."""
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
        )
    except FileNotFoundError:
        raise CannotFetch(f"there is no {command[0]} (this needs Debian or one of its descendants)") from None
    except subprocess.TimeoutExpired:
        raise CannotFetch(f"{command[0]} did not end within 5 minutes") from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
        raise CannotFetch(f"{' '.join(command[:2])}: {lines[-1]}")
    return done.stdout


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


def debian_sources() -> list[tuple[str, str, str]]:
    """URI, suite and signing options of every source of binary packages, in both forms apt knows."""
    folder = Path("/etc/apt")
    found = []
    for path in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*.list"))]:
        for line in path.read_text().splitlines() if path.exists() else []:
            match = re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+\S", line)
            if match:
                options = re.findall(r"signed-by=\S+", match[1] or "")
                found.append((match[2], match[3], " ".join(options)))
    for path in sorted(folder.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            fields = dict(re.findall(r"^([\w-]+):[ \t]*(\S.*)$", stanza, re.MULTILINE))
            if "deb" not in fields.get("Types", "").split() or fields.get("Enabled", "").lower() == "no":
                continue
            key = fields.get("Signed-By", "")
            options = f"signed-by={key}" if key.startswith("/") else ""
            for uri in fields.get("URIs", "").split():
                found += [(uri, suite, options) for suite in fields.get("Suites", "").split()]
    return found


def from_source(source: str, binary: str, folder: Path) -> dict[str, bytes]:
    """The example programs in the source of a package, by file name; `binary` is one of the packages made of it."""
    elsewhere = folder / "elsewhere"  # nothing is said of a package that is in the working folder
    elsewhere.mkdir()
    where = run(["apt-get", "download", "--print-uris", binary], elsewhere)
    archive = where.strip("'").split("/pool/")[0]
    lines = [
        f"deb-src {f'[{options}] ' if options else ''}{uri} {suite} main"
        for uri, suite, options in debian_sources()
        if uri.rstrip("/") == archive
    ]
    if not lines:
        raise CannotFetch(f"no package source in /etc/apt has the URI {archive}")
    # Lists of our own: nothing of the system changes, and nobody needs to be root.
    (folder / "sources.list").write_text("\n".join(lines) + "\n")
    lists, archives = folder / "lists", folder / "archives"
    (lists / "partial").mkdir(parents=True)
    (archives / "partial").mkdir(parents=True)
    options = [
        f"Dir::Etc::sourcelist={folder / 'sources.list'}",
        "Dir::Etc::sourceparts=/dev/null",
        f"Dir::State::lists={lists}",
        f"Dir::Cache::archives={archives}",
        f"Dir::Cache::pkgcache={folder / 'pkgcache.bin'}",
        f"Dir::Cache::srcpkgcache={folder / 'srcpkgcache.bin'}",
        "Acquire::Languages=none",
    ]
    options = [word for option in options for word in ("-o", option)]
    run(["apt-get", "update", *options], folder)
    run(["apt-get", "source", "--download-only", *options, source], folder)
    programs = {}
    for path in folder.glob(f"{source}_*.orig.tar.*"):
        if path.suffix == ".asc":
            continue
        with tarfile.open(path) as tar:
            for member in tar:
                if member.isfile() and re.fullmatch(r"[^/]+/examples/[^/]+\.c", member.name):
                    programs[Path(member.name).name] = tar.extractfile(member).read()
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
            if not place.exists():  # nobody else was quicker
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
