"""Graphs of work as tables: Arrow reads them, what Arrow writes is read, and wrong cells are named with their rows."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TEXT = """weir-graph 1
title two streams
ranks 2
communicator 2: 1 0
0 compute 3 us
0 send 1 20000 tag 7
0 compute 5 us stream 1 requires 0
0 allreduce 8 element 8 op sum type double comm 2
1 recv any 20000 tag 7
1 compute 2 us stream 1 begun 0
1 compute 1 us stream 2 requires
1 allreduce 8 element 8 op sum type double comm 2
"""
ON = ["--engine", "ideal", "--set", "engine.latency=1us", "--set", "engine.bandwidth=10GB/s"]


def convert(weir: str, source: Path, out: Path) -> "subprocess.CompletedProcess[str]":
    """Runs `weir convert`."""
    return subprocess.run([weir, "convert", source, out], capture_output=True, text=True, check=False)


@pytest.fixture
def table(weir: str, tmp_path: Path) -> Path:
    """The table of the text."""
    text, out = tmp_path / "two.graph", tmp_path / "two.parquet"
    text.write_text(TEXT, encoding="utf-8")
    done = convert(weir, text, out)
    assert done.returncode == 0, done.stderr
    return out


def test_arrow_reads_a_graph(weir: str, table: Path) -> None:
    """Columns are those of the page, and the table runs as the text does."""
    read = pq.read_table(table)
    assert read.schema.metadata[b"weir.graph"] == b"1"
    assert read.schema.metadata[b"weir.communicators"].split() == [b"2:", b"1", b"0"]
    columns = read.to_pydict()
    assert columns["rank"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert columns["kind"] == ["compute", "send", "compute", "allreduce", "recv", "compute", "compute", "allreduce"]
    assert columns["compute_ps"] == [3_000_000, 0, 5_000_000, 0, 0, 2_000_000, 1_000_000, 0]
    assert columns["stream"] == [0, 0, 1, 0, 0, 1, 2, 0]
    assert columns["requires"] == [None, None, [0], None, None, [], [], None]
    assert columns["begun"] == [None, None, [], None, None, [0], [], None]
    assert columns["peer"] == [None, 1, None, None, None, None, None, None]
    back = table.with_name("back.graph")
    assert convert(weir, table, back).returncode == 0
    assert back.read_text(encoding="utf-8") == TEXT
    digests = []
    for file in (back, table):
        done = subprocess.run([weir, "replay", "-q", "--json", file, *ON], capture_output=True, text=True, check=True)
        digests.append(json.loads(done.stdout)["digest"])
    assert digests[0] == digests[1]


def test_rows_of_ranks_may_take_turns(weir: str, table: Path) -> None:
    """Those of each rank stand in their order; row groups may have any size."""
    read = pq.read_table(table)
    turns = read.take([0, 4, 1, 5, 6, 2, 7, 3])
    mixed, back = table.with_name("mixed.parquet"), table.with_name("back.graph")
    pq.write_table(turns, mixed, row_group_size=3)
    done = convert(weir, mixed, back)
    assert done.returncode == 0, done.stderr
    assert back.read_text(encoding="utf-8") == TEXT


WRONG: list[tuple[str, int, Any, str]] = [
    ("rank", 3, 2, "row 3: there is no rank 2: the graph has 2 ranks"),
    ("kind", 1, "sendd", 'row 1: kind = "sendd" is no kind'),
    ("kind", 1, "wait", "row 1: wait cannot be a task"),
    ("kind", 1, "isend", "row 1: isend cannot be a task"),
    ("compute_ps", 0, -1, "row 0: times run backwards"),
    ("compute_ps", 1, 5, "row 1: only compute has a time"),
    ("took_ps", 1, 5, "row 1: only compute has a time (compute_ps), and no task has took_ps"),
    ("request", 1, 0, "row 1: a task has no request"),
    ("bytes", 0, 9, "row 0: a computation has its time in compute_ps, and nothing in other columns"),
    ("peer", 1, 7, "row 1: there is no rank 7 in communicator 0, which has 2"),
    ("tag", 1, None, "row 1: send needs a tag"),
    ("communicator", 3, 9, "row 3: there is no communicator 9"),
    ("stream", 2, 65_536, "row 2: stream 65536: numbers of streams are up to 65535"),
    ("requires", 2, [2], "row 2: task 2 of rank 0 requires task 2, which does not come before it"),
    ("begun", 2, [-1], "row 2: requires task -1: numbers of tasks are at least 0"),
]


@pytest.mark.parametrize(("column", "row", "value", "expected"), WRONG)
def test_wrong_cells_are_named(weir: str, table: Path, column: str, row: int, value: Any, expected: str) -> None:
    """Each with its row."""
    read = pq.read_table(table)
    cells = read[column].to_pylist()
    cells[row] = value
    place = read.schema.get_field_index(column)
    wrong = read.set_column(place, read.schema.field(column), pa.array(cells, read.schema.field(column).type))
    refused(weir, wrong, table, expected)


def refused(weir: str, wrong: pa.Table, table: Path, expected: str) -> None:
    """Checks that a table is refused with status 2 and these words, and that nothing is written."""
    path, out = table.with_name("wrong.parquet"), table.with_name("none.graph")
    pq.write_table(wrong, path)
    done = convert(weir, path, out)
    assert done.returncode == 2 and expected in done.stderr, done.stderr
    assert not out.exists()


def test_wrong_tables_are_refused(weir: str, table: Path) -> None:
    """By their metadata, their columns and their bytes."""
    read = pq.read_table(table)
    notes = {key: value for key, value in read.schema.metadata.items() if key != b"weir.seal"}
    for key, value, expected in [
        (b"weir.graph", b"2", 'weir.graph = "2" must be 1: weir knows no other version'),
        (b"weir.ranks", b"0", 'weir.ranks = "0" must be a whole number from 1 to'),
        (b"weir.tasks", b"7", "weir.tasks = 7, but there are 8 rows"),
        (b"weir.communicators", b"2: 5", "weir.communicators: 2: 5: 5 must be ranks"),
    ]:
        refused(weir, read.replace_schema_metadata({**notes, key: value}), table, expected)
    refused(weir, read.drop_columns(["begun"]), table, "column 14 must be begun, a list of INT64")
    renamed = read.rename_columns(["renamed" if name == "stream" else name for name in read.column_names])
    refused(weir, renamed.replace_schema_metadata(notes), table, "column 12 must be stream, INT32")
    whole = table.read_bytes()
    for damaged, expected in [(whole[: len(whole) // 2], "cut off"), (whole[:40] + b"?" + whole[41:], "damaged")]:
        table.write_bytes(damaged)
        done = subprocess.run([weir, "replay", table, *ON], capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
        assert expected in done.stderr, done.stderr
