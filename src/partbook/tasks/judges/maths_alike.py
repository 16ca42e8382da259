"""Whether two shapes are the same answer; what a leaf is worth is asked of whoever can tell.

Order and brackets matter where mathematics says so: an ordered pair is no set, `[3,9)` is not
`(3,9)`, a list of solutions may come in any order. All parts must match: a part of a "find all"
answer is not the answer.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from partbook.tasks.judges.maths_number import rounds_to
from partbook.tasks.judges.maths_shape import Matrix, Relation, Series, Shape, Value, Word
from partbook.tasks.judges.units import comparable

__all__ = ["ByNumbers", "Leaves", "Undecided", "alike", "expressions"]


class Undecided(Exception):
    """The leaves at hand cannot tell; somebody with more algebra can."""


class Leaves(Protocol):
    """Who compares expressions."""

    def equal(self, left: str, right: str) -> bool:
        """Whether two tidy expressions have the same value for every value of their variables."""
        ...

    def same_relation(self, left: Relation, right: Relation) -> bool:
        """Whether two relations hold for the same values of their variables."""
        ...


class ByNumbers:
    """Leaves without algebra: equal text is equal, everything else is undecided."""

    def equal(self, left: str, right: str) -> bool:
        """Whether the spellings agree.

        Raises:
            Undecided: they do not, which says nothing.
        """
        if _squeezed(left) == _squeezed(right):
            return True
        raise Undecided

    def same_relation(self, left: Relation, right: Relation) -> bool:
        """Whether the spellings agree.

        Raises:
            Undecided: they do not, which says nothing.
        """
        if left.sign == right.sign:
            return self.equal(left.left, right.left) and self.equal(left.right, right.right)
        raise Undecided


def alike(gold: Shape, given: Shape, leaves: Leaves) -> bool:
    """Whether `given` is the same answer as `gold`."""
    if isinstance(gold, Word) or isinstance(given, Word):
        return _word(gold) == _word(given) is not None
    if isinstance(gold, Series) or isinstance(given, Series):
        return _series(gold, given, leaves)
    if isinstance(gold, Matrix) or isinstance(given, Matrix):
        return (
            isinstance(gold, Matrix) and isinstance(given, Matrix) and _cells(gold, given, leaves)
        )
    if isinstance(gold, Value) and isinstance(given, Value):
        return _values(gold, given, leaves)
    left, right = _as_relation(gold), _as_relation(given)
    return left is not None and right is not None and leaves.same_relation(left, right)


def expressions(shape: Shape) -> Iterator[str]:
    """Every expression of a shape that is not yet a number, for a check that it can be parsed."""
    if isinstance(shape, Value) and shape.number is None:
        yield shape.text
    elif isinstance(shape, Series):
        for item in shape.items:
            yield from expressions(item)
    elif isinstance(shape, Matrix):
        for row in shape.rows:
            for cell in row:
                yield from expressions(cell)
    elif isinstance(shape, Relation):
        yield shape.left
        yield shape.right


def _series(gold: Shape, given: Shape, leaves: Leaves) -> bool:
    if isinstance(gold, Value) and gold.listed is not None and isinstance(given, Series):
        gold = gold.listed
    if isinstance(given, Value) and given.listed is not None and isinstance(gold, Series):
        given = given.listed
    if not isinstance(gold, Series):
        gold = Series((gold,))
    if not isinstance(given, Series):
        given = Series((given,))
    if _clash(gold.label, given.label):
        return False
    if "" in (gold.opening, given.opening) and gold.opening != given.opening:
        brackets = gold.opening or given.opening
        if brackets not in ("{", "("):
            return False
        ordered = brackets == "("
    elif (gold.opening, gold.closing) != (given.opening, given.closing):
        return False
    else:
        ordered = gold.opening in ("(", "[", ":")
    if not gold.opening and not given.opening:
        # x = 3, y = 4 against a bare "3, 4": which is which is told by the order alone
        ordered = _distinct_labels(gold) != _distinct_labels(given)
    if ordered:
        gold, given = _by_label(gold), _by_label(given)
        return len(gold.items) == len(given.items) and all(
            alike(a, b, leaves) for a, b in zip(gold.items, given.items, strict=True)
        )
    return all(any(alike(a, b, leaves) for b in given.items) for a in gold.items) and all(
        any(alike(a, b, leaves) for a in gold.items) for b in given.items
    )


def _values(gold: Value, given: Value, leaves: Leaves) -> bool:
    if _clash(gold.label, given.label):
        return False
    if gold.number is not None and given.number is not None:
        pairs = comparable(gold.number, gold.unit, given.number, given.unit)
        if any(a == b for a, b in pairs):
            return True
        return gold.unit == given.unit and (
            rounds_to(gold.text, given.number) or rounds_to(given.text, gold.number)
        )
    if gold.unit is not None and given.unit is not None and gold.unit != given.unit:
        counts = "count" in (gold.unit.dimension, given.unit.dimension)
        return counts and leaves.equal(gold.text, given.text)
    if leaves.equal(gold.text, given.text):
        return True
    return _percent(gold) != _percent(given) and leaves.equal(_share(gold), _share(given))


def _percent(value: Value) -> bool:
    return value.unit is not None and value.unit.dimension == "percent"


def _share(value: Value) -> str:
    return rf"\frac{{{value.text}}}{{100}}" if _percent(value) else value.text


def _cells(gold: Matrix, given: Matrix, leaves: Leaves) -> bool:
    if [len(row) for row in gold.rows] != [len(row) for row in given.rows]:
        return False
    return all(
        alike(a, b, leaves)
        for left, right in zip(gold.rows, given.rows, strict=True)
        for a, b in zip(left, right, strict=True)
    )


def _as_relation(shape: Shape) -> Relation | None:
    """A relation, also where it is written as a value with a name: `y = 2x + 1`."""
    if isinstance(shape, Relation):
        return shape
    if isinstance(shape, Value) and shape.label:
        return Relation(shape.label, "=", shape.text)
    return None


def _word(shape: Shape) -> str | None:
    """The word of a word, or the letter of a lone letter."""
    if isinstance(shape, Word):
        return shape.text
    if isinstance(shape, Value) and len(shape.text) == 1 and shape.text.isalpha():
        return shape.text.lower()
    return None


def _clash(gold: str, given: str) -> bool:
    """Whether both sides name what they are the value of, and differently."""
    return bool(gold and given) and _squeezed(gold).lower() != _squeezed(given).lower()


def _by_label(series: Series) -> Series:
    """The pair (3, 8) that `y = 8, x = 3` gives: named values stand in the order of their names."""
    if series.opening or not _distinct_labels(series):
        return series
    named = [item for item in series.items if isinstance(item, Value) and item.label]
    if len(named) < len(series.items):
        return series
    named.sort(key=lambda value: value.label)
    return replace(series, items=tuple(named))


def _distinct_labels(series: Series) -> bool:
    labels = [item.label for item in series.items if isinstance(item, Value) and item.label]
    return len(set(labels)) > 1


def _squeezed(text: str) -> str:
    return text.replace(" ", "").replace(r"\cdot", "").replace("{", "").replace("}", "")
