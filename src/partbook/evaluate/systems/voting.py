"""The majority of several answers: which of them mean the same, and which meaning has most votes.

Two answers are one vote if what stands after the last "Answer:", in the last `<answer>` tag or the
last box is the same up to case, spaces, punctuation at the rim and the spelling of a number. That
is weaker than a judge, which knows the reference: equal values in other forms (1/2 and 0.5, a set
in another order) are different votes. Free texts and programs seldom agree, and then the first
one stands.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from partbook.price import EXACT
from partbook.tasks.judges.answers import after_reasoning, answer_tag, boxes, statement_tails

__all__ = ["Key", "majority", "normalised"]

Key = Callable[[str], str | None]
"""What an answer votes for; None: for nothing."""

_MAX_TEXT = 200_000
"""Characters from the end of an answer that are read."""

_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3}){1,15}|\d{1,50})(?:\.\d{1,50})?")
"""No longer than what `EXACT` holds."""

_RIM = " \t\r\n.,;:!?\"'*_`$()[]{}"


def normalised(text: str) -> str | None:
    r"""What an answer comes down to; None where it was cut off before it said so.

    >>> normalised("So there are twelve hundred. Answer: 1,200.0."), normalised(r"\boxed{Plum}")
    ('1200', 'plum')
    """
    visible = after_reasoning(text[-_MAX_TEXT:])
    if visible is None:
        return None
    return _canonical(_final(visible)) or None


def majority(answers: Sequence[str], key: Key = normalised) -> str | None:
    """The first answer of the largest group; of equally large groups, that which voted first.

    Args:
        answers: texts, in order.
        key: what each of them votes for.

    Returns:
        One of the answers; the first where nobody votes; None where there are none.
    """
    votes = [key(answer) for answer in answers]
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return answers[0] if answers else None
    winner, _ = counts.most_common(1)[0]
    return answers[votes.index(winner)]


def _final(text: str) -> str:
    tag = answer_tag(text)
    if tag is not None:
        return tag.content or ""
    found = boxes(text)
    if found:
        return found[-1].content or ""
    tails = statement_tails(text)
    return tails[-1][1] if tails else text


def _canonical(text: str) -> str:
    flat = " ".join(text.casefold().split()).strip(_RIM)
    if not _NUMBER.fullmatch(flat):
        return flat
    value = EXACT.normalize(Decimal(flat.replace(",", "")))
    return f"{EXACT.plus(value):f}"  # minus nothing is nothing
