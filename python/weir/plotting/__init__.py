"""The figures of the report, each alone, for notebooks and files: `results.plot.machine()`.

```text
 Results.plot --> plots   what a figure draws, and the key that has it recorded
              '-> plot    one figure: in a notebook, or as a page in one file (page)
```
"""

from weir.plotting.plot import Plot
from weir.plotting.plots import Plots

__all__ = ["Plot", "Plots"]
