r"""Tidy text into shapes: as far as grammar goes, with nothing computed but small numbers.

Lists, ordered pairs, intervals with their brackets, sets, unions, plus-minus, "x=1 or x=2",
equations, units and words are taken apart here. Where a text has two readings (`100,200`) both are
kept, and the reference tells which is meant.
"""

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from partbook.tasks.judges.maths_leaf import (
    EVERYTHING,
    NOTHING,
    Unreadable,
    one_or_two_values,
    value,
    words,
)
from partbook.tasks.judges.maths_number import exact
from partbook.tasks.judges.maths_shape import Matrix, Relation, Series, Shape, Value, named
from partbook.tasks.judges.maths_text import MAX_CHARS, balanced_end, split_top, unreadable

__all__ = ["read"]

MAX_ITEMS = 64
"""Longer lists are not read."""

_LEADING = re.compile(
    r"^\\approx\s+|^(?:\\text\{)?(?:approximately|about|exactly|roughly|around)(?:\}|\s)\s*",
    re.IGNORECASE,
)
_REVERSED = re.compile(r"^\]([^\[\]]*)\[$")
_UNION = re.compile(r"\s*\\cup(?![A-Za-z])\s*")
_SEPARATOR = re.compile(
    r"\s*(?:,\s*\\text\{\s*(?:and|or)\s*\}|\\text\{\s*,?\s*(?:and|or)\s*\}|[,;]\s+(?:and|or)\s"
    r"|\s(?:and|or)\s|\\lor(?![A-Za-z])|[,;]|\\\\)\s*"
)
_COMMA = re.compile(r"\s*[,;]\s*")
_GROUP = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MATRIX = re.compile(
    r"\\begin\{([pbB]?matrix|smallmatrix|array)\}\s*(?:\{[lcr|]*\})?(.*)\\end\{\1\}", re.DOTALL
)
_MEMBER = re.compile(r"^\s*([A-Za-z](?:_\{?\w+\}?)?)\s*\\in(?![A-Za-z])\s*")
_BUILDER = re.compile(
    r"^\\\{\s*([A-Za-z])(?:\s*\\in\s*\\mathbb\{R\})?\s*[|:]\s*(.*)\\\}$", re.DOTALL
)
_WITHOUT = re.compile(r"^\\mathbb\{R\}\s*(?:\\setminus|-)\s*\\\{(.*)\\\}$", re.DOTALL)
_SIGN = re.compile(r"\s*(\\le(?![A-Za-z])|\\ge(?![A-Za-z])|\\ne(?![A-Za-z])|[<>=])\s*")
_APPROX = re.compile(r"\s*\\approx(?![A-Za-z])\s*")
_LABEL = re.compile(
    r"(?:\\?[A-Za-z]+(?:_\{?\w+\}?)?'?|[A-Za-z]+\s*\(\s*-?\w+\s*\)|[A-Za-z]+\^\{?-1\}?\s*\(\w\)"
    r"|\\text\{[^{}]*\}|\(\s*\\?[A-Za-z]+(?:\s*,\s*\\?[A-Za-z]+)+\s*\)"
    r"|(?:\\text\{)?[A-Za-z][A-Za-z ]*\}?)"
)
_RATIO = re.compile(
    r"(\d+(?:\s*:\s*\d+)+)\s*(?:(?:\\text\{\s*)?([ap])\.?\s*m\.?\s*\}?)?", re.IGNORECASE
)


@lru_cache(maxsize=2_048)
def read(text: str) -> Shape:
    """The shape of a tidy text.

    Raises:
        Unreadable: it is empty, too long, or neither mathematics nor an answer in a few words.
    """
    return _read(text, 0)


def _read(text: str, depth: int) -> Shape:
    text = text.strip()
    if not text:
        raise Unreadable("it is empty")
    if depth > 8 or len(text) > MAX_CHARS:
        raise Unreadable("it is too long or nested too deep")
    if (said := words(text)) is not None:
        return said
    text = _LEADING.sub("", text)
    if match := _REVERSED.match(text):
        text = f"({match[1]})"
    if match := _BUILDER.match(text):
        return named(_read(match[2], depth + 1), match[1])
    if match := _WITHOUT.match(text):
        return _all_but(_items(match[1], depth))
    if match := _MEMBER.match(text):
        return named(_read(text[match.end() :], depth + 1), match[1])
    if text in (r"\mathbb{R}", r"\infty\mathbb{R}"):
        return EVERYTHING
    if text in (r"\emptyset", r"\{\}", r"\{ \}"):
        return NOTHING
    if match := _MATRIX.fullmatch(text):
        return _matrix(match[2], depth)
    if (approximation := _split_approximation(text)) is not None:
        return _read(approximation, depth + 1)
    if _GROUPED.fullmatch(text):
        parts = tuple(value(part) for part in text.split(","))
        return Value(text.replace(",", ""), exact(text), listed=Series(parts))
    text = _ungrouped(text)
    if len(parts_text := split_top(text, _SEPARATOR)) > 1:
        return _listed(tuple(_read(part, depth + 1) for part in _kept(parts_text)))
    if len(parts_text := split_top(text, _UNION)) > 1:
        return Series(tuple(_read(part, depth + 1) for part in parts_text), "u", "u")
    if (series := _bracketed(text, depth)) is not None:
        return series
    if (related := _related(text, depth)) is not None:
        return related
    if match := _RATIO.fullmatch(text):
        parts = tuple(value(part.strip()) for part in match[1].split(":"))
        return Series(parts, ":", ":", f"{match[2]}m".lower() if match[2] else "")
    return one_or_two_values(text)


def _listed(items: "tuple[Shape, ...]") -> Series:
    """A list; `x < -2 or x > 2` is the union of its intervals."""
    intervals = [item for item in items if isinstance(item, Series) and item.opening in ("(", "[")]
    if len(intervals) == len(items) and all(item.label for item in intervals):
        return Series(items, "u", "u", intervals[0].label)
    return Series(items)


def _ungrouped(text: str) -> str:
    """Drop grouping commas where they cannot separate: all commas group, or ", " separates."""
    bare = _GROUP.sub(lambda m: m[0].replace(",", ""), text)
    if not text.startswith(("(", "[", "\\{", "{")) and not _SEPARATOR.search(bare):
        return bare
    return bare if re.search(r",\s", bare) else text


def _bracketed(text: str, depth: int) -> Series | None:
    r"""The list, pair, interval or set that brackets enclose as a whole; None where none do."""
    for opening in (r"\{", "(", "[", "{"):
        if not text.startswith(opening):
            continue
        kind = opening[-1]
        if balanced_end(text, len(opening) - 1) != len(text) - 1:
            return None
        inside = text[len(opening) : -1].removesuffix("\\")
        if kind != "{" and len(split_top(inside, _COMMA)) < 2:
            return None
        return Series(_items(_ungrouped(f" {inside}"), depth), kind, text[-1])
    return None


def _items(text: str, depth: int) -> "tuple[Shape, ...]":
    """What a pair of brackets holds; a comma separates here, whatever stands round it."""
    if not text.strip():
        return ()
    found: list[Shape] = []
    for part in _kept(split_top(text, _COMMA)):
        shape = _read(part, depth + 1)
        if isinstance(shape, Series) and not shape.opening:
            found.extend(shape.items)
        else:
            found.append(shape)
    return tuple(found)


def _kept(parts: list[str]) -> list[str]:
    kept = [part for part in parts if part.strip()]
    if len(kept) > MAX_ITEMS:
        raise Unreadable(f"it lists more than {MAX_ITEMS} answers")
    if not kept:
        raise Unreadable("it is empty")
    return kept


def _matrix(body: str, depth: int) -> Matrix:
    rows = [row for row in re.split(r"\\\\(?:\s*\[[^\]]*\])?", body) if row.strip()]
    if not rows or len(rows) > MAX_ITEMS:
        raise Unreadable("its matrix has no rows, or too many")
    return Matrix(
        tuple(
            tuple(_read(cell.replace(r"\hline", ""), depth + 1) for cell in row.split("&"))
            for row in rows
        )
    )


def _related(text: str, depth: int) -> Shape | None:
    """The value, interval or relation that `=`, `<`, ... make; None without such a sign."""
    signs = [match[1] for match in _SIGN.finditer(text)]
    parts = split_top(text, _SIGN)
    if len(parts) < 2 or len(parts) != len(signs) + 1:
        return None
    parts = [part.strip() for part in parts]
    if any(not part for part in parts):
        raise Unreadable("one side of a relation is empty")
    if set(signs) == {"="}:
        return _equation(parts, depth)
    if (interval := _interval(parts, signs)) is not None:
        return interval
    if len(parts) > 2:
        raise Unreadable("it chains relations")
    return _relation(parts[0], signs[0], parts[1])


def _equation(parts: list[str], depth: int) -> Shape:
    if _LABEL.fullmatch(parts[0]):
        right = _read(parts[-1], depth + 1)
        named_in_words = re.search(r"\\text|,|[A-Za-z]{3}", parts[0])
        label = "" if named_in_words else parts[0].replace(" ", "")
        return named(right, label)
    if len(parts) == 2 and _LABEL.fullmatch(parts[1]) and exact(parts[0]) is not None:
        return named(value(parts[0]), parts[1])
    if not any(re.search("[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", part)) for part in parts):
        return _read(parts[-1], depth + 1)  # 1 + 1 = 2: a computation, and its result
    if len(parts) > 2:
        raise Unreadable("it chains equations")
    return _relation(parts[0], "=", parts[1])


def _relation(left: str, sign: str, right: str) -> Relation:
    for side in (left, right):
        if (why := unreadable(side)) is not None:
            raise Unreadable(why)
    return Relation(left, sign, right)


def _interval(parts: list[str], signs: list[str]) -> Series | None:
    r"""The interval of `3 \le x < 9`, `x > 3` or `x \ne 1`; None for other relations."""
    variable = re.compile(r"[A-Za-z]")
    if len(parts) == 2 and variable.fullmatch(parts[1]) and not variable.fullmatch(parts[0]):
        parts, signs = parts[::-1], [_turned(signs[0])]
    if len(parts) == 2 and variable.fullmatch(parts[0]):
        label, bound = parts[0], value(parts[1])
        if signs[0] == r"\ne":
            return replace(_all_but((bound,)), label=label)
        infinity = Value(r"\infty"), Value(r"-\infty")
        if signs[0] in (">", r"\ge"):
            return Series((bound, infinity[0]), "(" if signs[0] == ">" else "[", ")", label)
        return Series((infinity[1], bound), "(", ")" if signs[0] == "<" else "]", label)
    if len(parts) == 3 and variable.fullmatch(parts[1]):
        if signs[0] in (">", r"\ge"):
            parts, signs = parts[::-1], [_turned(sign) for sign in reversed(signs)]
        if set(signs) <= {"<", r"\le"}:
            opening = "(" if signs[0] == "<" else "["
            closing = ")" if signs[1] == "<" else "]"
            return Series((value(parts[0]), value(parts[2])), opening, closing, parts[1])
    return None


def _turned(sign: str) -> str:
    return {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}.get(sign, sign)


def _all_but(points: "tuple[Shape, ...]") -> Series:
    """The real line without some numbers, as a union of open intervals."""
    values = [point for point in points if isinstance(point, Value)]
    if len(values) > 1:
        if any(value.number is None for value in values):
            raise Unreadable("it leaves out numbers whose order is not known")
        values.sort(key=lambda value: value.number or Fraction(0))
    edges = [Value(r"-\infty"), *values, Value(r"\infty")]
    pairs = pairwise(edges)
    return Series(tuple(Series(pair, "(", ")") for pair in pairs), "u", "u")


def _split_approximation(text: str) -> str | None:
    r"""Of `x \approx 3.14` the value, of `\pi \approx 3.14` the exact side; else None."""
    parts = split_top(text, _APPROX)
    if len(parts) != 2 or not all(part.strip() for part in parts):
        return None
    return (
        parts[1] if _LABEL.fullmatch(parts[0].strip()) and parts[0].strip() != r"\pi" else parts[0]
    )
