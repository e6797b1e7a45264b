"""The notebook of the guides runs from its first cell to its last, and gives the numbers it should."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs" / "guide" / "weir.ipynb"


def cells() -> Any:
    """The notebook as it is stored."""
    return nbformat.read(NOTEBOOK, as_version=4)


def test_it_is_stored_without_outputs() -> None:
    """Outputs are large, and those of another version would stay."""
    notebook = cells()
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 10
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_it_runs(weir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a kernel of its own: simulated times, utilizations, figures, and the files that it says it writes."""
    monkeypatch.setenv("WEIR", weir)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    notebook = cells()
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where).execute()

    def shown(start: str, kind: str = "text/plain") -> str:
        (cell,) = [one for one in notebook.cells if one.cell_type == "code" and one.source.startswith(start)]
        return str(cell.outputs[-1]["data"][kind])

    def numbers(line: str, text: str) -> list[float]:
        (found,) = re.findall(rf"^{line}(.*)$", text, re.MULTILINE)
        return [float(one) for one in found.split()]

    assert float(shown("round(result.simulated_s")) == 111.916
    times = shown("sizes = [")
    assert numbers("1024", times) == [44.432, 28.112]
    assert numbers("4096", times) == [176.528, 111.916], "of the packet engine as in the first run"
    assert numbers("16384", times) == [704.912, 810.674]
    assert numbers("4096", shown('(times["packet"]')) == [0.63]
    assert "router (0,2) -&gt; router (0,3)" in shown("results = result.open()", "text/html")
    assert float(shown("round(float(between")) == 0.5856
    compared = shown("tree = {")
    assert numbers("0 +torus", compared)[1] == 1
    assert numbers("1 +fat-tree", compared)[1] == pytest.approx(1.6998, abs=1e-3)
    for figure, title in [
        ("machine", "The machine"),
        ("causes", "Where the time went"),
        ("congestion", "Congestion"),
    ]:
        frame = shown(f"results.plot.{figure}()", "text/html")
        assert frame.startswith('<iframe class="weir-plot" title="' + title) and "&lt;/html&gt;" in frame
    assert shown("sweep.plot()", "text/html").startswith('<iframe class="weir-plot" title="simulated_s')
    for page in ("matrix", "compare"):
        assert "</html>" in (tmp_path / "results" / f"{page}.html").read_text(encoding="utf-8")
