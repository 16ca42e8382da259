"""Exact arithmetic on fractions, with a bound on every result.

What has no exact value (√2, 2**0.3) is a fraction near it and says so. The bounds are tested before
the work is done, so that `9**9**9` costs microseconds.
"""

import decimal
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["FUNCTIONS", "MAX_DIGITS", "OPERATORS", "ArithmeticFailure", "Number", "written"]

MAX_DIGITS = 4000
"""Of a numerator or denominator; Python itself refuses to write more than 4300."""
_MAX_BITS = int(MAX_DIGITS * math.log2(10))
_ROOT_DIGITS = 40
"""Decimal places of a root that has no exact value."""
_SHOWN = decimal.Context(prec=10)
"""How many digits of an inexact number are shown."""
_ROUNDED = decimal.Context(prec=12)
"""How many digits a quotient has whose decimal does not end."""
_MOST_DENOMINATOR = 1000
"""With a larger one a fraction says less to a reader than its decimal."""


class ArithmeticFailure(Exception):
    """There is no result, or none of bearable size; the message says which."""


@dataclass(frozen=True, slots=True)
class Number:
    """A rational number of bounded size."""

    value: Fraction
    exact: bool = True
    """Whether it is the result itself and not a number near it."""

    def __post_init__(self) -> None:
        if _bits(self.value) > _MAX_BITS:
            raise _too_large()

    def integer(self, where: str) -> int:
        """Its value for a function of whole numbers."""
        if self.value.denominator != 1:
            raise ArithmeticFailure(f"{where} needs whole numbers, not {written(self)}")
        return self.value.numerator


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _too_large() -> ArithmeticFailure:
    return ArithmeticFailure(f"the result is too large, more than {MAX_DIGITS} digits")


def written(number: Number) -> str:
    """The number as people write it.

    A quotient whose decimal does not end is a fraction with its decimal where the fraction is
    short, else its decimal alone, rounded to 12 digits.

    >>> [written(Number(Fraction(a, b))) for a, b in ((34, 2), (-5, 4), (10, 3), (10, 30001))]
    ['17', '-1.25', '10/3 (about 3.333333333)', '0.000333322222593']
    """
    value = number.value
    near = _SHOWN.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    if not number.exact:
        return f"about {near}"
    if value.denominator == 1:
        return str(value.numerator)
    places = _decimal_places(value.denominator)
    if places is None or places > MAX_DIGITS // 4:
        if value.denominator > _MOST_DENOMINATOR:
            top, bottom = decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)
            return str(_ROUNDED.divide(top, bottom))
        return f"{value.numerator}/{value.denominator} (about {near})"
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _decimal_places(denominator: int) -> int | None:
    # A decimal ends where nothing but twos and fives divide the denominator.
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


Operation = Callable[..., Number]
"""Takes one number or more."""


def _plain(operation: Callable[[Fraction, Fraction], Fraction | int]) -> Operation:
    def apply(*numbers: Number) -> Number:
        left, right = numbers
        return Number(Fraction(operation(left.value, right.value)), left.exact and right.exact)

    return apply


def _dividing(operation: Callable[[Fraction, Fraction], Fraction | int]) -> Operation:
    def apply(*numbers: Number) -> Number:
        if numbers[1].value == 0:
            raise ArithmeticFailure("division by zero")
        return _plain(operation)(*numbers)

    return apply


def _power(*numbers: Number) -> Number:
    base, exponent = numbers
    exact = base.exact and exponent.exact
    if exponent.value.denominator == 2:
        root = _square_root(base)
        return _power(root, Number(Fraction(exponent.value.numerator), exact))
    if exponent.value.denominator != 1:
        return _inexact_power(base.value, exponent.value)
    times = exponent.value.numerator
    if base.value == 0 and times < 0:
        raise ArithmeticFailure("division by zero")
    # At least so many bits; 0, 1 and -1 stay what they are for any exponent.
    if (_bits(base.value) - 1) * abs(times) > _MAX_BITS:
        raise _too_large()
    return Number(base.value**times, exact)


def _inexact_power(base: Fraction, exponent: Fraction) -> Number:
    if base < 0:
        raise ArithmeticFailure("a broken power of a negative number has no real value")
    try:
        return Number(Fraction(float(base) ** float(exponent)), exact=False)
    except (OverflowError, ZeroDivisionError):
        raise _too_large() from None


def _square_root(*numbers: Number) -> Number:
    (number,) = numbers
    value = number.value
    if value < 0:
        raise ArithmeticFailure("the square root of a negative number has no real value")
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Number(Fraction(top, bottom), number.exact)
    scale: int = 10**_ROOT_DIGITS
    root = math.isqrt(value.numerator * value.denominator * scale * scale)
    return Number(Fraction(root, value.denominator * scale), exact=False)


def _factorial(*numbers: Number) -> Number:
    n = numbers[0].integer("factorial")
    if n < 0:
        raise ArithmeticFailure("the factorial of a negative number is not defined")
    if n > _MAX_BITS or math.lgamma(n + 1) > _MAX_BITS * math.log(2):
        raise _too_large()
    return Number(Fraction(math.factorial(n)))


def _comb(*numbers: Number) -> Number:
    n, k = (number.integer("comb") for number in numbers)
    if n < 0 or k < 0:
        raise ArithmeticFailure("comb needs numbers that are not negative")
    k = min(k, n - k) if k <= n else k
    # comb(n, k) is at least (n / k) ** k.
    if 0 < k <= n and k * (n // k).bit_length() > _MAX_BITS + k:
        raise _too_large()
    return Number(Fraction(math.comb(n, k)))


def _round(*numbers: Number) -> Number:
    # Halves go away from zero, as in school, not to the even neighbour.
    places = numbers[1].integer("round") if len(numbers) == 2 else 0
    if abs(places) > 1000:
        raise ArithmeticFailure("round takes at most 1000 places")
    scale = Fraction(10) ** places
    size = math.floor(abs(numbers[0].value) * scale + Fraction(1, 2)) / scale
    return Number(-size if numbers[0].value < 0 else size)


def _whole(operation: Callable[..., int], name: str) -> Operation:
    def apply(*numbers: Number) -> Number:
        return Number(Fraction(operation(*(number.integer(name) for number in numbers))))

    return apply


def _chosen(choose: Callable[[list[Fraction]], Fraction]) -> Operation:
    def apply(*numbers: Number) -> Number:
        values = [number.value for number in numbers]
        return Number(choose(values), all(number.exact for number in numbers))

    return apply


def _each(operation: Callable[[Fraction], Fraction | int], becomes_exact: bool) -> Operation:
    def apply(*numbers: Number) -> Number:
        (number,) = numbers
        return Number(Fraction(operation(number.value)), becomes_exact or number.exact)

    return apply


def _lcm(*values: int) -> int:
    found = 1
    for value in values:
        found = math.lcm(found, value)
        if found.bit_length() > _MAX_BITS:
            raise _too_large()
    return found


OPERATORS: Mapping[str, Operation] = {
    "+": _plain(lambda a, b: a + b),
    "-": _plain(lambda a, b: a - b),
    "*": _plain(lambda a, b: a * b),
    "/": _dividing(lambda a, b: a / b),
    "//": _dividing(lambda a, b: a // b),
    "mod": _dividing(lambda a, b: a % b),
    "**": _power,
    "neg": _each(lambda a: -a, becomes_exact=False),
    "percent": _each(lambda a: a / 100, becomes_exact=False),
    "!": _factorial,
}
"""By the names that the parser gives them; the last three take one number."""

_MANY = 1000

FUNCTIONS: Mapping[str, tuple[int, int, Operation]] = {
    "sqrt": (1, 1, _square_root),
    "gcd": (1, _MANY, _whole(math.gcd, "gcd")),
    "lcm": (1, _MANY, _whole(_lcm, "lcm")),
    "factorial": (1, 1, _factorial),
    "abs": (1, 1, _each(abs, becomes_exact=False)),
    "min": (1, _MANY, _chosen(min)),
    "max": (1, _MANY, _chosen(max)),
    "round": (1, 2, _round),
    "floor": (1, 1, _each(math.floor, becomes_exact=True)),
    "ceil": (1, 1, _each(math.ceil, becomes_exact=True)),
    "comb": (2, 2, _comb),
    "pow": (2, 2, _power),
}
"""Name to the fewest and most arguments and the function."""
