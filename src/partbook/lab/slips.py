"""Slips: wrong values that look right.

A slip is never the right value. Where the question shows what its values are used for, it is also
never one that happens to lead to the right end (a wrong word with the same number of vowels): so
an answer is right exactly where no operation on its way was wrong, and what a workflow can be
expected to reach can be computed.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache

from partbook.lab.carrying import Task, carry_out, perfect
from partbook.lab.operations import noted
from partbook.lab.reading import mentions
from partbook.lab.values import WEEKDAYS, fits

__all__ = ["end_of", "slip"]

_TRIES = 60
"""Candidates that are looked at before any wrong value will do."""


def slip(task: Task, right: str, question: str, pick: int) -> str:
    """A wrong value for one operation.

    Args:
        task: what was to be done.
        right: its right value.
        question: what the whole is about, for what the value is used for.
        pick: chooses among the candidates; any number from 0.
    """
    goal = end_of(question)
    fallback = ""
    for _, candidate in zip(range(_TRIES), _candidates(task, right, pick), strict=False):
        if candidate == right:
            continue
        if goal is None or end_of(question, task, candidate) != goal:
            return candidate
        fallback = fallback or candidate
    return fallback


@lru_cache(maxsize=4_096)  # every slip in a question asks where it ends
def end_of(question: str, task: Task | None = None, value: str = "") -> str | None:
    """Where the question's own chain ends, all done right.

    Args:
        question: the question.
        task: the operation, named by its kind and parameters, that gives `value` instead.
        value: that value.

    Returns:
        None where the question cannot be followed.
    """

    def hand(at: Task) -> str | None:
        forced = task is not None and (at.operation, at.given) == (task.operation, task.given)
        return value if forced else perfect(at)

    return carry_out(mentions(question), (), question, hand).value


def _candidates(task: Task, right: str, pick: int) -> Iterator[str]:
    near = [*_neighbours(task), *_near(task, right)]
    start = pick % len(near)
    yield from near[start:]
    yield from near[:start]
    yield from _further(task, right)


def _neighbours(task: Task) -> list[str]:
    """Values that stand beside the right one in the notes or in the list."""
    kind = task.operation.gives
    if task.operation.name in ("ranked", "alphabet"):
        return task.inputs[0].split(", ")
    if task.operation.name == "things":
        return [number for (number,) in noted(task.inputs[0], r"\bhas (\d+) ")]
    if task.operation.name == "town":
        return [town.lower() for (town,) in noted(task.inputs[0], r"\blives in ([a-z]+)")]
    if task.operation.name == "birthday":
        days = noted(task.inputs[0], r"\bborn on (\d{4}-\d\d-\d\d)")
        return [day for (day,) in days if fits(day, kind)]
    return []


def _near(task: Task, right: str) -> list[str]:
    kind = task.operation.gives
    if kind == "number":
        number = int(right)
        return [str(number + by) for by in (1, -1, 2, 10, -2, 3, -10, 5)]
    if kind == "numeral":
        flipped = right[:-1] + ("0" if right[-1] == "1" else "1")
        return [flipped, right + "1", right[:-1] or "10", "1" + right[::-1], right + "0"]
    if kind == "date":
        return [_moved(right, by) for by in (1, -1, 7, 30, -7, 2)]
    if right in WEEKDAYS:
        return [day for day in WEEKDAYS if day != right]
    middle = len(right) // 2
    return [
        right[:middle] + right[middle + 1 :] or "none",
        right + right[-1],
        right[:middle] + right[middle : middle + 1] * 2 + right[middle + 1 :],
        right[1:] + right[0],
        right[::-1],
        right[:middle] + "e" + right[middle:],
    ]


def _further(task: Task, right: str) -> Iterator[str]:
    kind = task.operation.gives
    for by in range(11, 11 + _TRIES):
        if kind == "number":
            yield str(int(right) + by)
        elif kind == "numeral":
            yield right + "10110100111"[: by % 11 + 1]
        elif kind == "date":
            yield _moved(right, by)
        else:
            yield (
                right[: by % (len(right) + 1)] + "aeiouxyz"[by % 8] + right[by % (len(right) + 1) :]
            )


def _moved(day: str, by: int) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(by)).isoformat()
    except (OverflowError, ValueError):
        # The last day there is, or a birthday that a policy made up, like 2026-13-01.
        return "2000-01-01"
