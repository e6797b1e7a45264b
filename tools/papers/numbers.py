"""Numbers for people, and sums as the tables have always had them."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal


def plain(number: float) -> str:
    """The shortest digits that are this number, never with an exponent."""
    text = format(Decimal(repr(float(number))), "f")
    return text.removesuffix(".0")


def scientific(number: float) -> str:
    """The shortest digits with an exponent: 1e6."""
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    places = "".join(map(str, digits))
    fraction = f".{places[1:]}" if places[1:] else ""
    return f"{'-' * sign}{places[0]}{fraction}e{int(exponent) + len(places) - 1}"


def rounded(number: float) -> int:
    """The nearest whole number, halves away from zero."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def shown(number: float) -> str:
    """Whole numbers with commas between thousands, others with at most four significant digits."""
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    size = math.floor(math.log10(abs(number)))
    if size >= 4:
        return f"{rounded(number):,}"
    if size >= -5:
        text = f"{number:.{3 - size}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = f"{number:.3e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def percent(part: float) -> str:
    """A part as per cent, with its sign."""
    return "0 %" if abs(part) < 5e-6 else f"{100.0 * part:+.2f} %"


def total(numbers: Iterable[float]) -> float:
    """The sum, number after number: `sum` of newer versions of Python rounds in another way."""
    result = 0.0
    for number in numbers:
        result += number
    return result


def mean(numbers: Sequence[float]) -> float:
    """The mean of one number at least."""
    return total(numbers) / len(numbers)


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The exponent with which y grows with x: the slope of the least squares through the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = mean([x for x, _ in logs]), mean([y for _, y in logs])
    covariance = total((x - mean_x) * (y - mean_y) for x, y in logs)
    return covariance / total((x - mean_x) * (x - mean_x) for x, _ in logs)
