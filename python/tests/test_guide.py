"""What the documentation shows of the package runs as it stands there."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT


def blocks(page: str, language: str) -> list[str]:
    """The code of a page, in its order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_guide_runs(weir: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """From the first block to the last, with a cluster of two workers for Dask."""
    from distributed import LocalCluster

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEIR", weir)
    subprocess.run([weir, "cc", ROOT / "examples" / "ring.c", "-o", "ring"], check=True)
    shown = blocks("docs/guide/python.md", "python")
    assert len(shown) == 10
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    names: dict[str, Any] = {}
    with LocalCluster(host="127.0.0.1", **options) as cluster:
        for block in shown:
            exec(block.replace("scheduler.example:8786", cluster.scheduler_address), names)
    assert "</html>" in (tmp_path / "machine.html").read_text(encoding="utf-8")
    assert len(names["sweep"]) == 20 and names["result"].ranks == 128
    printed = capsys.readouterr().out
    assert "engine.kind must be one of flow, ideal, packet" in printed and "topology.shape" in printed


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its few lines, with the experiment that it shows."""
    monkeypatch.chdir(tmp_path)
    (experiment,) = [block for block in blocks("README.md", "toml") if block.startswith("# experiment")]
    (tmp_path / "all-to-all.toml").write_text(experiment)
    names: dict[str, Any] = {}
    (block,) = blocks("README.md", "python")
    exec(block, names)
    assert names["result"].simulated_s == pytest.approx(4.681e-3, rel=1e-3)
