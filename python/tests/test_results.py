"""Reading results folders: what is there, and what is wrong with those that cannot be read."""

import json
from pathlib import Path
from typing import Any

import folders
import pyarrow.parquet as pq
import pytest

import weir
import weir.report
from weir.report import answer, command, machine
from weir.report.waiting import waiting


def test_tables_and_summary(tmp_path: Path) -> None:
    """A torus of 3 x 2 has 6 nodes, 6 routers, 12 links of nodes and 24 between routers."""
    folders.torus(tmp_path, [3, 2], intervals=4)
    results = weir.open(tmp_path)
    assert results.summary["nodes"] == 6
    assert results.tables == ["places", "links", "latencies", "series/links", "series/latencies"]
    assert results.table("links").num_rows == 36
    assert results.table("places", ["name"])["name"].to_pylist()[6] == "router (0,0)"
    assert list(results.pandas("links", ["kind", "bytes"]).columns) == ["kind", "bytes"]
    assert "series/links" in repr(results)


def test_parts_are_read_in_order_and_add_up(tmp_path: Path) -> None:
    """Two closed parts; one that is being written is not read."""
    folders.torus(tmp_path, [4], intervals=6)
    (tmp_path / "series/links/00002.parquet.partial").write_bytes(b"PAR1 and no more")
    results = weir.open(tmp_path)
    starts = results.table("series/links")["start_ps"].to_pylist()
    assert starts == sorted(starts)
    rows = sum(batch.num_rows for batch in results.batches("series/links", ["bytes"]))
    assert rows == len(starts)
    total = sum(results.table("series/links")["bytes"].to_pylist())
    assert total == pytest.approx(sum(results.table("links")["bytes"].to_pylist()), rel=1e-9)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    """It is named, with those that are."""
    folders.torus(tmp_path, [4], intervals=2)
    results = weir.open(tmp_path)
    for read in (lambda: results.table("series/links", ["byte"]), lambda: list(results.batches("links", ["byte"]))):
        with pytest.raises(weir.MissingTable) as raised:
            read()
        assert "has no column 'byte'" in str(raised.value)
        assert "bytes" in str(raised.value)
    assert results.dataset("links").count_rows() == results.table("links").num_rows


def test_metadata(tmp_path: Path) -> None:
    """What a file says of itself."""
    folders.torus(tmp_path, [4], pairs=True)
    assert weir.open(tmp_path).metadata("pairs")["weir.ranks_per_block"] == "1"


#: A summary with everything that a report reads.
EVERYTHING: dict[str, Any] = {
    "outcome": "deadlock",
    "latency_mean_s": 1e-6,
    "effective_bandwidth": 1e9,
    "offered_load": 0.5,
    "accepted_load": 0.4,
    "saturated": True,
    "warnings": ["look"],
    "tables": ["places", "links", "latencies"],
    "busiest_link": {"name": "a -> b", "utilization": 0.5},
    "tie_sensitivity": {"sensitive": True, "spread": 0.02, "runs": 8},
    "skeleton": {"charged_s": 0.11},
    "experiment": {
        "engine": {"kind": "flow", "sharing": "iterative"},
        "workload": {"kind": "program", "compute": "none", "warmup": "1 us"},
        "output": {"sample_interval": "1 us"},
        "topology": {"kind": "torus", "shape": [4, 4]},
    },
    "explanation": {
        "limit": "wall time",
        "why": "it ended",
        "rank": 3,
        "channels": [
            {
                "link": "a -> b",
                "virtual_channel": 0,
                "packets": 2,
                "waits_for_link": "b -> a",
                "waits_for_virtual_channel": 1,
            }
        ],
        "cycle": [0, 1],
        "waiting": [{"rank": 0, "call": "MPI_Recv", "peer": 1, "details": {"tag": "7"}}],
    },
}


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every field, items of lists included."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [field for key in keys for field in [(*path, key), *paths(value[key], (*path, key))]]


def test_every_field_of_a_summary_of_every_type(tmp_path: Path, no_command: None) -> None:
    """Wherever something else stands in a summary, or nothing: a report, or one line that says what is wrong."""
    folders.torus(tmp_path, [4, 4], intervals=2, **EVERYTHING)
    file = tmp_path / "summary.json"
    whole = json.loads(file.read_text())
    weir.report.render(weir.open(tmp_path))
    refused = 0
    wrong: list[Any] = [None, True, -1, 0, 1.5, 1e300, 10**400, "", "text", [], [1], ["a"], [{}], {}, {"a": 1}]
    for path in paths(whole):
        for value in [*wrong, "(leave it out)"]:
            changed = json.loads(json.dumps(whole))
            place = changed
            for key in path[:-1]:
                place = place[key]
            if value == "(leave it out)":
                del place[path[-1]]
            else:
                place[path[-1]] = value
            file.write_text(json.dumps(changed))
            try:
                results = weir.open(tmp_path, allow_incomplete=True)
                answer.answer(results.summary, command.bound(results), 1, 1)
                machine.measured(results, None)
                assert results.has("links") and isinstance(waiting(results), list)
            except weir.ResultsError as error:
                refused += 1
                assert "\n" not in error.problem and len(error.problem) < 400, error.problem
    assert refused > 200
    file.write_bytes(b'{"schema_version": 1,\n"title":\n"\xff"}')
    with pytest.raises(weir.DamagedFile) as caught:
        weir.open(tmp_path)
    assert "line 3 is not UTF-8" in str(caught.value)


def test_tables_of_another_run(tmp_path: Path) -> None:
    """A table says which run it is of; one of another run, or of none, is refused."""
    folders.torus(tmp_path, [4], intervals=2, run="a")
    for name, run in [("links", "a"), ("places", "b"), ("series/links", None)]:
        for file in [tmp_path / f"{name}.parquet"] if "/" not in name else (tmp_path / name).glob("*.parquet"):
            table = pq.read_table(file)
            metadata = {**table.schema.metadata, **({b"weir.run": run.encode()} if run else {})}
            pq.write_table(table.replace_schema_metadata(metadata), file)
    results = weir.open(tmp_path)
    assert results.table("links").num_rows == 16
    for name in ("places", "series/links"):
        with pytest.raises(weir.DamagedFile) as caught:
            results.table(name)
        assert "another run" in str(caught.value)


def check(error: weir.ResultsError, path: Path, *words: str) -> None:
    """An error names the path, and has these words; a hint is there."""
    assert error.path == path
    assert str(path) in str(error)
    assert "\n\nhint: " in str(error)
    for word in words:
        assert word in str(error), error


def test_no_results_folder(tmp_path: Path) -> None:
    """A folder that is not there, a file, a folder with other things in it."""
    with pytest.raises(weir.NotResults) as caught:
        weir.open(tmp_path / "nowhere")
    check(caught.value, tmp_path / "nowhere", "no such folder", "--out DIR")
    (tmp_path / "file").write_text("text")
    with pytest.raises(weir.NotResults) as caught:
        weir.open(tmp_path / "file")
    check(caught.value, tmp_path / "file", "is a file")
    with pytest.raises(weir.NotResults) as caught:
        weir.open(tmp_path)
    check(caught.value, tmp_path, "not a results folder", "summary.json")


def test_a_run_that_was_killed(tmp_path: Path) -> None:
    """Tables without a summary: refused, but their complete parts can be read on request."""
    folders.torus(tmp_path, [4], intervals=4)
    assert weir.open(tmp_path).complete
    (tmp_path / "summary.json").unlink()
    with pytest.raises(weir.IncompleteResults) as caught:
        weir.open(tmp_path)
    check(caught.value, tmp_path, "has not ended", "allow_incomplete=True", "weir report")
    results = weir.open(tmp_path, allow_incomplete=True)
    assert results.summary == {} and results.table("series/links").num_rows > 0
    assert not results.complete
    # What is known of a run when it begins.
    begun = {"schema_version": 1, "title": "it", "engine": "flow", "nodes": 4, "experiment": {}}
    (tmp_path / "begun.json").write_text(json.dumps(begun), encoding="utf-8")
    results = weir.open(tmp_path, allow_incomplete=True)
    assert results.summary == begun and not results.complete
    # It may be all that there is.
    (tmp_path / "only").mkdir()
    (tmp_path / "begun.json").rename(tmp_path / "only/begun.json")
    with pytest.raises(weir.IncompleteResults):
        weir.open(tmp_path / "only")
    assert weir.open(tmp_path / "only", allow_incomplete=True).tables == []


def test_a_table_is_lost(tmp_path: Path) -> None:
    """The summary names a table that is not there."""
    folders.torus(tmp_path, [4])
    (tmp_path / "latencies.parquet").unlink()
    with pytest.raises(weir.IncompleteResults) as caught:
        weir.open(tmp_path)
    check(caught.value, tmp_path, "latencies", "incomplete")


def test_a_newer_schema(tmp_path: Path) -> None:
    """Of the summary, and of a table."""
    folders.torus(tmp_path, [4])
    folders.write_table(tmp_path / "latencies.parquet", "latencies", {"kind": ["message"]}, schema="2")
    with pytest.raises(weir.NewerSchema) as caught:
        weir.open(tmp_path).table("latencies")
    check(caught.value, tmp_path / "latencies.parquet", "weir.schema 2", "knows 1", "pip install")
    folders.summary(tmp_path, schema_version=3)
    with pytest.raises(weir.NewerSchema) as caught:
        weir.open(tmp_path)
    check(caught.value, tmp_path / "summary.json", "schema_version 3", "pip install")


@pytest.mark.parametrize("content", ["", '{"schema_version": 1, "title"', "[1]", '{"title": "x"}', "\x00\x01"])
def test_a_damaged_summary(tmp_path: Path, content: str) -> None:
    """Empty, cut off, or something else."""
    (tmp_path / "summary.json").write_text(content)
    with pytest.raises(weir.DamagedFile) as caught:
        weir.open(tmp_path)
    check(caught.value, tmp_path / "summary.json", "summary of a run was expected")


def test_a_damaged_part(tmp_path: Path) -> None:
    """The second part is cut off: the error names it, whether all is read at once or a piece at a time."""
    folders.torus(tmp_path, [4], intervals=6)
    part = tmp_path / "series/links/00001.parquet"
    part.write_bytes(part.read_bytes()[:200])
    results = weir.open(tmp_path)
    with pytest.raises(weir.DamagedFile) as caught:
        results.table("series/links")
    check(caught.value, part, "Parquet file was expected")
    with pytest.raises(weir.DamagedFile) as caught:
        list(results.batches("series/links"))
    check(caught.value, part)


def test_a_file_that_is_not_parquet(tmp_path: Path) -> None:
    """Text under the name of a table."""
    folders.torus(tmp_path, [4])
    (tmp_path / "links.parquet").write_text("link,name\n0,x\n")
    with pytest.raises(weir.DamagedFile) as caught:
        weir.open(tmp_path).table("links")
    check(caught.value, tmp_path / "links.parquet", "Parquet file was expected")


def test_parquet_of_somebody_else(tmp_path: Path) -> None:
    """Parquet without weir's metadata."""
    folders.torus(tmp_path, [4])
    pq.write_table(pq.read_table(tmp_path / "links.parquet").replace_schema_metadata({}), tmp_path / "links.parquet")
    with pytest.raises(weir.DamagedFile) as caught:
        weir.open(tmp_path).table("links")
    check(caught.value, tmp_path / "links.parquet", "not a table of weir")


def test_a_table_that_was_not_recorded(tmp_path: Path) -> None:
    """The hint says what has it recorded; a name that does not exist lists those that do."""
    folders.torus(tmp_path, [4])
    results = weir.open(tmp_path)
    with pytest.raises(weir.MissingTable) as caught:
        results.table("pairs")
    check(caught.value, tmp_path, "output.pairs = true")
    with pytest.raises(weir.MissingTable) as caught:
        results.table("link")
    check(caught.value, tmp_path, "no table named 'link'", "links")


def test_every_key_of_a_summary_is_there(tmp_path: Path) -> None:
    """The summary is handed on as it is."""
    expected = folders.summary(tmp_path, title="as it is", extra={"a": 1})
    assert weir.open(tmp_path).summary == json.loads(json.dumps(expected))
