"""Pages as a reader follows them from top to end: files are written, commands run, blocks of Python are executed.

CONTRIBUTING.md ("Commands in pages") has the forms: which block is a file, which one is printed, and how a command that
fails or never ends says so.
"""

import contextlib
import io
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conftest import ROOT

#: How the names of files end, by the language of their blocks.
ENDINGS = {"bash": "sh", "c": "[ch]", "csv": "(?:csv|swf)", "python": "py", "toml": "toml"}
#: How long a command may take, in seconds of a busy computer; then it is killed (-9).
LONGEST = 120
#: These lines have a time, memory or address of this computer, or say that something is left out.
OF_THIS_RUN = re.compile(r"wall-clock|they cost|^ *(?:memory|time)  |^written: |^\s*\.\.\.$|^follow it: ")
#: A number with its unit, as tables have it.
QUANTITY = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(?: (ps|ns|us|µs|ms|s)\b)?")
SECONDS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0}
#: A number with its unit, as it is measured.
MEASURED = re.compile(r"[+-]?\b\d[\d.,]*(?:e[+-]?\d+)?(?: (?:ps|ns|us|ms|s|GB/s))?\b")


@dataclass
class Block:
    """A block of code: where it stands, its language, and what is in it."""

    page: str
    line: int
    language: str
    text: str
    #: The paragraphs before and behind it.
    before: str
    after: str
    #: The heading above it.
    heading: str

    def name(self) -> str | None:
        """The name under which a reader saves it, if it is a file."""
        if self.language not in ENDINGS:
            return None
        name = rf"`([\w.-]+\.{ENDINGS[self.language]})`"
        if match := re.match(rf"(?:#|//) ([\w-]+\.{ENDINGS[self.language]})\n", self.text):
            return match[1]
        found = re.search(rf"into\s{name}[:.]|{name}[^`]*:\Z", self.before) or re.match(rf"As {name}:", self.after)
        return next(filter(None, found.groups())) if found else None


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """All blocks of a page, in its order."""
    found: list[Block] = []
    heading, paragraph, lines = "", "", []
    text = (ROOT / page).read_text(encoding="utf-8") if text is None else text
    inside = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("```"):
            inside = not inside
            if inside:
                found.append(Block(page, number + 1, line[3:].strip(), "", " ".join(lines) or paragraph, "", heading))
                lines = []
            paragraph = ""
        elif inside:
            found[-1].text += line + "\n"
        elif line.startswith("#"):
            heading, paragraph = line, ""
        elif line:
            lines.append(line)
        elif lines:
            paragraph, lines = " ".join(lines), []
            if found and not found[-1].after:
                found[-1].after = paragraph
    return found


def rows_of(page: str) -> list[tuple[int, str, str]]:
    """The rows of all tables of a page: the line and the heading above it, and the row."""
    found, heading, inside = [], "", False
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        inside ^= line.startswith("```")
        if not inside and line.startswith("#"):
            heading = line
        if not inside and line.startswith("|"):
            found.append((number, heading, line))
    return found


def quantities(text: str) -> list[tuple[str, float, float]]:
    """The numbers with a fraction or a unit of time in a text: as they stand, in seconds, half their last digit."""
    found = []
    for number, unit in QUANTITY.findall(text):
        digits = number.replace(",", "")
        if unit or "." in digits:
            places = len(digits.partition(".")[2]) if "e" not in digits else 0
            found.append((f"{number} {unit}", float(digits) * SECONDS[unit], 0.51 * 10**-places * SECONDS[unit]))
    return found


def commands(block: str) -> list[str]:
    """The commands of a block: a line each, or as many lines as the shell needs for one."""
    found, begun = [], ""
    for line in block.splitlines():
        begun += line + "\n"
        whole = not line.endswith("\\")
        whole = whole and subprocess.run(["bash", "-n", "-c", begun], capture_output=True, check=False).returncode == 0
        if whole and begun.strip() and not begun.startswith("#"):
            found.append(begun.strip())
        if whole:
            begun = ""
    assert not begun, f"no end: {begun}"
    return found


@dataclass
class Reader:
    """Somebody who follows a page in a folder of their own."""

    folder: Path
    environment: dict[str, str]
    #: Commands that are not run, by how they begin.
    left_out: dict[str, str]
    #: Pages whose numbers are those of one computer.
    measured: bool = False
    #: By how much numbers may differ from those that are shown.
    tolerance: float = 0.0
    #: What stands in Python for what only its reader has.
    replaced: dict[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    #: What commands have printed, by the heading above them.
    printed: dict[str, list[str]] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)

    def follow(self, blocks: list[Block]) -> None:
        """From the first block to the last one."""
        printed, section = None, ""
        for block in blocks:
            if block.heading != section:
                printed, section = None, block.heading
            if name := block.name():
                (self.folder / name).write_text(block.text, encoding="utf-8")
            elif block.language == "sh":
                printed = [line for command in commands(block.text) for line in self.run(block, command)]
                self.printed.setdefault(section, []).extend(printed)
            elif block.language == "python":
                printed = self.execute(block)
            elif block.language == "text" and printed is not None:
                self.compare(block, printed)

    def compare_tables(self, page: str) -> None:
        """Each number of a table below commands has been printed by one of them, perhaps in another unit."""
        for number, heading, row in rows_of(page):
            if heading in self.printed:
                known = [value for _, value, _ in quantities("\n".join(self.printed[heading]))]
                for shown, value, half in quantities(row):
                    if not any(abs(value - other) <= half for other in known):
                        self.mistakes.append(f"{page}:{number}: {shown} is not printed by a command of {heading}")

    def is_left_out(self, command: str) -> bool:
        """Whether a test cannot run this."""
        return command.startswith(tuple(self.left_out))

    def run(self, block: Block, command: str) -> list[str]:
        """The lines that a command prints."""
        if self.is_left_out(command):
            return []
        status = re.search(r"# .*exit status (\d+)", command)
        started = subprocess.Popen(
            ["bash", "-eu", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert started.stdout
        too_long = threading.Timer(LONGEST, os.killpg, (started.pid, signal.SIGKILL))
        too_long.start()
        printed = ""
        if "Ctrl-C" in command:
            printed = started.stdout.readline()
            os.killpg(started.pid, signal.SIGINT)
        printed += started.communicate()[0]
        too_long.cancel()
        expected = int(status[1]) if status else 0
        if started.returncode != expected:
            self.report(block, f"{command}\nended with {started.returncode}, not {expected}\n{printed}")
        return printed.splitlines()

    def execute(self, block: Block) -> list[str]:
        """The lines that a block of Python prints."""
        if self.is_left_out(block.text):
            return []
        printed = io.StringIO()
        text = block.text
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        with contextlib.redirect_stdout(printed):
            exec(compile(text, f"{block.page}:{block.line}", "exec"), self.names)
        return printed.getvalue().splitlines()

    def compare(self, block: Block, printed: list[str]) -> None:
        """Each line that is shown has been printed, in this order."""
        rest: Iterator[str] = iter(printed)
        for shown in block.text.splitlines():
            if not shown.strip() or OF_THIS_RUN.search(shown):
                continue
            if not any(self.alike(shown, line) for line in rest):
                text = "\n".join(printed) or "nothing"
                self.report(block, f"shows\n{shown}\nbut at this place it is not printed:\n{text}")
                return

    def alike(self, shown: str, line: str) -> bool:
        """Whether a line is printed as it is shown."""
        if self.measured:
            shown, line = (" ".join(MEASURED.sub("#", text).split()) for text in (shown, line))
        if shown.rstrip() == line.rstrip():
            return True
        one, other = shown.split(), line.split()
        # Where a fit determines nothing, its numbers may be any.
        loose = "none" in one
        return self.tolerance > 0 and len(one) == len(other) and all(map(self.near, one, other, [loose] * len(one)))

    def near(self, one: str, other: str, loose: bool) -> bool:
        """Whether two words are the same, or numbers that are nearly the same."""
        try:
            return loose or abs(float(one) / float(other) - 1) < self.tolerance
        except ValueError:
            return one == other or (loose and one[-1] == other[-1] == "s")

    def report(self, block: Block, what: str) -> None:
        """Keeps a mistake with its place."""
        self.mistakes.append(f"{block.page}:{block.line}: {what}")
