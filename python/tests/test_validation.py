"""`tools/validation`: predicted beside measured times."""

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from validation import __main__, figures, measured, pages, predictions, study, tables  # noqa: E402
from validation.measured import Row  # noqa: E402
from validation.predictions import Validation  # noqa: E402
from validation.study import Mistake  # noqa: E402

#: By how much an error may be greater than the recorded one.
SLACK = 0.02
#: Study, job, collective, algorithm, bytes and error of each row.
RECORDED = Path(__file__).with_name("validation_rows.txt")
STUDY = """
title = 'Four nodes'
source = 'made up'
about = 'A few rows.'
data = 'rows.csv'
machine = 'machine.toml'
notes = 'notes.md'
large_from = '1 KiB'
[calibration]
jobs = ['2x2']
keys = ['node.send_overhead']
[published]
'node.send_overhead' = '1 us (us)'
[fallback]
within = 0.01
share = 0.5
[[target]]
name = 'all'
goal = 'median'
at_most = 0.05
[[target]]
name = 'choices'
goal = 'best-within'
within = 0.1
at_least = 0.9
[[ablation]]
name = 'send overhead'
set = ['node.send_overhead=0 ns']
"""
MACHINE = """
[topology]
kind = 'torus'
shape = [2, 2]
bandwidth = '1 GB/s'
latency = '0 ns'
[node]
send_overhead = '1 us'
[engine]
kind = 'flow'
"""
# A message takes a microsecond and its bytes; those of the tree follow each other. The flat algorithm of 2x4 is the
# library's choice.
ROWS = """job_shape,collective,bytes,algorithm,median_ns
2x2,bcast,4000,binomial,10000
2x2,bcast,64,binomial,2128
2x4,bcast,64,default,3000
2x4,bcast,4000,default,20000
2x4,bcast,64,binomial,3192
2x4,bcast,4000,binomial,15000
2x4,bcast,64,chain,7000
2x4,bcast,4000,chain,35000
2x4,bcast,64,linear,3000
2x4,bcast,4000,linear,20010
2x4,bcast,64,secret,3000
"""
FILES = {
    "study.toml": STUDY,
    "machine.toml": MACHINE,
    "rows.csv": ROWS,
    "notes.md": "## Where weir is wrong, and why\n\nNowhere.\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weir: str) -> Path:
    """The files of a study, in the current folder."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEIR", weir)
    return tmp_path


def ended(*words: str) -> tuple[int, str, str]:
    """The exit status of the tool, and what it prints."""
    out, problems = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(problems):
        status = __main__.main([*words, "--quiet"])
    return status, out.getvalue(), problems.getvalue()


def test_a_study_is_predicted_and_written(folder: Path) -> None:
    """Tables, pages, figures, and what a fit finds."""
    words = ("study.toml", "--fit", "--ablations", "--out", "pages", "--built-from", "abc1234")
    status, printed, _ = ended(*words)
    assert status == 0
    for line in ("Four nodes: made up", "Targets", "without", "bcast linear on 2x4: the library took its own choice"):
        assert line in printed
    page = (folder / "pages/study.md").read_text()
    for text in (
        "# Four nodes: predicted and measured\n",
        "built from abc1234",
        "## Where weir is wrong, and why\n\nNowhere.\n",
        "![study-bcast.svg](study-bcast.svg)",
        "| node.send_overhead | 1 us | ",
        "| bcast has no algorithm secret |",
        "## What each part contributes",
    ):
        assert text in page
    assert len((folder / "pages/study.csv").read_text().splitlines()) == len(ROWS.splitlines())
    for name in ("study.svg", "study-bcast.svg"):
        svg = (folder / "pages" / name).read_text()
        assert svg.startswith("<svg") and svg.endswith("</svg>\n")
    assert not (folder / "pages/README.md").exists()


def test_numbers_are_those_of_the_rows(folder: Path) -> None:
    """Errors are those of the rows that nothing was fitted to, and do not depend on the threads."""
    (found,) = json.loads(ended("study.toml", "--json", "--threads", "1")[1])
    assert [found] == json.loads(ended("study.toml", "--json", "--threads", "3")[1])
    errors = sorted(row["error"] for row in found["rows"] if row["counts"] and not row["fitted_to"])
    assert (len(errors), len(found["rows"])) == (4, 8)
    assert found["targets"][0]["value"] == errors[1] and found["targets"][1]["of"] == 2
    assert [len(one["lines"]) for one in found["left_out"]] == [1, 2]


def test_a_prefix_of_algorithms_is_no_part_of_their_names(folder: Path) -> None:
    """Rows without it are left out."""
    (folder / "study.toml").write_text(STUDY.replace("large_from", "algorithm_prefix = 'own-'\nlarge_from"))
    (folder / "rows.csv").write_text(ROWS.replace(",binomial", ",own-binomial").replace(",default", ",own-default"))
    (found,) = json.loads(ended("study.toml", "--json")[1])
    assert {row["algorithm"] for row in found["rows"]} == {"binomial", None}
    assert "the algorithm does not begin with own-" in [one["reason"] for one in found["left_out"]]


def test_rows_are_judged_by_the_time_that_a_table_names(folder: Path) -> None:
    """The first table that names a row counts; targets are shown by medians, too."""
    lines = ROWS.splitlines()
    of_p10 = [f"{line},{int(line.rpartition(',')[2]) // 2}" for line in lines[1:]]
    (folder / "rows.csv").write_text("\n".join([lines[0] + ",p10_ns", *of_p10]) + "\n")
    tables_of = "[[times]]\njobs = ['2x4']\nfrom = '4000 B'\ncolumn = 'p10_ns'\nreason = 'two modes'\n"
    tables_of += "[[times]]\nfrom = '4000 B'\ncolumn = 'median_ns'\nreason = 'none'\n"
    (folder / "study.toml").write_text(STUDY + tables_of)
    (found,) = json.loads(ended("study.toml", "--json")[1])
    times = {
        (row["job"], row["algorithm"], row["bytes"]): (row["measured_is"], round(1e9 * row["measured_s"]))
        for row in found["rows"]
    }
    assert times["2x4", "chain", 4000] == ("p10", 17500) and times["2x4", "chain", 64] == ("median", 7000)
    assert times["2x2", "binomial", 4000] == ("median", 10000)
    printed = ended("study.toml")[1]
    assert "by medians alone" in printed and "p10     two modes" in printed
    assert "by medians alone" not in ended_without_times(folder)
    (folder / "study.toml").write_text(STUDY + tables_of.replace("p10_ns", "p20_ns"))
    status, _, problems = ended("study.toml")
    assert status == 2 and "[[times]] column = 'p20_ns': line 5 has no such time" in problems


def ended_without_times(folder: Path) -> str:
    """What is printed of the study that names no other times."""
    (folder / "study.toml").write_text(STUDY)
    return ended("study.toml")[1]


def test_all_studies_have_a_page_of_all(folder: Path) -> None:
    """`all` stands for the studies of the folder `validation`, which are listed without a name."""
    (folder / "validation").mkdir()
    for name in ("study.toml", "rows.csv", "notes.md"):
        (folder / name).rename(folder / "validation" / name)
    text = STUDY.replace("'machine.toml'", "'../machine.toml'")
    (folder / "validation/study.toml").write_text(text)
    assert "Four nodes" in ended()[1]
    assert ended("all", "--out", "pages")[0] == 0
    assert "## [Four nodes](study.md)\n\n### Targets\n" in (folder / "pages/README.md").read_text()


def test_what_is_wrong_is_refused(folder: Path) -> None:
    """Each with the file, the key and what would do."""
    for before, after, words in (
        ("'median'", "'mean'", "[[target]] number 1, goal = 'mean': is not known"),
        ("'rows.csv'", "'none.csv'", "none.csv: No such file"),
        ("'notes.md'", "'notes.md'\nother = 1", "other: is no key here"),
        ("'node.send_overhead']", "'node.sent']", "node.sent: is not in"),
        ("=0 ns", "=much", "[[ablation]] send overhead: no row can be run"),
        ("jobs = ['2x2']", "jobs = []", "no row is left that can be predicted"),
    ):
        (folder / "study.toml").write_text(STUDY.replace(before, after))
        status, _, problems = ended("study.toml", "--ablations")
        assert status == 2 and words in problems
    assert ended("nothing")[0] == 2
    with pytest.raises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        __main__.main(["--fit"])


def test_mistakes_of_a_study_are_named_together() -> None:
    """Each with its place."""
    text = """title = 7\nsource = 's'\ndata = 'd'\nlarge_from = 4\nwhat = 1
    [calibration]\njobs = '2x2x2'\nloss = 'cubes'\nwithin = 0.5
    [fallback]\nwithin = 2.0
    [[target]]\nname = 'a'\ngoal = 'mean'\n[[target]]\ngoal = 'median'
    [[ablation]]\nname = 'b'\nset = [1]\nunset = []\n"""
    with pytest.raises(Mistake) as refused:
        study.read("study.toml", text)
    expected = [
        "study.toml: title = 7: must be a text in quotes",
        "study.toml: machine: is missing",
        "study.toml: large_from = 4: must be a size in quotes",
        "study.toml: what: is no key here",
        "study.toml: [calibration] jobs = '2x2x2': must be a list of texts",
        "study.toml: [calibration] loss = 'cubes': is not known",
        "study.toml: [calibration] within = 0.5: must be above 1",
        "study.toml: [fallback] within = 2.0: must be from 0 to 1",
        "study.toml: [fallback] share: is missing",
        "study.toml: [[target]] number 1, goal = 'mean': is not known",
        "study.toml: [[target]] number 2, name: is missing",
        "study.toml: [[target]] number 2, at_most: is missing",
        "study.toml: [[ablation]] number 1, set = [1]: must be a list of texts",
        "study.toml: [[ablation]] number 1, unset: is no key here",
    ]
    found = [line for line in str(refused.value).splitlines() if line.startswith("study.toml")]
    assert len(found) == len(expected)
    assert all(any(line.startswith(one) for line in found) for one in expected)
    with pytest.raises(Mistake, match="study.toml: cannot be read"):
        study.read("study.toml", "title = ")


def given(text: str = "") -> dict[str, Any]:
    """A study with these tables."""
    start = "title = 't'\nsource = 's'\ndata = 'd.csv'\nmachine = 'm.toml'\nlarge_from = '1 KiB'\n"
    return {**study.read("t.toml", start + "[calibration]\njobs = ['2x2x2']\n" + text), "name": "t"}


def row(job: str, algorithm: str | None, size: int, ratio: float, chosen: tuple[str, ...] = ()) -> Row:
    """A row of 1 ms with this ratio of the predicted to the measured time."""
    calibrates = job == "2x2x2" and algorithm is not None
    return Row(1, "bcast", job, algorithm, size, 1e-3, [], 1e-3 * ratio, calibrates, list(chosen))


TARGETS = """
[[target]]\nname = 'median'\ngoal = 'median'\nat_most = 0.05
[[target]]\nname = 'large'\nfrom = '1 KiB'\ngoal = 'rows-within'\nwithin = 0.2\nat_least = 0.75
[[target]]\nname = 'best'\njobs = ['4x4x4']\ngoal = 'best-within'\nwithin = 0.1\nat_least = 0.9
"""


def validation(*rows: Row) -> Validation:
    """What was found, if these rows were predicted."""
    return Validation(given(TARGETS), list(rows), {}, {}, None, {})


def test_targets_are_judged_by_rows_that_were_not_fitted_to() -> None:
    """Of 4x4x4 the errors are 1 %, 4 %, 30 % and, of large rows, 4 % and 30 %; rows that calibrate, those that keys
    were chosen by and the library's choice are in no number.
    """
    found = validation(
        row("2x2x2", "binomial", 4096, 9.0),
        row("4x4x4", None, 4096, 9.0),
        row("4x4x4", "binomial", 64, 1.01),
        row("4x4x4", "binomial", 4096, 0.96),
        row("4x4x4", "chain", 4096, 1.3),
        row("8x8x8", "chain", 4096, 9.0, ("a.b", "c.d")),
    )
    reached = [(one.of, round(one.value or 0.0, 6), one.is_met) for one in tables.reached(found)]
    assert reached == [(3, 0.04, True), (2, 0.5, False), (1, 1.0, True)]
    assert tables.targets(found).rows[1][3:] == ["50.0 %", "missed"]
    roles = [line[:4] for line in tables.jobs(found).rows]
    assert ["4x4x4", "all", "predicted", "3"] in roles and ["8x8x8", "all", "chosen by: a.b, c.d", "1"] in roles
    nothing = validation(row("2x2x2", "binomial", 4096, 1.0))
    assert tables.targets(nothing).rows[0][4] == "nothing to judge"
    assert not any(one.is_met for one in tables.reached(nothing))


def test_rows_are_chosen_by_job_collective_algorithm_and_size() -> None:
    """Both ends of sizes belong to them; hyphens and underscores are the same."""
    (chosen,) = given(
        "[[chosen]]\njobs = ['2x2x2', '4x4x4']\nfrom = '1 KiB'\nto = '4 KiB'\n"
        "algorithms = ['ring', 'linear_sync']\nkeys = ['a.b']\n"
    )["chosen"]
    for job, algorithm, size, is_in in (
        ("4x4x4", "ring", 1024, True),
        ("4x4x4", "linear-sync", 4096, True),
        ("4x4x4", "ring", 1023, False),
        ("4x4x4", "ring", 4097, False),
        ("4x4x4", "chain", 4096, False),
        ("8x8x8", "ring", 1024, False),
        ("4x4x4", None, 4096, False),
    ):
        assert predictions._chose(chosen, row(job, algorithm, size, 1.0)) == is_in


def test_tables_figures_and_rows_have_what_was_found() -> None:
    """Two rows in all forms."""
    found = validation(row("4x4x4", "binomial", 64, 0.5), row("4x4x4", "binomial", 4096, 1.25))
    assert (
        pages.to_csv(found).splitlines()[1]
        == "1,4x4x4,bcast,binomial,64,1000000,median,500000,0.5000,0.5000,2.0000,no,"
    )
    markdown = pages.markdown(tables.jobs(found))
    assert markdown.startswith("## By job\n\n")
    assert "| 4x4x4 | from 1 KiB | predicted | 1 | 25.0 % |" in markdown
    curves = figures.curves(found, "bcast")
    assert curves and curves.count("%</title>") == 2
    assert "4x4x4, bcast binomial, 64 B: -50.0 %" in figures.scatter(found)
    assert figures.curves(found, "gather") is None


def test_numbers_of_ten_errors() -> None:
    """Of ten errors the fifth and the ninth; an error on the limit is within it."""
    errors = [0.2, 3.0, 0.01, 0.03, 0.02, 0.5, 0.04, 0.15, 0.1, 0.19]
    assert tables.tally(errors) == (10, 0.1, 0.5, 5, 8)
    assert tables.tally([0.15]) == (1, 0.15, 0.15, 0, 1) and tables.tally([]) is None
    assert tables.middle([4.0, 1.0, 3.0, 2.0]) == 2.0 and tables.middle([]) is None
    assert [tables.percent(part) for part in (0.0, 0.0004, 0.0512, 12.0)] == ["0.0 %", "0.040 %", "5.1 %", "1200 %"]
    assert [tables.sized(size) for size in (4, 2048, 1536, 1 << 29)] == ["4 B", "2 KiB", "1536 B", "512 MiB"]
    assert [tables.share(1, 3), tables.share(0, 0)] == ["33 %", ""]
    values = [("203.4561 ns", "203.5 ns"), ("1500 ns", "1.5 us"), ("6.339412 GB/s", "6.339 GB/s"), (0.25, "0.25")]
    assert [tables.shown(*tables.quantity(value)) for value, _ in values] == [text for _, text in values]


def test_best_algorithms_are_found_and_missed() -> None:
    """1 B: binomial is the best in both. 2 B: weir calls chain best, which takes 12 instead of 10. 4 B: a single
    algorithm is no choice, and the library's own is none.
    """
    times = [
        ("binomial", 1, 5.0, 4.0),
        ("chain", 1, 6.0, 4.5),
        (None, 1, 1.0, 1.0),
        ("binomial", 2, 10.0, 9.0),
        ("chain", 2, 12.0, 8.0),
        ("pipeline", 2, 20.0, 30.0),
        ("binomial", 4, 1.0, 1.0),
    ]
    found = tables.choices(Row(1, "bcast", "2x2x2", name, size, of, [], at) for name, size, of, at in times)
    assert [one[2:] for one in found] == [(1, 2, "binomial", "binomial", 1.0), (2, 3, "chain", "binomial", 1.2)]


def refused(job: str, times: dict[str | None, list[float]], library: str = "") -> set[str | None]:
    """The algorithms whose rows were left out, with times for 1, 2, 4, ... bytes."""
    own = given("[fallback]\nwithin = 0.01\nshare = 0.5\n" + library)
    rows = [Row(1, "bcast", job, name, 1 << at, seconds) for name, of in times.items() for at, seconds in enumerate(of)]
    places = [at for at, _ in measured._refused(own, rows)]
    # All rows of an algorithm are, those that differ too.
    names = {rows[at].algorithm for at in places}
    assert len(places) == sum(len(times[name]) for name in names)
    return names


def test_what_fell_back_is_found_and_the_librarys_choice_is_kept() -> None:
    """`linear` is the same as the library's choice but for the first size; `chain` by chance at one of four, `binary`
    at two of six; `binomial` from 2 B on because the library chooses it there.
    """
    times: dict[str | None, list[float]] = {
        None: [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
        "linear": [3.0, 2.01, 4.01, 7.99, 16.0, 32.0],
        "chain": [1.5, 2.5, 4.0, 9.0],
        "binary": [1.5, 2.5, 4.0, 9.0, 16.0, 50.0],
        "binomial": [1.2, 2.0, 4.0, 8.0, 16.0, 32.0],
    }
    assert refused("2x2x2", times) == {"binomial", "linear"}
    library = "[[library]]\nfrom = '2 B'\nalgorithm = 'binomial'\n"
    assert refused("2x2x2", times, library) == {"linear"}
    assert refused("2x2x2", times, library.replace("from", "jobs = ['4x4x4']\nfrom")) == {"binomial", "linear"}
    assert refused("2x2x2", {"linear": [1.0, 2.0]}) == set()


def of_rows(name: str, lines: list[list[str]], folder: Path) -> dict[tuple[str, ...], Row]:
    """The rows of a study that ships that these lines name, predicted."""
    own = study.load(ROOT / "validation" / f"{name}.toml")
    head, *rows = own["data"].read_text().splitlines()
    place = {column: at for at, column in enumerate(head.split(","))}
    wanted, kept = {tuple(line[1:5]) for line in lines}, []
    for text in rows:
        fields = text.split(",")
        job = fields[place["job_shape"]] if "job_shape" in place else f"{fields[place['nodes']]}-nodes"
        algorithm = fields[place["algorithm"]].replace("_", "-").removeprefix(own["algorithm_prefix"])
        if (job, fields[place["collective"]], algorithm, fields[place["bytes"]]) in wanted:
            kept.append(text)
    assert len(kept) == len(wanted), "each line names a row"
    own["data"] = folder / "rows.csv"
    own["data"].write_text("\n".join([head, *kept]) + "\n")
    found = predictions.validate(own, 2, set(), lambda _: None)
    return {(row.job.replace(" ", "-"), row.operation, row.algorithm or "", str(row.bytes)): row for row in found.rows}


def test_recorded_rows_have_not_become_worse(tmp_path: Path) -> None:
    """`WEIR_WRITE_GOLDEN=1` records the errors as they are."""
    lines, now = [line.split() for line in RECORDED.read_text().splitlines()], []
    for name in ("fugaku", "marenostrum5"):
        own = [line for line in lines if line[0] == name]
        rows = of_rows(name, own, tmp_path)
        now += [[*line[:5], f"{rows[tuple(line[1:5])].error:.3f}"] for line in own]
    text = "".join(" ".join(line) + "\n" for line in now)
    if "WEIR_WRITE_GOLDEN" in os.environ:
        RECORDED.write_text(text)
    worse = [line for line, before in zip(now, lines, strict=True) if float(line[5]) > float(before[5]) + SLACK]
    assert not worse, f"WEIR_WRITE_GOLDEN=1 records\n{text}"


def test_long_reduce_scatters_along_a_ring_take_longer_than_predicted(tmp_path: Path) -> None:
    """Open MPI registers pieces of a long block with the interface again and again, which is not modeled."""
    lines = [["", "32-nodes", "reduce_scatter", "ring", size] for size in ("67108864", "536870912")]
    found = of_rows("marenostrum5", lines, tmp_path)
    # docs/concepts/limitations.md has these numbers.
    assert [f"{1.0 / row.ratio:.1f}" for row in found.values()] == ["2.0", "1.3"]
