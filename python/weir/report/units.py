"""Quantities as people read them: three or four digits and a unit."""

import math

_TIMES = [(10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps")]
_BYTES = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")]
#: Seconds; simulated time ends long before.
_LONGEST = 1e12
_TIME_UNITS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}


def time(picoseconds: float) -> str:
    """A time, as in `3.338 ms`."""
    scale, unit = time_unit(picoseconds)
    return f"{_digits(picoseconds / scale)} {unit}"


def time_unit(picoseconds: float) -> tuple[int, str]:
    """The largest unit of which there is at least one, and how many picoseconds it has."""
    return next(((scale, unit) for scale, unit in _TIMES if abs(picoseconds) >= scale), (1, "ps"))


def data(count: float) -> str:
    """An amount of data, as in `1.2 MB`; 1 kB is 1000 B."""
    scale, unit = next(((scale, unit) for scale, unit in _BYTES if abs(count) >= scale), (1, "B"))
    return f"{_digits(count / scale)} {unit}"


def rate(count: float) -> str:
    """An amount of data in a second, as in `1.2 GB/s`."""
    return f"{data(count)}/s"


def number(count: float) -> str:
    """A count with commas, as in `40,960`."""
    return f"{count:,.0f}"


def percent(part: float) -> str:
    """A part of one, as in `12.5 %`."""
    return f"{_digits(100 * part)} %"


def picoseconds(text: object) -> int | None:
    """A time as experiments write it, `"10 us"` or seconds as a number; `None` if it is neither."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return round(text * 1e12) if abs(text) < _LONGEST else None
    words = str(text).split()
    if len(words) != 2 or words[1] not in _TIME_UNITS:
        return None
    try:
        return round(float(words[0]) * _TIME_UNITS[words[1]])
    except (ValueError, OverflowError):
        return None


def _digits(value: float) -> str:
    """Four digits, whole numbers as such."""
    if value == 0:
        return "0"
    places = max(0, 3 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
