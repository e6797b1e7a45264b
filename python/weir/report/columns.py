"""Columns of Arrow tables as arrays of numpy.

`to_numpy` and `fill_null` of Arrow import pandas where it is installed, which takes longer than the whole page.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

_NAMES = {"double": "float64", "float": "float32"}


def numbers(column: Any, missing: float = 0) -> npt.NDArray[Any]:
    """The numbers of a column or a part of it; `missing` where it has none."""
    parts = [_part(part, missing) for part in getattr(column, "chunks", [column])]
    return np.concatenate(parts) if parts else np.zeros(0)


def floats(column: Any) -> npt.NDArray[np.float64]:
    """The numbers of a column as floats; NaN where it has none."""
    return numbers(column.cast("float64"), np.nan)


def _part(part: Any, missing: float) -> npt.NDArray[Any]:
    kind = np.dtype(_NAMES.get(str(part.type), str(part.type)))
    known, values = part.buffers()
    here = slice(part.offset, part.offset + len(part))
    if len(part) == part.null_count:
        return np.full(len(part), missing, kind)
    found = np.frombuffer(values, kind)[here]
    if part.null_count:
        bits = np.unpackbits(np.frombuffer(known, np.uint8), bitorder="little")
        found = np.where(bits[here] == 1, found, np.array(missing, kind))
    return found
