"""The programs of paper 001 and their skeletons: compiled by `weir cc`, run on the ideal network, and timed."""

import dataclasses
import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

from papers.running import PAPERS, ROOT, Campaign, Failed


@dataclass(frozen=True)
class Command:
    """How to run a variant of a program."""

    variant: str
    args: tuple[str, ...]
    ranks: int
    #: What is charged for a program's own work: `measured`, or `none`: only what clock calls say.
    compute: str = "measured"
    #: Whether messages arrive with what they hold, which those of a skeleton need not.
    data: bool = True

    def lengths_only(self) -> "Command":
        """The same, messages without what they hold."""
        return dataclasses.replace(self, data=False)


@dataclass(frozen=True)
class Typical:
    """The medians of several runs.

    Not the shortest times, which on a busy computer are more often undisturbed where runs are short.
    """

    simulated_s: float
    #: Processor time of the run, or wall-clock time where the system does not report that.
    logging_s: float
    #: The summary of the run with that simulated time.
    summary: dict[str, Any]

    @classmethod
    def of(cls, runs: Sequence[tuple[float, dict[str, Any]]]) -> "Typical":
        """Of logging times and summaries, at least one."""
        middle = (len(runs) - 1) // 2
        logging_s = sorted(logging_s for logging_s, _ in runs)[middle]
        summary = sorted((summary for _, summary in runs), key=lambda summary: int(summary["simulated_ps"]))[middle]
        return cls(summary["simulated_s"], logging_s, summary)

    @property
    def skeleton(self) -> dict[str, Any]:
        """What was charged: clock calls, instructions, blocks."""
        nothing = {
            "clock_calls": 0,
            "charged_s": 0.0,
            "call_cost_s": 0.0,
            "clock_calls_cost_s": 0.0,
            "instructions": 0.0,
            "blocks": [],
        }
        return dict(self.summary.get("skeleton") or nothing)

    @property
    def blocks(self) -> dict[str, dict[str, Any]]:
        """Blocks of the skeleton by name."""
        return {block["name"]: block for block in self.skeleton["blocks"]}

    @property
    def traffic(self) -> tuple[int, int]:
        """Messages and bytes: what a skeleton must not change."""
        return self.summary["messages"], self.summary["bytes"]


class Programs:
    """The compiled variants of a program of `examples/skeletons`, in a folder."""

    def __init__(
        self, campaign: Campaign, name: str, options: Sequence[str], variants: dict[str, str], folder: Path
    ) -> None:
        """Compiles the variants: names, and macros to define."""
        self.campaign, self.name, self.folder = campaign, name, folder
        source = ROOT / "examples" / "skeletons" / f"{name}.c"
        for variant, define in variants.items():
            words = [*options, *([f"-D{define}"] if define else []), str(source), "-o", str(self._path(variant)), "-lm"]
            done = subprocess.run([campaign.weir, "cc", *words], capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(f"{name}.c: does not compile:\n{done.stderr}")

    def _path(self, variant: str) -> Path:
        return self.folder / f"{self.name}-{variant}"

    def run(self, commands: Sequence[Command], rounds: int) -> list[Typical]:
        """Runs variants in turn, nothing beside them, in so many rounds.

        Whatever else the computer does meets all of them alike. The results are in the order of the commands.
        """
        runs = [[self._run(command) for command in commands] for _ in range(rounds)]
        return [Typical.of(of_command) for of_command in zip(*runs, strict=True)]

    def _run(self, command: Command) -> tuple[float, dict[str, Any]]:
        """Processor time and summary of a run in a process of its own, as `weir sweep` runs programs."""
        name = f"{self.name} {command.variant}, {command.ranks} ranks, {' '.join(command.args)}"
        experiment = tomllib.loads((PAPERS / "001-psi-sim" / "program.toml").read_text())
        experiment["workload"] |= {
            "program": str(self._path(command.variant)),
            "args": ["-q", "1", *command.args],
            "ranks": command.ranks,
            "compute": command.compute,
            "data": command.data,
        }
        # For skeletons that count instructions: a cycle of 1 ns each.
        experiment["node"] = {"cpi": 1, "clock": "1 GHz"}
        request = {"experiment": json.dumps(experiment), "asked": "Run", "shows": False}
        begun = time.monotonic()
        answer = json.loads(self.campaign.command(["serve-run"], name, json.dumps(request)))
        self.campaign.watch(name, 1, 1, time.monotonic() - begun)
        if "Ok" not in answer:
            raise Failed(f"{name}: {answer}")
        run = answer["Ok"]["run"]
        if run["outcome"] != "Finished" or run["exit_codes"]:
            raise Failed(f"{name}: ended with {run['outcome']}, {run['exit_codes']}")
        summary = run["summary"]
        return summary["wall_s"] if run["processor_s"] is None else run["processor_s"], summary


def with_notes(notes: list[str], cores: int) -> list[str]:
    """The notes of an item, and those that both figures have."""
    entries = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines()[::-1] if ":" in line)
    entries = {key.strip(): value.strip() for key, value in entries.items()}
    processor = entries.get("model name", "a processor of unknown name")
    clock = f", {entries['cpu MHz']} MHz" if "cpu MHz" in entries else ""
    return [
        *notes,
        f"Measured on {processor}{clock}, {cores} cores, of which a run uses one. The paper: Intel Xeon 3.0 GHz, 8 "
        "nodes of 2 processors, gcc 3.2.3, MPICH 2 (table 1).",
        "Logging time is the processor time of the run on the ideal network; times and errors depend on the computer "
        "and on what else it does: they are shown, not judged. Judged is what does not: that the skeleton sends what "
        "the program sends, and the order of logging times and of numbers of clock calls.",
    ]
