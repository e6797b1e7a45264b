"""Columns as lists: what Arrow reads, without Arrow. And what is imported, or said when it is not there."""

import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import folders
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tomllib
from conftest import ROOT

import weir
from weir import _weir, extras
from weir.report.figure import Figure


def test_columns_are_what_arrow_says(tmp_path: Path) -> None:
    """Of all types of the tables, with and without values, in several files and row groups."""
    chance = random.Random(3)
    kinds = [pa.uint8(), pa.uint32(), pa.int32(), pa.uint64(), pa.int64(), pa.float32(), pa.float64()]
    for number in range(10):
        columns: dict[str, Any] = {}
        count = chance.randrange(60)
        for kind in kinds:
            rows = [None if chance.random() < 0.3 else chance.randrange(200) for _ in range(count)]
            columns[str(kind)] = pa.array(rows, kind)
        columns["empty"] = pa.nulls(count, pa.int64())
        columns["text"] = pa.array([chance.choice(["", "a", "é"]) for _ in range(count)])
        lists = [[chance.randrange(9) for _ in range(chance.randrange(4))] for _ in range(count)]
        columns["list"] = pa.array(lists, pa.list_(pa.uint32()))
        table = pa.table(columns).replace_schema_metadata({"weir.schema": "1", "weir.note": "é"})
        file = tmp_path / f"{number}.parquet"
        pq.write_table(table, file, row_group_size=17)
        names, notes = _weir.table_form(file)
        assert names == table.column_names and notes["weir.note"] == "é"
        assert _weir.table_columns([file], names) == [table[name].to_pylist() for name in names]
        assert _weir.table_columns([file, file], ["text"]) == [2 * table["text"].to_pylist()]
        known = {value for value in table["int64"].to_pylist() if value is not None}
        assert _weir.table_values([file], "int64") == sorted(known | ({0} if table["int64"].null_count else set()))


def test_results_without_arrow_are_those_with_it(tmp_path: Path) -> None:
    """Every table of a run."""
    folders.torus(tmp_path, [4, 4], intervals=10, packet=True, pairs=True)
    results = weir.open(tmp_path)
    assert len(results.tables) > 5
    for name in results.tables:
        assert results.columns(name) == results.table(name).to_pydict()
    assert list(results.columns("links", ["to", "from"])) == ["to", "from"]
    with pytest.raises(weir.MissingTable, match="no column 'other'"):
        results.columns("links", ["other"])
    (tmp_path / "links.parquet").write_bytes((tmp_path / "links.parquet").read_bytes()[:200])
    with pytest.raises(weir.DamagedFile, match=r"links\.parquet.*a Parquet file was expected"):
        results.columns("links")


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: By extra: its packages.
EXTRAS = {
    extra: {re.split(r"\W", package)[0] for package in packages}
    for extra, packages in PROJECT["optional-dependencies"].items()
    if extra != "test"
}
#: A Python in which none of the packages of the extras can be imported.
BARE = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(set().union(*EXTRAS.values()))}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
import weir
"""


def bare(program: str, *arguments: str) -> str:
    """What a program prints there."""
    command = [sys.executable, "-c", BARE + program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_page_needs_no_other_package(tmp_path: Path) -> None:
    """Report, comparison and each figure, where neither numpy nor pyarrow nor pandas is: the same pages as here."""
    folders.torus(tmp_path, [4, 4], intervals=10, packet=True, pairs=True)
    folders.calls(tmp_path, [[("MPI_Recv", 0, 2_000_000, 1_500_000)]])
    program = (
        "import hashlib\nresults = weir.open(sys.argv[1])\n"
        "pages = [weir.report.render(results), weir.compare([results, results]).html(), results.plot.matrix().html()]\n"
        "print([hashlib.sha256(page.encode()).hexdigest() for page in pages])\n"
    )
    here = subprocess.run(
        [sys.executable, "-c", "import sys, weir\n" + program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert bare(program, str(tmp_path)) == here.stdout.strip()


def test_what_needs_another_package_names_its_extra(tmp_path: Path) -> None:
    """Each function says which package it needs, and how to install it with that."""
    folders.torus(tmp_path, [4])
    for call, package in [
        ("weir.open(FOLDER).table('links')", "pyarrow"),
        ("list(weir.open(FOLDER).batches('links'))", "pyarrow"),
        ("weir.open(FOLDER).dataset('links')", "pyarrow"),
        ("weir.open(FOLDER).pandas('links')", "pandas"),
        ("weir.compare([FOLDER, FOLDER]).table()", "pyarrow"),
        ("weir.compare([FOLDER, FOLDER]).to_polars()", "polars"),
        ("weir.Sweep([], []).table", "pyarrow"),
        ("weir.Sweep([], []).to_pandas()", "pandas"),
        ("weir.Sweep([], []).to_xarray()", "xarray"),
        ("weir.open(FOLDER).plot.machine().write('x.svg')", "matplotlib"),
        ("weir.open(FOLDER).plot.latencies().write('x.pdf')", "matplotlib"),
        ("weir.Pattern.from_arrays([0], [1], 8)", "numpy"),
        ("weir.machine.to_networkx(weir.machine.torus([4], '1 GB/s', '1 us'))", "networkx"),
    ]:
        program = f"FOLDER = sys.argv[1]\ntry:\n    {call}\nexcept weir.MissingPackage as error:\n    print(error)\n"
        said = bare(program, str(tmp_path))
        assert f"needs the package {package}, which is not installed" in said, call
        extra = extras.EXTRAS[package]
        assert f"hint: python3 -m pip install 'weir-sim[{extra}]'" in said
        assert package in EXTRAS[extra]


def test_a_figure_is_json() -> None:
    """Names with a line within, six digits, and NaN as null."""
    figure = Figure()
    figure.add_scatter(x=[1, 2], y=[0.1234567, math.nan], line_shape="hv", line_width=1)
    figure.add_heatmap(z=[[1.0, math.nan]], y=["a"])
    figure.update_xaxes(type="log")
    figure.update_xaxes(title="é")
    found = json.loads(figure.to_json())
    line = {"type": "scatter", "x": [1, 2], "y": [0.123457, None], "line": {"shape": "hv", "width": 1}}
    assert found["data"] == [line, {"type": "heatmap", "z": [[1.0, None]], "y": ["a"]}]
    assert found["layout"]["xaxis"] == {"type": "log", "title": "é"}
