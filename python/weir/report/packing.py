"""Arrays inside a page: compressed, as text that the browser does not look at until it is drawn.

```text
 int32 array -> differences of neighbours -> planes of bytes -> gzip -> base64
 float array -------------------------> planes of bytes -> gzip -> base64
 uint8 array ----------------------------------------------> gzip -> base64
```

Differences and planes make the regular numbers of machines small: 40,960 coordinates take a few kB.
`page.js` undoes it.
"""

import base64
import gzip
from typing import Any

import numpy as np
import numpy.typing as npt


class Blobs:
    """The arrays of one page, by number."""

    def __init__(self) -> None:
        """None yet."""
        self.texts: list[str] = []

    def small(self, values: npt.NDArray[np.uint8]) -> int:
        """Adds an array of bytes; its number."""
        return self.raw(values.astype(np.uint8).tobytes())

    def integers(self, values: npt.NDArray[np.int32] | npt.NDArray[np.int64]) -> int:
        """Adds an array of 32-bit integers; its number."""
        steps = np.diff(values.astype(np.int64), prepend=0).astype("<i4")
        planes = steps.view(np.uint8).reshape(-1, 4).T
        return self.raw(np.ascontiguousarray(planes).tobytes())

    def floats(self, values: npt.NDArray[np.floating[Any]]) -> int:
        """Adds an array of floating-point numbers, of 32 or 64 bits as it is; its number."""
        kind = "<f4" if values.dtype.itemsize == 4 else "<f8"
        planes = values.astype(kind).view(np.uint8).reshape(len(values), -1).T
        return self.raw(np.ascontiguousarray(planes).tobytes())

    def text(self, text: str) -> int:
        """Adds a text; its number."""
        return self.raw(text.encode())

    def raw(self, content: bytes) -> int:
        """Adds bytes; their number."""
        return self.packed(pack(content))

    def packed(self, text: str) -> int:
        """Adds what `pack` has made; its number."""
        self.texts.append(text)
        return len(self.texts) - 1


def pack(content: bytes) -> str:
    """Bytes as the page has them."""
    return base64.b64encode(gzip.compress(content, compresslevel=6, mtime=0)).decode()
