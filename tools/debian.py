"""Sources of Debian packages, fetched through apt without being root and without changing anything of the system."""

import hashlib
import re
import subprocess
from pathlib import Path


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


def binary_sources() -> list[tuple[str, str, str]]:
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
            signed = f"signed-by={key}" if key.startswith("/") else ""
            for uri in fields.get("URIs", "").split():
                found += [(uri, suite, signed) for suite in fields.get("Suites", "").split()]
    return found


class SourceLists:
    """Lists of source packages in a folder of our own: nothing of the system changes, and root is not needed."""

    def __init__(self, folder: Path, binary: str):
        """Reads the lists of the archive that a binary package comes from."""
        self.folder = folder
        elsewhere = folder / "elsewhere"  # nothing is said of a package that is in the working folder
        elsewhere.mkdir()
        where = run(["apt-get", "download", "--print-uris", binary], elsewhere)
        archive = where.strip("'").split("/pool/")[0]
        lines = [
            f"deb-src {f'[{options}] ' if options else ''}{uri} {suite} main"
            for uri, suite, options in binary_sources()
            if uri.rstrip("/") == archive
        ]
        if not lines:
            raise CannotFetch(f"no package source in /etc/apt has the URI {archive}")
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
        self.options = [word for option in options for word in ("-o", option)]
        run(["apt-get", "update", *self.options], folder)

    def download(self, source: str) -> list[Path]:
        """Downloads the upstream archives of a source package."""
        run(["apt-get", "source", "--download-only", "--tar-only", *self.options, source], self.folder)
        paths = sorted(self.folder.glob(f"{source}_*.orig*.tar.*"))
        return [path for path in paths if path.suffix != ".asc"]


def sha256(path: Path) -> str:
    """The checksum of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
