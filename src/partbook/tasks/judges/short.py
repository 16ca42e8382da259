r"""Judge short answers: a few words or one quantity, by the rules that RLPR answers are judged by.

Right is the same text up to case, spacing and punctuation, or the same number within one part in a
thousand (arXiv:2512.04388), with percent, currency and units converted where both sides name
theirs. Two whole numbers must be equal: 1999 is not 2000. An empty answer is never right, and an
answer that merely contains the reference, or is contained in it, is not the reference.

What it does not do: synonyms, translations and algebra. Those need a model or `MathsJudge`.
"""

import re
import string
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from partbook.errors import ConfigError
from partbook.tasks.judges.answers import after_reasoning, answer_tag, boxes, statement_tails
from partbook.tasks.judges.maths_number import exact
from partbook.tasks.judges.maths_text import tidy
from partbook.tasks.judges.units import Unit, comparable, split_unit
from partbook.tasks.judges.verdict import Verdict

__all__ = ["ShortJudge"]

TOLERANCE = Fraction(1, 1_000)
"""Relative to the reference (arXiv:2512.04388)."""
MAX_TEXT = 50_000
"""Of longer texts only the end is read."""
MAX_ANSWER = 500
"""Longer answers are not short."""

_SENTENCE = re.compile(r"[.!?;](?:\s|$)|,?\s(?:because|since|which|as)\s")
_PUNCTUATION = re.compile(
    rf"(?<!\d)[{re.escape(string.punctuation)}]|[{re.escape(string.punctuation)}](?!\d)"
)
_EQUALS = re.compile(r"^[A-Za-z](?:_\{?\w+\}?)?\s*=\s*")
_LEAD = re.compile(
    r"^(?:\\approx|~|≈|about|approximately|around|exactly|roughly)\s*", re.IGNORECASE
)


class _Quantity(NamedTuple):
    number: Fraction
    unit: Unit | None
    whole: bool
    """Written as a whole number, so that it is meant exactly."""


@dataclass(frozen=True, slots=True)
class ShortJudge:
    """Judges the answers to one question."""

    reference: str
    """The right answer; never blank."""

    def __post_init__(self) -> None:
        """Refuse a reference that every empty answer would equal.

        Raises:
            ConfigError: it is blank.
        """
        if not _words(self.reference) and _quantity(self.reference) is None:
            raise ConfigError(
                f"a short answer needs a reference with words; found {self.reference!r}"
            )

    async def judge(self, text: str) -> Verdict:
        """Judge a text; nothing is waited for."""
        return self.judge_now(text)

    def judge_now(self, text: str) -> Verdict:
        """Judge a text without an event loop."""
        answers, where = _answers(text)
        if not answers:
            return Verdict("wrong", None, where)
        if any(len(answer) > MAX_ANSWER for answer in answers):
            return Verdict("wrong", answers[0][:MAX_ANSWER], f"the answer ({where}) is not short")
        for answer in answers:
            if (how := _same(self.reference, answer)) is not None:
                return Verdict("right", answer, f"the answer ({where}) is {how}")
        return Verdict("wrong", answers[-1], f"the answer ({where}) is not {self.reference[:80]!r}")


def _answers(text: str) -> tuple[list[str], str]:
    """The readings of the one place where the answer stands, and where that is."""
    rest = after_reasoning(text)
    if rest is None:
        return [], "the text ends inside its reasoning"
    rest = rest[-MAX_TEXT:].strip()
    tag, found = answer_tag(rest), boxes(rest)
    if found and found[-1].content is None:
        return [], "the last box is not closed"
    if tag is not None and not (found and found[-1].start >= tag.start):
        if tag.content is None:
            return [], "the answer tag is not closed"
        return ([tag.content], "in the answer tag") if tag.content else ([], "the tag is empty")
    if found:
        content = (found[-1].content or "").strip()
        return ([content], "in the last box") if content else ([], "the box is empty")
    if tails := [tail for _, tail in statement_tails(rest) if tail]:
        return _readings(tails[-1]), "after the last statement of an answer"
    lines = [line.strip() for line in rest.splitlines() if line.strip()]
    if not lines:
        return [], "the text is empty"
    return _readings(lines[-1]), "in the last line"


def _readings(line: str) -> list[str]:
    """A line, and its part before a full stop: an answer may hold one, as in "Dr. No"."""
    line = line.strip("*_` ").removesuffix(".")
    first = _SENTENCE.split(line, maxsplit=1)[0].strip("*_` ")
    return [line, first] if first and first != line else [line]


def _same(reference: str, answer: str) -> str | None:
    """How an answer is the reference; None where it is not."""
    words = _words(answer)
    if words and words == _words(reference):
        return "the reference" if answer == reference else "the reference in another spelling"
    given, gold = _quantity(answer), _quantity(reference)
    if given is None or gold is None:
        return None
    both_whole = given.whole and gold.whole and given.unit == gold.unit
    for a, b in comparable(gold.number, gold.unit, given.number, given.unit):
        if a == b:
            return "the same number"
        if not both_whole and abs(a - b) <= TOLERANCE * abs(a):
            return "the same number within one part in a thousand"
    return None


@lru_cache(maxsize=4_096)
def _words(text: str) -> str:
    """Case, spacing and punctuation taken away; signs and points of numbers stay."""
    text = unicodedata.normalize(
        "NFKC", re.sub(r"\\(?:text|mathrm|textbf)\{([^{}]*)\}", r"\1", text)
    )
    text = re.sub(r"(?<!\w)[-−](?=\d)", "minus ", text.casefold().replace("$", " "))
    text = re.sub(r"(?<=\d)%", " percent", text)
    words = " ".join(_PUNCTUATION.sub(" ", text).split())
    return re.sub(r"^(?:the|an?)\s+(?=\S)", "", words)


@lru_cache(maxsize=4_096)
def _quantity(text: str) -> _Quantity | None:
    tidied = _LEAD.sub("", _EQUALS.sub("", tidy(text[:MAX_ANSWER])))
    bare, unit = split_unit(tidied)
    number = exact(bare)
    return (
        None
        if number is None
        else _Quantity(number, unit, re.fullmatch(r"-?[\d,]+", bare) is not None)
    )
