"""Arrays inside a page: compressed, as text that the browser does not look at until it is drawn.

```text
 32-bit integers -> differences of neighbors -> planes of bytes -> gzip -> base64
 floats --------------------------------------> planes of bytes -> gzip -> base64
 bytes ----------------------------------------------------------> gzip -> base64
```

Differences and planes make the regular numbers of machines small: 40,960 coordinates take a few kB.
`page.js` undoes it.
"""

import base64
import gzip
from array import array
from collections.abc import Iterable, Sequence


class Blobs:
    """The arrays of one page, by number."""

    def __init__(self) -> None:
        """None yet."""
        self.texts: list[str] = []

    def small(self, values: Iterable[int]) -> int:
        """Adds an array of bytes; its number."""
        return self.raw(bytes(values))

    def integers(self, values: Sequence[int]) -> int:
        """Adds an array of 32-bit integers; its number."""
        steps = (value - before for before, value in zip((0, *values), values, strict=False))
        # Differences are those of 32 bits, too.
        return self.planes(array("I", (step & 0xFFFFFFFF for step in steps)).tobytes(), 4)

    def floats(self, values: Iterable[float]) -> int:
        """Adds an array of floating-point numbers of 64 bits; its number."""
        return self.planes(array("d", values).tobytes(), 8)

    def planes(self, content: bytes, width: int) -> int:
        """Adds numbers of so many bytes: the first bytes of all, then the second ones."""
        return self.raw(b"".join(content[place::width] for place in range(width)))

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
