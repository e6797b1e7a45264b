"""A results folder as one page: `weir report DIR`, `python -m weir report DIR`, or `weir.report.write`.

```text
 Results --> answer    the first screen: time, bound, outcome, limits of validity
        |--> layout, machine, series    the drawing and its values over time --> packing
        |--> command   lower bound and routes, which the command `weir` computes
        |--> charts    Plotly: over time, latencies, communication matrix
        '--> page      all of it in one file, English and Japanese (texts)
```
"""

from weir.report.page import Language, render, write

__all__ = ["Language", "render", "write"]
