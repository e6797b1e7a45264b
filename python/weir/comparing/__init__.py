"""Runs side by side: `weir compare DIR DIR`, `python -m weir compare DIR DIR`, or `weir.compare([...])`.

```text
 Results, Results, ... --> comparison   differences (keys), verdicts (engines that disagree), rows (the table)
                       '-> page         machines on one scale (report.machine), charts, all in one file
```
"""

from weir.comparing.comparison import Comparison, Run, compare

__all__ = ["Comparison", "Run", "compare"]
