"""Drafts: which operations a problem is made of, before it is put into words.

Kinds must fit and skills must differ, so that a problem of three operations needs three skills.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from partbook.lab.operations import OPERATIONS, RANKS, SKILLS, Operation, Skill, in_base
from partbook.lab.values import NAMES, THINGS, UNITS, Split, literal, owned, split_of

__all__ = ["Ask", "draft"]

_JOINED = 0.35
"""Share of the problems of three and four parts in which two branches meet."""

_WEIGHTS: dict[Skill, int] = {"letters": 4, "dates": 3, "lookup": 3, "sorting": 3}
"""Chances of the skills that few others can follow; they make all eight about as frequent."""


@dataclass(frozen=True, slots=True)
class Ask:
    """An operation with its parameters, before it is put into words."""

    operation: Operation
    given: tuple[str, ...]
    literal: str | None
    """The input that is written out; None: it takes what came before, or reads the notes."""
    reads: tuple[int, ...]


def draft(difficulty: int, split: Split, rng: random.Random) -> list[Ask] | None:
    """A chain of operations whose kinds fit and whose skills differ; None: a dead end."""
    if difficulty >= 3 and rng.random() < _JOINED:
        return _joined(difficulty, split, rng)
    asks: list[Ask] = []
    for _ in range(difficulty):
        ask = _next(asks, split, rng)
        if ask is None:
            return None
        asks.append(ask)
    return asks


def _joined(difficulty: int, split: Split, rng: random.Random) -> list[Ask] | None:
    """Two branches that give a number each, and their sum or product, perhaps used further.

    The longer branch comes first: then "the two results" are always the two newest.
    """
    after = rng.randrange(difficulty - 2)
    asks: list[Ask] = []
    for i in range(difficulty - 1 - after):
        ask = _next(asks, split, rng, fresh=i == difficulty - 2 - after, spared="arithmetic")
        if ask is None:
            return None
        asks.append(ask)
    reads = (len(asks) - 2, len(asks) - 1)
    if any(asks[i].operation.gives != "number" for i in reads):
        return None
    asks.append(Ask(OPERATIONS[rng.choice(("sum", "product"))], (), None, reads))
    for _ in range(after):
        ask = _next(asks, split, rng)
        if ask is None:
            return None
        asks.append(ask)
    return asks


def _next(
    asks: Sequence[Ask],
    split: Split,
    rng: random.Random,
    *,
    fresh: bool = False,
    spared: Skill | None = None,
) -> Ask | None:
    """One more operation: on a literal where the chain starts, else on the newest value."""
    used = {ask.operation.skill for ask in asks} | {spared}
    starts = fresh or not asks
    choices = [
        operation
        for operation in OPERATIONS.values()
        if operation.skill not in used
        and len(operation.takes) < 2
        and (starts or operation.takes == (asks[-1].operation.gives,))
        # A numeral that the chain has made is never read back.
        and (starts or operation.name != "from_base")
    ]
    if not choices:
        return None
    # The skill first, so that skills with many operations are not more frequent.
    skills = [s for s in SKILLS if any(o.skill == s for o in choices)]
    skill = rng.choices(skills, [_WEIGHTS.get(s, 1) for s in skills])[0]
    operation = rng.choice([o for o in choices if o.skill == skill])
    given = _parameters(operation, split, rng)
    if operation.reads_notes:
        return Ask(operation, given, None, ())
    if not starts:
        return Ask(operation, given, None, (len(asks) - 1,))
    return Ask(operation, given, _literal(operation, given, split, rng), ())


def _parameters(operation: Operation, split: Split, rng: random.Random) -> tuple[str, ...]:
    choices = {
        "plus": [str(k) for k in range(11, 60) if split_of(str(k)) == split],
        "minus": [str(k) for k in range(11, 60) if split_of(str(k)) == split],
        "times": [str(k) for k in range(3, 10)],
        "first_letters": ["3", "4", "5"],
        "days_after": [str(k) for k in range(11, 60) if split_of(str(k)) == split],
        "to_base": [str(k) for k in range(2, 10)],
        "from_base": [str(k) for k in range(2, 10)],
        "digit": ["ones", "zeros"],
        "ranked": list(RANKS),
        "alphabet": ["first", "last"],
    }
    if operation.name == "convert":
        return rng.choice(list(UNITS))
    who = rng.choice(owned(NAMES, split)).lower()
    if operation.name == "things":
        return (rng.choice(THINGS), who)
    if operation.reads_notes:
        return (who,)
    return (rng.choice(choices[operation.name]),) if operation.slots else ()


def _literal(operation: Operation, given: tuple[str, ...], split: Split, rng: random.Random) -> str:
    kind = operation.takes[0]
    if kind != "numeral":
        return literal(kind, split, rng)
    base = int(given[0]) if operation.name == "from_base" else 2
    return in_base(int(literal("number", split, rng)), base)
