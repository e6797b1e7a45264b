"""Predicts the rows of a study, and what else is asked for."""

import csv
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

from validation import measured
from validation.measured import LeftOut, Row
from validation.study import Mistake, among
from weir import _weir, command, running
from weir.errors import ExperimentError, WeirError
from weir.experiment import Input


@dataclass
class Validation:
    """All that is known of a study."""

    study: dict[str, Any]
    #: The rows that were predicted, in the order of the file.
    rows: list[Row]
    left_out: LeftOut
    #: The fitted keys, with the values of the machine file.
    values: dict[str, Any]
    #: What `weir calibrate --json` prints, if a fit was asked for.
    fit: dict[str, Any] | None
    #: Predicted seconds without each part, by the places of rows; `None` where there is no run without the part.
    without: dict[str, dict[int, float | None]]


def validate(study: dict[str, Any], threads: int, extras: set[str], watch: Callable[[str], None]) -> Validation:
    """Predicts all rows of a study with its machine file as it is; `extras` may have `fit` and `ablations`.

    Raises `Mistake` for what is wrong with the files. A row that cannot be run is left out.
    """
    values = {key: _value(study, key) for key in study["calibration"]["keys"]}
    read, left_out = measured.read(study)
    watch(f"{len(read)} rows")
    rows = []
    for row, found in zip(read, _predict(study, [], read, threads), strict=True):
        if isinstance(found, str):
            left_out[f"{row.operation}: {found}"].append(row.line)
            continue
        row.predicted = found
        row.calibrates = row.counts and row.is_of(study["calibration"])
        if not row.calibrates:
            row.chosen = [key for chosen in study["chosen"] if _chose(chosen, row) for key in chosen["keys"]]
        rows.append(row)
    if not any(row.is_judged for row in rows):
        hint = "; ".join(sorted(left_out)[:5]) or "rows of [calibration] are fitted to, not predicted"
        raise Mistake(f"{study['name']}: {study['data']}: no row is left that can be predicted\n\nhint: {hint}")
    without = {}
    for part in study["ablation"] if "ablations" in extras else []:
        watch(f"without {part['name']}")
        without[part["name"]] = _leave_out(study, part, rows, threads)
    fit = None
    if "fit" in extras and values:
        watch("fit")
        fit = _fit(study, [row for row in rows if row.calibrates], threads)
    return Validation(study, rows, left_out, values, fit, without)


def _chose(chosen: dict[str, Any], row: Row) -> bool:
    """Whether keys were chosen by a row."""
    if not chosen["algorithms"]:
        return row.is_of(chosen)
    named = row.algorithm is not None and among(chosen["algorithms"], row.algorithm)
    return named and row.is_of(chosen)


def _predict(study: dict[str, Any], sets: list[str], rows: list[Row], threads: int) -> list[float | str]:
    """Seconds of rows, or why there are none, with these keys beside those of the study."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(lambda row: _seconds(row.given(study, sets)), rows))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            running.interrupt()
            raise


def _seconds(given: Input) -> float | str:
    try:
        summary = json.loads(_weir.run(given) or "")
    except ExperimentError as error:
        # Without places and values: a reason that many rows share is given once.
        return "; ".join(f"{problem.key}: {problem.what}" for problem in error.problems)
    except WeirError as error:
        return str(error)
    if summary["outcome"] != "finished":
        return "the run does not come to its end"
    times = sorted(summary.get("repetitions_ps", []))
    time = times[len(times) // 2] * 1e-12 if times else 0.0
    # The same digits as a fit, which compares logarithms.
    return math.exp(math.log(time)) if time else "takes no time in weir"


def is_ablated(study: dict[str, Any], row: Row) -> bool:
    """Whether a row is predicted again without parts of the model."""
    return row.is_judged and (study["ablations_to"] is None or row.bytes <= study["ablations_to"])


def _leave_out(study: dict[str, Any], part: dict[str, Any], rows: list[Row], threads: int) -> dict[int, float | None]:
    places = [at for at, row in enumerate(rows) if is_ablated(study, row)]
    found = _predict(study, part["set"], [rows[at] for at in places], threads)
    if found and all(isinstance(one, str) for one in found):
        raise Mistake(f"[[ablation]] {part['name']}: no row can be run: {found[0]}")
    return {at: None if isinstance(one, str) else one for at, one in zip(places, found, strict=True)}


def _value(study: dict[str, Any], name: str) -> Any:
    """The value of a key, or of an element of its list, in the machine file with what the study sets."""
    key, _, last = name.rpartition(".")
    key, element = (key, int(last)) if last.isdigit() else (name, None)
    at: Any = measured.machine(study)
    for step in key.split("."):
        try:
            at = at[int(step)] if isinstance(at, list) else at[step]
        except (KeyError, IndexError, TypeError, ValueError):
            at = None
    for override in study["set"]:
        if override.partition("=")[0].strip() == key:
            text = override.partition("=")[2].strip()
            try:
                at = tomllib.loads(f"value = {text}")["value"]
            except tomllib.TOMLDecodeError:
                at = text
    value = at if element is None or not isinstance(at, list) or element >= len(at) else at[element]
    if not isinstance(value, str | int | float):
        raise Mistake(f"{name}: is not in {study['machine']}: the fit starts from the value there")
    return value


def _fit(study: dict[str, Any], rows: list[Row], threads: int) -> dict[str, Any]:
    """What `weir calibrate` finds from the values of the machine file on, by these rows."""
    calibration = study["calibration"]
    seconds = {row.line: row.seconds for row in rows}
    with tempfile.TemporaryDirectory(prefix="weir-validation-") as folder:
        table = Path(folder) / "rows.csv"
        with open(study["data"], encoding="utf-8-sig", newline="") as file, open(table, "w", newline="") as out:
            given = csv.DictReader(file)
            writer = csv.DictWriter(out, given.fieldnames or [])
            writer.writeheader()
            for record in given:
                if given.line_num in seconds:
                    (time,) = set(measured.TIMES) & set(record)
                    by = {time: seconds[given.line_num] / measured.TIMES[time]}
                    algorithm = record["algorithm"].removeprefix(study["algorithm_prefix"])
                    writer.writerow({**record, **by, "algorithm": algorithm})
        # The scale of the loss is a factor of 0.1 in logarithms.
        options = ["--within", calibration["within"], "--loss", calibration["loss"], "--loss-scale", math.expm1(0.1)]
        options += ["--folds", 0, "--threads", threads, "--json", "--quiet"]
        sets = [word for override in study["set"] for word in ("--set", override)]
        words = [command.path(), "calibrate", table, study["machine"], "--fit", ",".join(calibration["keys"])]
        words = [str(word) for word in [*words, *options, *sets]]
        done = subprocess.run(words, capture_output=True, text=True, env=os.environ)
    if done.returncode:
        raise Mistake(done.stderr.removeprefix("error: ").strip())
    fit: dict[str, Any] = json.loads(done.stdout)
    return fit
