r"""The leaves of an answer: a phrase, a word, one value, or the two values of a plus-minus.

Free words count up to three, or eight inside one `\text{}`: longer prose has no one spelling, so it
can be neither a reference nor an answer.
"""

import re

from partbook.tasks.judges.maths_number import exact
from partbook.tasks.judges.maths_shape import Series, Shape, Value, Word
from partbook.tasks.judges.maths_text import balanced_end, unreadable
from partbook.tasks.judges.units import split_unit

__all__ = ["EVERYTHING", "NOTHING", "Unreadable", "one_or_two_values", "value", "words"]


class Unreadable(Exception):
    """The text is no answer that can be compared; the message says why."""


EVERYTHING = Series((Value(r"-\infty"), Value(r"\infty")), "(", ")")
NOTHING = Series((), "{", "}")
_PHRASES: dict[str, Shape] = {
    **dict.fromkeys(
        (
            "no solution",
            "no solutions",
            "no real solution",
            "no real solutions",
            "no real roots",
            "no solution exists",
            "there is no solution",
            "there are no solutions",
            "none",
            "empty set",
            "the empty set",
        ),
        NOTHING,
    ),
    **dict.fromkeys(
        (
            "all real numbers",
            "all reals",
            "all real x",
            "any real number",
            "real numbers",
            "the real numbers",
        ),
        EVERYTHING,
    ),
    **{
        phrase: Word("infinitely many")
        for phrase in (
            "infinitely many",
            "infinitely many solutions",
            "infinite solutions",
            "infinite number of solutions",
        )
    },
    **dict.fromkeys(("does not exist", "dne", "undefined", "not defined"), Word("undefined")),
    "none of the above": Word("none of the above"),
    "none of these": Word("none of the above"),
}
_WORD = re.compile(r"[^\W\d_]+(?:[-' ][^\W\d_]+)*")
_SHORT_PRODUCT = re.compile(r"[A-Za-z]{1,3}")
_CHOICE = re.compile(r"(?:\\text\{)?\s*\(?([A-J])\)?[.:]?\s*\}?")
_PLUS_MINUS = re.compile(r"\\(pm|mp)(?![A-Za-z])")
_BASE = re.compile(r"(\d+)_\s*\{?(?:\\text\{)?\(?(\d+|[a-z]+)\)?\}{0,2}")
_ANGLE = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)(?![A-Za-z])")
_DEGREES = re.compile(r"(\d+(?:\.\d+)?)\s*°")


def words(text: str) -> Shape | None:
    """The answer in words that a text gives; None where it is no such thing.

    Raises:
        Unreadable: it is prose.
    """
    inside = re.fullmatch(r"\\text\{([^{}]*)\}", text)
    if not inside and r"\text" in text and not _CHOICE.fullmatch(text):
        return None
    plain = re.sub(r"\\text\{([^{}]*)\}", r" \1 ", text)
    plain = re.sub(r"\s+", " ", plain).strip().strip(".").lower()
    if plain in _PHRASES:
        return _PHRASES[plain]
    if match := _CHOICE.fullmatch(text):
        return Word(match[1].lower()) if "(" in text or inside else None
    if not _WORD.fullmatch(plain) or (not inside and _SHORT_PRODUCT.fullmatch(plain)):
        return None
    if " or " in plain or " and " in plain:
        return None
    if plain.count(" ") >= (8 if inside else 3):
        raise Unreadable("it is a sentence, not mathematics")
    return Word(plain)


def value(text: str) -> Value:
    """Read one value with its unit.

    Raises:
        Unreadable: it is no mathematics that may be parsed.
    """
    if match := _BASE.fullmatch(text):
        return Value(match[1], exact(match[1]), label=f"base {match[2]}")
    if _ANGLE.search(text):
        text = _DEGREES.sub(r"(\1\\cdot \\frac{\\pi }{180})", text)
    bare, unit = split_unit(text)
    if re.search(r"[=<>]", re.sub(r"_\s*\{[^{}]*\}", "", bare)):
        raise Unreadable("it holds a relation inside a value")
    if bare.startswith("(") and balanced_end(bare, 0) == len(bare) - 1:
        bare = bare[1:-1].strip()
    number = exact(bare)
    if number is None and (why := unreadable(bare)) is not None:
        raise Unreadable(why)
    return Value(bare, number, unit)


def one_or_two_values(text: str) -> Shape:
    r"""One value, or the two that `\pm` stands for; all its signs change together."""
    if not _PLUS_MINUS.search(text):
        return value(text)
    upper = _PLUS_MINUS.sub(lambda m: "+" if m[1] == "pm" else "-", text)
    lower = _PLUS_MINUS.sub(lambda m: "-" if m[1] == "pm" else "+", text)
    return Series((value(upper.strip().removeprefix("+")), value(lower.strip().removeprefix("+"))))
