"""The nightly toolchain, for what only that can do: fuzzing, Miri, sanitizers."""

import shutil
import subprocess
import sys

TARGET = "x86_64-unknown-linux-gnu"
TOOLCHAIN = "nightly"


def need(*components: str) -> None:
    """Installs the toolchain and components of it, where they are not there. Ends the program where that cannot be."""
    if not shutil.which("rustup"):
        sys.exit("rustup is missing: it installs the nightly toolchain (https://rustup.rs)")
    listed = subprocess.run(
        ["rustup", "component", "list", "--toolchain", TOOLCHAIN, "--installed"],
        capture_output=True,
        text=True,
        check=False,
    )
    there = listed.stdout.split() if listed.returncode == 0 else []
    missing = [name for name in components if not any(one.startswith(name) for one in there)]
    if listed.returncode != 0 or missing:
        command = ["rustup", "toolchain", "install", TOOLCHAIN, "--profile", "minimal"]
        for name in components:
            command += ["--component", name]
        subprocess.run(command, check=True)


def commit() -> str:
    """What is being tested."""
    described = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return described.stdout.strip() or "unknown"
