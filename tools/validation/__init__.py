"""Predicted beside measured times of real machines: what `make validate` does.

```text
 study file (study.py) --> rows (measured.py) --> a run of weir for each (predictions.py)
                                                        |  tables.py: errors in numbers
                                                        v
                                   pages.py: Markdown, CSV, JSON; figures.py: SVG
```
"""
