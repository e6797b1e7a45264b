"""Quantities as people read them: three or four digits and a unit."""

import math


class Quantity(str):
    """What people read, and the number that it stands for."""

    __slots__ = ("value",)

    value: float

    def __new__(cls, text: str, value: float) -> "Quantity":
        """The text is the string; the value is in picoseconds, bytes, bytes in a second, or a part of one."""
        made = super().__new__(cls, text)
        made.value = value
        return made

    def __getnewargs__(self) -> tuple[str, float]:  # type: ignore[override]
        """What a copy is made of."""
        return str(self), self.value


_TIMES = [(10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps")]
_BYTES = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")]
#: Seconds; simulated time ends long before.
_LONGEST = 1e12
_TIME_UNITS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}


def time(picoseconds: float) -> Quantity:
    """A time, as in `3.338 ms`."""
    scale, unit = time_unit(picoseconds)
    return Quantity(f"{_digits(picoseconds / scale)} {unit}", picoseconds)


def time_unit(picoseconds: float) -> tuple[int, str]:
    """The largest unit of which there is at least one, and how many picoseconds it has."""
    return next(((scale, unit) for scale, unit in _TIMES if abs(picoseconds) >= scale), (1, "ps"))


def data(count: float) -> Quantity:
    """An amount of data, as in `1.2 MB`; 1 kB is 1000 B."""
    scale, unit = next(((scale, unit) for scale, unit in _BYTES if abs(count) >= scale), (1, "B"))
    return Quantity(f"{_digits(count / scale)} {unit}", count)


def rate(count: float) -> Quantity:
    """An amount of data in a second, as in `1.2 GB/s`."""
    return Quantity(f"{data(count)}/s", count)


def ratio(part: float) -> Quantity:
    """How many times as much, as in `1.25`, and close to one with one digit more, as in `1.003`."""
    return Quantity(f"{part:.4g}" if part < 1.1 else f"{part:.3g}", part)


def load(part: float) -> Quantity:
    """A load, as a part of what could be carried, as in `0.3`."""
    return Quantity(f"{part:.3g}", part)


def number(count: float) -> Quantity:
    """A count with commas, as in `40,960`."""
    return Quantity(f"{count:,.0f}", count)


def percent(part: float) -> Quantity:
    """A part of one in three digits, as in `12.5 %`; less than a hundredth of a per cent is no more than that."""
    text = f"{100 * part:.3g}" if part >= 1e-4 or part <= 0 else "< 0.01"
    return Quantity(f"{text} %", part)


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
