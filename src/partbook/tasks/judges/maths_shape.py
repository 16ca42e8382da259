"""The shapes of an answer: a value, a word, a series, a matrix or a relation.

Values only; `maths_read` makes them from text, `maths_alike` compares them. The expressions at the
leaves stay text, in the spelling of `tidy`.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from partbook.tasks.judges.units import Unit

__all__ = ["Matrix", "Relation", "Series", "Shape", "Value", "Word", "named"]


@dataclass(frozen=True, slots=True)
class Value:
    """One number or expression."""

    text: str
    """In the spelling of `tidy`, without unit and label."""
    number: Fraction | None = None
    """What it is worth, where that is a small rational number."""
    unit: Unit | None = None
    label: str = ""
    """The left side of `x = 5`: a variable or a function of one; empty where none is given."""
    listed: "Series | None" = None
    """The other reading of `100,200`: a list of 100 and 200."""


@dataclass(frozen=True, slots=True)
class Word:
    """An answer in words, in lower case."""

    text: str


@dataclass(frozen=True, slots=True)
class Series:
    """Several answers: a list, set, ordered pair, interval, or (`opening` is `u`) a union."""

    items: "tuple[Shape, ...]"
    opening: str = ""
    """`(` or `[` or `{`; `u` for the parts of a union, `:` for a ratio, empty for a bare list."""
    closing: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of cells, whatever the brackets round them."""

    rows: "tuple[tuple[Shape, ...], ...]"


@dataclass(frozen=True, slots=True)
class Relation:
    """An equation or inequality that is no plain `x = value`."""

    left: str
    sign: str
    """One of `=`, `<`, `>`, `\\le`, `\\ge`, `\\ne`."""
    right: str


Shape = Value | Word | Series | Matrix | Relation


def named(shape: Shape, label: str) -> Shape:
    """Name a value or a series after the variable it is the value of."""
    if isinstance(shape, Value) and not shape.label:
        return replace(shape, label=label)
    if isinstance(shape, Series):
        return replace(shape, label=label)
    return shape
