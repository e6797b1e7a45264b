"""Results of the interconnect simulator weir: read as tables, drawn as a page.

>>> import weir
>>> results = weir.open("results/first")          # doctest: +SKIP
>>> results.summary["simulated_s"]                # doctest: +SKIP
>>> results.table("links").to_pandas()            # doctest: +SKIP

`weir.results` reads, `weir.report` draws. Nothing here simulates: the command `weir` does.
"""

from weir.errors import DamagedFile, IncompleteResults, MissingTable, NewerSchema, NotResults, ResultsError
from weir.results import Results, open

__all__ = [
    "DamagedFile",
    "IncompleteResults",
    "MissingTable",
    "NewerSchema",
    "NotResults",
    "Results",
    "ResultsError",
    "open",
]
__version__ = "0.1.0"
