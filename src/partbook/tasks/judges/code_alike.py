"""Does what a program printed or returned equal what was expected?

Whole numbers are compared exactly. Where the expected number is written as a decimal, a program
may print more or fewer digits: up to 1e-6 of the value, or 1e-6 where it is below 1.
"""

import re

__all__ = ["same_value", "unlike"]

TOLERANCE = 1e-6
_MOST = 1e300
"""Larger numbers are compared exactly: a whole one may be no float."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_SHOWN = 40


def unlike(printed: str, expected: str) -> str | None:
    """The first difference, in words; None where there is none.

    Space around lines is none, and decimals that are near are the same.
    """
    found, wanted = _lines(printed), _lines(expected)
    for i in range(max(len(found), len(wanted))):
        if i >= len(wanted):
            return f"expected {len(wanted)} lines, and then came {_shown(found[i])}"
        if i >= len(found):
            return f"expected {_shown(wanted[i])}, printed {'nothing' if not i else 'no more'}"
        if found[i] != wanted[i] and not _same_numbers(found[i], wanted[i]):
            line = f" in line {i + 1}" if len(wanted) > 1 else ""
            return f"expected {_shown(wanted[i])}{line}, printed {_shown(found[i])}"
    return None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")] if text.strip() else []


def _same_numbers(found: str, wanted: str) -> bool:
    # Space between words means nothing in a line that holds numbers; it may in a picture.
    ours, theirs = found.split(), wanted.split()
    return (
        len(ours) == len(theirs)
        and any(map(_NUMBER.fullmatch, theirs))
        and all(map(_same_word, ours, theirs))
    )


def _same_word(found: str, wanted: str) -> bool:
    if found == wanted:
        return True
    if not (_NUMBER.fullmatch(found) and _NUMBER.fullmatch(wanted)):
        return False
    if _WHOLE.fullmatch(wanted):
        whole, _, rest = found.partition(".")
        return whole == wanted and not rest.strip("0")
    return _near(float(found), float(wanted))


def _near(found: float, wanted: float) -> bool:
    return abs(found - wanted) <= TOLERANCE * max(1.0, abs(wanted))


def same_value(found: object, expected: object) -> bool:
    """Whether two JSON values are equal; where the expected number is no whole one, nearly."""
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(map(same_value, found, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(same_value(found[key], value) for key, value in expected.items())
        )
    if isinstance(expected, float) and isinstance(found, int | float):
        if isinstance(found, bool) or max(abs(expected), abs(found)) > _MOST:
            return found == expected
        return _near(float(found), expected)
    return found == expected


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")
