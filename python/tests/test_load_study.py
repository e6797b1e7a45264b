"""Load studies from Python."""

from pathlib import Path
from typing import Any

import pytest

import weir

#: A full tree of two stages, 8 nodes.
TREE: dict[str, Any] = {
    "topology": {"kind": "fat-tree", "radix": 4, "stages": 2, "bandwidth": 10e9, "latency": 50e-9},
    "engine": {"kind": "packet", "threads": 1},
    "packet": {"mtu": 512},
    "workload": {"kind": "synthetic", "duration": 20e-6},
}


@pytest.fixture(autouse=True)
def _command(weir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies are run by the command, as it was built."""
    monkeypatch.setenv("WEIR", weir)


def test_a_study_has_a_curve_for_each_pattern_and_rule(tmp_path: Path) -> None:
    """Points, curves, the best rules and the folder."""
    study = weir.load_study(
        TREE,
        patterns=["uniform", "router-shift"],
        rules=["destination-mod", "source-mod"],
        loads=[0.1, 0.5, 1.0],
        set={"workload.shift": 2},
        out=tmp_path / "study",
    )
    curves = [(curve["pattern"], curve["rule"]) for curve in study.curves]
    both = ["destination-mod", "source-mod"]
    assert curves == [(pattern, rule) for pattern in ["uniform", "router-shift"] for rule in both]
    assert all(500e-9 < curve["zero_load_latency_s"] < 1e-6 for curve in study.curves)
    assert {0.1, 0.5, 1.0} <= {row["load"] for row in study}
    assert all(row["accepted_load"] < 1.1 * row["offered_load"] + 0.02 for row in study)
    assert study.table.num_rows == len(study) > 11
    assert set(study.best("router-shift")) <= set(both)
    assert study.saturation["accepted_part"] == 0.95
    assert (tmp_path / "study" / "curves.csv").is_file()
    with pytest.raises(ValueError, match="the study has uniform, router-shift"):
        study.best("tornado")


def test_forms_of_an_experiment_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text and a file give the same, and paths of a text are those of the current folder."""
    text = """
[topology]
kind = "graph"
file = "two.csv"
bandwidth = "1 GB/s"
[engine]
kind = "packet"
threads = 1
[workload]
kind = "synthetic"
duration = "50 us"
"""
    two = "source,target,source_kind,target_kind,latency\na,r,node,router,100 ns\nb,r,node,router,100 ns\n"
    (tmp_path / "two.csv").write_text(two)
    (tmp_path / "two.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    set_ = {"packet.mtu": 512}
    from_text, from_file = (weir.load_study(form, loads=[0.2, 0.9], set=set_) for form in (text, Path("two.toml")))
    assert list(from_text) == list(from_file)
    assert [curve["pattern"] for curve in from_text.curves] == ["uniform"]


def test_mistakes_are_those_of_the_command() -> None:
    """They name the key."""
    with pytest.raises(weir.RunError, match=r"topology\.routing = .?up"):
        weir.load_study(TREE, rules=["up"])
    with pytest.raises(TypeError, match="patterns: must be a list of texts"):
        weir.load_study(TREE, patterns="uniform")


def test_a_study_of_a_folder_goes_on(tmp_path: Path) -> None:
    """The second one finds all points."""
    studies = [weir.load_study(TREE, loads=[0.2, 0.9], out=tmp_path / "study") for _ in range(2)]
    assert list(studies[0]) == list(studies[1])
