"""The command `weir`: where it is, and how the script of that name becomes it."""

import os
import shutil
import sys
from pathlib import Path

from weir.errors import CommandNotFound

#: The folder of the package that has the command and its library, where they were installed together.
FOLDER = Path(__file__).resolve().parent / "bin"
#: Names the command, instead of looking for it.
VARIABLE = "WEIR"


def find() -> str | None:
    """The command: what the environment variable WEIR names, this package's, or that on the PATH; `None` without."""
    own = FOLDER / "weir"
    return os.environ.get(VARIABLE) or (str(own) if own.is_file() else shutil.which("weir"))


def path() -> str:
    """Like `find`; raises `CommandNotFound` without one."""
    if found := find():
        return found
    hint = "install weir with its command (pip install weir-sim), or name it in the environment variable WEIR"
    raise CommandNotFound(f"there is no command weir\n\nhint: {hint}")


def main() -> None:
    """The script `weir`: becomes the command, so that signals and launchers of MPI meet no process in between."""
    own = FOLDER / "weir"
    if not own.is_file():
        print(
            f"error: {own} is missing: this package was installed without the command\n\n"
            "hint: pip install weir-sim, or cargo install --locked --path crates/cli in weir's source folder",
            file=sys.stderr,
        )
        sys.exit(1)
    # This interpreter has the package that draws reports.
    os.environ.setdefault("WEIR_PYTHON", sys.executable)
    os.execv(own, [str(own), *sys.argv[1:]])
