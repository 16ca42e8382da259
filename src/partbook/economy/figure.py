"""Figure: one number of an answer, with the formula and the inputs that it comes from.

What was computed from the bill is `estimated`, what rests on runs is `measured`; no figure is both,
and none of one kind goes into the sum of the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

__all__ = ["Figure", "Kind", "Range", "RangeOf", "shown"]

Kind = Literal["bill", "estimated", "measured"]

Range = tuple[Decimal, Decimal]
"""Lower and upper end."""

RangeOf = Literal["", "95 %", "models"]
"""`95 %`: a confidence interval; `models`: from where the cheapest calls fall away to where the
dearest do."""

_PLACES = Decimal("1e-12")


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of an answer."""

    key: str
    """What it is, as programs know it: `fewer.cost`, `pool.cost`, ..."""
    kind: Kind
    value: Decimal | None
    """None: unknown, which is not 0."""
    unit: str
    """A currency's code, `calls`, `tokens`, `tasks`, `%`, `points` or `times`."""
    formula: str
    """In the letters of `inputs`."""
    inputs: Mapping[str, str]
    """Letters and their values; `words.py` says what each letter means."""
    range: Range | None = None
    """What `range_of` says; None: there is none."""
    range_of: RangeOf = ""
    why: str = ""
    """Why the value is unknown: a key of `words.py`."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Names in its label and in `why`."""


def shown(value: Decimal | int | None) -> str:
    """A number as plain digits, at most 12 of them behind the point; `?` where it is unknown.

    >>> shown(Decimal("0.100")), shown(Decimal(1) / 3), shown(None)
    ('0.1', '0.333333333333', '?')
    """
    if value is None:
        return "?"
    number = Decimal(value)
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -12:
        number = number.quantize(_PLACES, ROUND_HALF_EVEN)
    digits = format(number, "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
