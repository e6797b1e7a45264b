#!/usr/bin/env python3
"""Puts together what a release consists of, in target/release-files: `make release`, which builds the wheel first.

    weir_sim-0.1.0-cp310-abi3-manylinux_2_28_x86_64.whl    the wheel of target/wheels
    weir-0.1.0.tar.gz                                      the sources of the last commit
    CHANGES.md                                             what the changelog says of this version
    SHA256SUMS                                             of all of them; `sha256sum --check SHA256SUMS`

Nothing is published, and nothing tagged. The exit status is 1, with a line for each reason, where the files of the project do
not agree on the version, where there is something that is not committed, or no wheel of this version.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "target" / "wheels"
FILES = ROOT / "target" / "release-files"
#: Where a version stands, and how.
VERSIONS = {
    "Cargo.toml": r'^version = "(.+)"$',
    "pyproject.toml": r'^version = "(.+)"$',
    "python/weir/__init__.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
}


def main() -> int:
    """Makes the files, and says what they are; the exit status."""
    found = versions(ROOT)
    version = found["Cargo.toml"]
    reasons = [f"{file} says version {one}, Cargo.toml {version}" for file, one in found.items() if one != version]
    changed = git("status", "--porcelain")
    reasons += [f"not committed: {line}" for line in changed.splitlines()]
    wheels = list(WHEELS.glob(f"weir_sim-{version}-*.whl"))
    reasons += [] if len(wheels) == 1 else [f"target/wheels has {len(wheels)} wheels of version {version}: make wheel"]
    changes = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    reasons += [] if changes else [f"CHANGELOG.md has nothing of version {version}"]
    if reasons:
        print("\n".join(f"no release: {reason}" for reason in reasons), file=sys.stderr)
        return 1
    shutil.rmtree(FILES, ignore_errors=True)
    FILES.mkdir(parents=True)
    shutil.copy(wheels[0], FILES)
    name = f"weir-{version}"
    git("archive", "--format", "tar.gz", "--prefix", f"{name}/", "--output", str(FILES / f"{name}.tar.gz"), "HEAD")
    (FILES / "CHANGES.md").write_text(changes, encoding="utf-8")
    (FILES / "SHA256SUMS").write_text(sums(FILES), encoding="utf-8")
    print(f"{FILES.relative_to(ROOT)}, of commit {git('describe', '--always')}")
    for file in sorted(FILES.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file.name}")
    return 0


def versions(root: Path) -> dict[str, str]:
    """The version that each file names."""
    texts = {file: (root / file).read_text(encoding="utf-8") for file in VERSIONS}
    return {file: match[1] if (match := re.search(VERSIONS[file], texts[file], re.M)) else "none" for file in VERSIONS}


def section(changelog: str, version: str) -> str:
    """What a changelog says of a version, or of what becomes this version: `## 0.1.0`, `## Unreleased (0.1.0)`."""
    for part in re.split(r"^(?=## )", changelog, flags=re.M)[1:]:
        head = part.splitlines()[0]
        if version in re.findall(r"\d+(?:\.\d+)+\S*?(?=[\s\]\)]|$)", head):
            return part
    return ""


def sums(folder: Path) -> str:
    """The checksums of all files of a folder, as `sha256sum --check` reads them."""
    return "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())
    )


def git(*arguments: str) -> str:
    """What git answers."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
