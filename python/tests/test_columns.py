"""Columns as arrays: the numbers that Arrow gives, without pandas."""

import json
import random
import subprocess
import sys
from pathlib import Path

import folders
import numpy as np
import pyarrow as pa

from weir.report import columns
from weir.report.figure import Figure


def test_columns_are_what_arrow_says() -> None:
    """Of all types of the tables, in any number of parts that begin anywhere, with and without numbers."""
    chance = random.Random(3)
    for kind in (pa.uint8(), pa.uint32(), pa.int32(), pa.uint64(), pa.int64(), pa.float32(), pa.float64()):
        for _ in range(30):
            parts = []
            for _ in range(chance.randrange(4)):
                rows = [None if chance.random() < 0.3 else chance.randrange(200) for _ in range(chance.randrange(40))]
                parts.append(pa.array(rows, kind).slice(chance.randrange(5)))
            parts += [pa.nulls(3, kind)] if chance.random() < 0.2 else []
            column = pa.chunked_array(parts, kind)
            rows = column.to_pylist()
            assert columns.numbers(column).tolist() == [0 if one is None else one for one in rows]
            assert [None if one != one else one for one in columns.floats(column)] == rows
            for part in column.chunks:
                assert columns.numbers(part, 7).tolist() == [7 if one is None else one for one in part.to_pylist()]


def test_a_page_imports_no_pandas(tmp_path: Path) -> None:
    """Nor the classes of Plotly, although both are installed here."""
    folders.torus(tmp_path, [4, 4], intervals=10, packet=True, pairs=True)
    program = (
        "import sys, weir\nweir.report.render(weir.open(sys.argv[1]))\n"
        "print([name for name in ('pandas', 'plotly.graph_objs') if name in sys.modules])"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_figure_is_json() -> None:
    """Names with a line within, arrays of any kind, and NaN as null."""
    figure = Figure()
    figure.add_scatter(x=np.array([1, 2]), y=np.array([0.1234567, np.nan], np.float32), line_shape="hv", line_width=1)
    figure.add_heatmap(z=np.array([[1.0, np.nan]]), y=["a"])
    figure.update_xaxes(type="log")
    figure.update_xaxes(title="é")
    found = json.loads(figure.to_json())
    line = {"type": "scatter", "x": [1, 2], "y": [0.123457, None], "line": {"shape": "hv", "width": 1}}
    assert found["data"] == [line, {"type": "heatmap", "z": [[1.0, None]], "y": ["a"]}]
    assert found["layout"]["xaxis"] == {"type": "log", "title": "é"}
