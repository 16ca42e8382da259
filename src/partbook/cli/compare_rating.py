"""Rates the answers of one comparison: a person who sees no names, or a model in both orders."""

import random
import string
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from partbook.cli.plain import head
from partbook.economy.pairwise import (
    Outcome,
    Preference,
    judged,
    judging_room,
    judging_sampling,
)
from partbook.economy.ratings import PERSON, Rating, question_hash
from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.pool import Worker, WorkerSpec
from partbook.retry import Retrying
from partbook.stage import cost_of
from partbook.trace import Trace
from partbook.usable import Checked

__all__ = [
    "Judging",
    "asked_person",
    "check_judge",
    "judge_all",
    "lettered",
    "rating_of",
    "said_of",
]


@dataclass(frozen=True, slots=True)
class Judging:
    """What a judge made of two answers."""

    first: int
    """Number of a system."""
    second: int
    found: Preference | None
    """None: the judge could not be asked."""
    why: str = ""
    """Then, why."""
    cost_usd: Decimal | None = Decimal(0)
    """Of its calls; None: unknown."""


def lettered(count: int, rng: random.Random) -> list[int]:
    """Which system stands under each letter, drawn: system numbers, shape (count,)."""
    order = list(range(count))
    rng.shuffle(order)
    return order


def asked_person(
    systems: Sequence[str],
    traces: Sequence[Trace],
    order: Sequence[int],
    ask: Callable[[str], str],
) -> list[Rating] | None:
    """Let a person choose among answers that stand under letters.

    The chosen one is better than each other; nothing is said of the others among themselves.

    Args:
        systems: their names, shape (n,).
        traces: their runs, shape (n,).
        order: which system stands under each letter, shape (n,).
        ask: shows a question and gives back what was typed; raises EOFError at the input's end.

    Returns:
        The ratings; None where the person skips.
    """
    letters = string.ascii_uppercase[: len(order)]
    while True:
        try:
            said = ask(f"Which is best? [{'/'.join(letters)}, t = tie, s = skip]: ")
        except EOFError:
            return None
        word = said.strip().upper()
        if word in ("S", "SKIP"):
            return None
        if word in ("T", "TIE"):
            pairs: list[tuple[int, int, Outcome]] = [
                (i, j, "tie") for i, j in combinations(range(len(order)), 2)
            ]
            break
        if len(word) == 1 and word in letters:
            best = order[letters.index(word)]
            pairs = [
                (min(best, i), max(best, i), "first" if best < i else "second")
                for i in range(len(order))
                if i != best
            ]
            break
    return [rating_of(PERSON, systems, traces, i, j, outcome) for i, j, outcome in pairs]


def rating_of(
    by: str,
    systems: Sequence[str],
    traces: Sequence[Trace],
    i: int,
    j: int,
    outcome: Outcome,
    orders: tuple[str, ...] = (),
) -> Rating:
    """A rating of systems `i` and `j`, now."""
    one, other = traces[i], traces[j]
    return Rating(
        time.time(),
        by,
        one.pool,
        question_hash(one.question),
        systems[i],
        systems[j],
        one.run_id,
        other.run_id,
        outcome,
        orders,
    )


def check_judge(spec: WorkerSpec) -> None:
    """Refuse a judge that is no language model.

    Raises:
        ConfigError: it is a tool or the Conductor itself.
    """
    if not spec.is_model:
        raise ConfigError(
            f"--judge: a language model was expected, worker {spec.name!r} is none ({spec.kind})"
        )


async def judge_all(judge: Worker, traces: Sequence[Trace]) -> list[Judging]:
    """Let a model judge every pair of answers, in both orders; pairs without an answer are left.

    It is asked as its pool says, like any call of it; that is behind the limits of the comparison.
    """
    return [
        await _judge(judge, traces, i, j)
        for i, j in combinations(range(len(traces)), 2)
        if traces[i].answer is not None and traces[j].answer is not None
    ]


async def _judge(judge: Worker, traces: Sequence[Trace], i: int, j: int) -> Judging:
    spec = judge.spec
    model = Retrying(
        Checked(judge.model, spec),
        spec.retries,
        lambda err, attempt, wait_s: None,
        lambda: float("inf"),
    )
    first, second = traces[i].answer or "", traces[j].answer or ""
    room = judging_room(spec)
    sampling = judging_sampling(spec)
    try:
        found = await judged(model, traces[i].question, first, second, sampling, room_chars=room)
    except (WorkerError, BudgetError) as err:
        return Judging(i, j, None, str(err), None)
    return Judging(i, j, found, cost_usd=cost_of(found.usage, spec.price))


def said_of(one: Judging, systems: Sequence[str]) -> str:
    """What a judge said of a pair, in words."""
    first, second = head(systems[one.first]), head(systems[one.second])
    pair, found = f"{first} and {second}", one.found
    if found is None:
        return f"{pair}: not judged: {head(one.why)}"
    if not found.is_judged:
        return f"{pair}: not judged: a reply holds no verdict in its last line"
    if found.outcome != "tie":
        return f"{first if found.outcome == 'first' else second} is better, in both orders"
    if found.is_torn:
        place = "A" if found.first_shown_first == "first" else "B"
        return f"{pair}: a tie: it preferred place {place}, whichever answer stood there"
    if not found.texts:
        return f"{pair}: a tie: the answers are the same"
    if found.first_shown_first == found.second_shown_first:
        return f"{pair}: a tie, in both orders"
    return f"{pair}: a tie: the two orders do not agree"
