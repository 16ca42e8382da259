"""Problems in disguise: the train split's clauses and values, made less familiar.

The train split has a handful of phrases for an operation and a few dozen values. A small net
learns both by heart, and then neither copies what is new nor sees what is asked in other words. A
disguised problem has no answer any more: it is only shown, never worked on.
"""

import random
import re
from dataclasses import replace

from partbook.lab import LabProblem
from partbook.lab.phrases import PHRASES
from partbook.lab.values import NAMES, TOWNS, WORDS, owned

__all__ = ["respelled", "reworded", "scrambled"]

_CARRIERS = ("take", "find", "write", "spell", "keep", "read", "convert", "change")
"""Verbs that several operations are said with: they do not tell which one is meant."""

_CARRIER = re.compile(rf"\b({'|'.join(_CARRIERS)})\b")

_TURNED, _LED = 0.3, 0.3
"""Shares of the reworded clauses that begin in their middle, and that get one more carrying verb
in front."""

_TRIES = 4
"""Draws of a clause before it stays as it is."""

_HELD_OUT = re.compile(
    "|".join(
        re.sub(r"\\{\w+\\}", ".+", re.escape(phrase))
        for phrases in PHRASES.values()
        for phrase in (*phrases.validation, *phrases.test)
    )
)
"""Phrases of validation and test problems, which no disguise may show."""

_VALUE = re.compile(
    rf"\d+|\b({'|'.join(owned(WORDS, 'train') + owned(NAMES, 'train') + owned(TOWNS, 'train'))})\b",
    re.IGNORECASE,
)
"""A number, or a word of the training split that a problem works on."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_PIECES = "".join(owned(WORDS, "train") + owned(NAMES, "train")).lower()
"""What made-up words get a piece of."""

_LENGTHS = range(2, 8)
"""Letters of a made-up word before it gets its piece, in the place of up to three of them."""


def scrambled(problem: LabProblem, rng: random.Random, repeats: float = 0.0) -> LabProblem:
    """The problem with the words of every clause in another order; it has no answer any more.

    There are two or three train phrases for an operation. A small net that sees nothing else
    learns them by heart and writes them in place of what the question says. Out of order they
    cannot be learned by heart, only copied.

    Args:
        problem: what to scramble.
        rng: draws the order.
        repeats: share of the clauses whose words are drawn with replacement. Where words come
            back, knowing the last two is not enough to go on: a net has to keep its place.
    """
    question, parts = problem.question.lower(), []
    for part in problem.parts:
        clause = part.subtask.lower()
        words = clause.split()
        if rng.random() < repeats:
            words = rng.choices(words, k=len(words))
        else:
            rng.shuffle(words)
        mixed = " ".join(words)
        question = question.replace(clause, mixed, 1)
        parts.append(replace(part, subtask=mixed))
    return replace(problem, question=question, parts=tuple(parts))


def reworded(problem: LabProblem, rng: random.Random) -> LabProblem:
    """The problem with its clauses said otherwise; it has no answer any more.

    A net that knows two phrases for an operation goes by whichever of their words is handiest,
    and often that is the verb. Here verbs that only carry ("take", "find", "write") are drawn
    anew, one more may stand in front, and a clause may be turned around a point in its middle, so
    that only the words that matter stay. The phrases of other splits are never made.
    """
    question, parts = problem.question.lower(), []
    for part in problem.parts:
        clause = part.subtask.lower()
        other = _otherwise(clause, rng)
        question = question.replace(clause, other, 1)
        parts.append(replace(part, subtask=other))
    return replace(problem, question=question, parts=tuple(parts))


def _otherwise(clause: str, rng: random.Random) -> str:
    for _ in range(_TRIES):
        said = _CARRIER.sub(lambda _: rng.choice(_CARRIERS), clause)
        if rng.random() < _TURNED:
            words = said.split()
            at = rng.randrange(len(words))
            said = " ".join(words[at:] + words[:at])
        if rng.random() < _LED:
            said = f"{rng.choice(_CARRIERS)} {rng.choice(('', 'and ', 'it and '))}{said}"
        if not _HELD_OUT.fullmatch(said):
            return said
    return clause


def respelled(problem: LabProblem, rng: random.Random) -> LabProblem:
    """The problem with made-up numbers, words and names; it has no answer any more.

    The training split has a few dozen words, so a net learns how each of them goes on after its
    first piece, and puts one of them where a new word starts alike. What is made up anew every
    time can only be copied.
    """
    made: dict[str, str] = {}

    def other(found: re.Match[str]) -> str:
        value = found[0].lower()
        if value not in made:
            made[value] = _made_up(value, rng)
        return made[value]

    question = _VALUE.sub(other, problem.question)
    parts = tuple(replace(part, subtask=_VALUE.sub(other, part.subtask)) for part in problem.parts)
    return replace(problem, question=question, parts=parts)


def _made_up(value: str, rng: random.Random) -> str:
    if value.isdigit():
        # Few different digits: where digits come back, a net has to know more than the last one.
        digits = rng.sample("0123456789", rng.choice((1, 2, 3, 4)))
        return "".join(rng.choice(digits) for _ in value)
    letters = "".join(rng.choice(_LETTERS) for _ in range(rng.choice(_LENGTHS)))
    start = rng.randrange(len(letters))
    # In one string of words cut anywhere stand all the pieces that the tokenizer knows.
    cut = rng.randrange(len(_PIECES) - 5)
    return letters[:start] + _PIECES[cut : cut + rng.choice((2, 3, 4, 5))] + letters[start + 3 :]
