"""Shares of the workers, and how far two policies' shares lie apart."""

from collections import Counter
from collections.abc import Sequence

from partbook.claims.answers import Answer
from partbook.train.measure import shares_of

__all__ = ["apart"]


def apart(ours: Sequence[Answer], theirs: Sequence[Answer]) -> float:
    """Total variation distance between the shares of the steps that the workers get, 0 to 1: the
    share of one policy's steps that would have to go to others to make them equal."""
    first, second = (
        shares_of(Counter(worker for answer in answers for worker in answer.workers))
        for answers in (ours, theirs)
    )
    names = first.keys() | second.keys()
    return sum(abs(first.get(name, 0.0) - second.get(name, 0.0)) for name in names) / 2
