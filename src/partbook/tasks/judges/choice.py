r"""Judge multiple choice: which option does a text choose?

The last explicit statement wins: "Answer: B", `\boxed{B}`, `<answer>B</answer>`, "I choose B", a
last line that is a letter, in several languages and spellings, or the option's own text in place of
its letter. Only where none is made do weaker signs count, in this order: "B is correct", "so: B", a
first line that is a letter, the one option that the last line names by its text.

Two letters in one statement are no answer, and so is a text that was cut inside its reasoning or
inside a box. A letter that merely occurs is never an answer: a guess must not earn chance credit.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from partbook.errors import ConfigError
from partbook.tasks.judges.answers import after_reasoning, answer_tag, boxes
from partbook.tasks.judges.choice_line import Stated, denied, mentions, stated
from partbook.tasks.judges.choice_text import Spellings, normal, plain, spellings, texts
from partbook.tasks.judges.verdict import Verdict

__all__ = ["ChoiceJudge", "Chosen", "choose"]

MAX_TEXT = 20_000
"""Of longer texts only the end is read."""
_LINE = 300
"""Longer stretches after a statement are not read."""
_UNSURE = re.compile(
    r"\b(?:cannot|can't|unsure|not sure|unclear|don't|do not|doesn't|unknown|impossible|neither"
    r"|none of these|whether|maybe not|either)\b"
)
_CONCLUDED = re.compile(
    r"(?:\b(?:so|therefore|thus|hence)\b|따라서|所以|因此)\s*[,:]?\s*|:\s+", re.I
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class Chosen(NamedTuple):
    """What a text chose."""

    letter: str | None
    """The letter, as the question writes it; None where the text holds no answer."""
    reason: str
    """Where it stands, or why there is none."""


@dataclass(frozen=True, slots=True)
class ChoiceJudge:
    """Judges the answers to one question."""

    reference: str
    """The right option's letter."""
    letters: tuple[str, ...] = ("A", "B", "C", "D")
    """The letters of all options, in order."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The options' texts by letter; empty where they are not known."""

    def __post_init__(self) -> None:
        """Refuse letters that no text could name.

        Raises:
            ConfigError: a letter is not one character, or one is given that the question has not.
        """
        _check(self.letters, self.options)
        if self.reference.upper() not in _upper(self.letters):
            raise ConfigError(
                f"the right option is {self.reference!r}, which is none of the options "
                f"{', '.join(self.letters)}"
            )

    async def judge(self, text: str) -> Verdict:
        """Judge a text; nothing is waited for."""
        return self.judge_now(text)

    def judge_now(self, text: str) -> Verdict:
        """Judge a text without an event loop."""
        letter, reason = _chosen(text, self.letters, self.options)
        if letter is None:
            return Verdict("wrong", None, reason)
        if letter.upper() == self.reference.upper():
            return Verdict("right", letter, f"{letter} is right ({reason})")
        return Verdict("wrong", letter, f"{letter} is not {self.reference} ({reason})")


def choose(text: str, letters: Sequence[str], options: Mapping[str, str] | None = None) -> Chosen:
    """The option that a text chooses.

    Args:
        text: what a model wrote.
        letters: the letters of all options, in order; one character each.
        options: the options' texts by letter, where they are known.

    Raises:
        ConfigError: a letter is not one character, or an option has no letter.
    """
    options = options or {}
    _check(letters, options)
    return _chosen(text, letters, options)


def _chosen(text: str, letters: Sequence[str], options: Mapping[str, str]) -> Chosen:
    rest = after_reasoning(text[-MAX_TEXT * 10 :])
    if rest is None:
        return Chosen(None, "the text ends inside its reasoning")
    rest = plain(rest[-MAX_TEXT:])
    kind = spellings("".join(_upper(letters)))
    named = texts(tuple((letter.upper(), option) for letter, option in options.items()))
    for find in (_explicit, _weak):
        if (found := find(rest, kind, named)) is not None:
            answer, reason = found
            if answer is None or answer == "several":
                return Chosen(
                    None, reason if answer is None else f"it names several options ({reason})"
                )
            return Chosen(_as_written(answer, letters), reason)
    return Chosen(None, "no option is chosen")


class _Found(NamedTuple):
    stated: Stated
    reason: str


def _explicit(text: str, kind: Spellings, named: Sequence[tuple[str, str]]) -> _Found | None:
    """The last place where the text states its answer; `stated` is None where it was cut."""
    at, best = -1, None
    for match in kind.statement.finditer(text):
        if kind.doubted(text, match.start()):
            continue
        begins = not match.group().rstrip()[-1:].isalpha()
        answer = stated(_tail(text, match.end()), kind, named, begins=begins)
        if answer is not None:
            at, best = match.start(), _Found(answer, "in its last statement of an answer")
    for box in boxes(text):
        if box.content is None:
            return _Found(None, "the last box is not closed")
        answer = stated(box.content.strip(), kind, named)
        if answer is not None and box.start >= at:
            at, best = box.start, _Found(answer, "in the last box")
    if (tag := answer_tag(text)) is not None and tag.end > at:
        if tag.content is None:
            return _Found(None, "the answer tag is not closed")
        if not boxes(tag.content) and (answer := stated(tag.content, kind, named)) is not None:
            at, best = tag.start, _Found(answer, "in the answer tag")
    if (last := _last_line(text, kind, named)) is not None and text.rfind(last[0]) > at:
        best = _Found(last[1], "in its last line")
    return best


def _tail(text: str, start: int) -> str:
    """The rest of a line, or the next line where nothing is left of it."""
    stop = text.find("\n", start)
    tail = text[start : stop if stop >= 0 else len(text)]
    if not tail.strip(" \t:_") and stop >= 0:
        tail = text[start : start + _LINE].lstrip(" \t:_\n").split("\n", 1)[0]
    tail = tail[:_LINE].strip()
    found = boxes(tail) if tail.startswith("\\boxed") else []
    return found[0].content or "" if found else tail


def _last_line(
    text: str, kind: Spellings, named: Sequence[tuple[str, str]]
) -> tuple[str, Stated] | None:
    """The last line, where it is a letter, an option, or an option's text."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    line = lines[-1].strip()
    if match := kind.alone.match(line):
        listed = len(lines) > 1 and kind.alone.match(lines[-2]) is not None
        article = match[1] in "aAiI" and match[2] is not None and match[2] not in "):"
        if not (listed or article or (match[2] is not None and match[1].islower())):
            return line, kind.letter(match[1])
    whole = {letter for letter, option in named if option == normal(line)}
    if len(whole) == 1:
        return line, whole.pop()
    return None


def _weak(text: str, kind: Spellings, named: Sequence[tuple[str, str]]) -> _Found | None:
    """What a text without an explicit statement lets through."""
    verdicts = [m for m in kind.verdict.finditer(text) if not denied(text, m.start())]
    if verdicts and not kind.doubted(text, verdicts[-1].start()):
        return _Found(kind.letter(verdicts[-1][1]), "it calls the option correct")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    last = lines[-1][-2 * _LINE :]
    if match := kind.conclusion.search(last):
        return _Found(kind.letter(match[1]), "in its conclusion")
    first = kind.alone.match(lines[0])
    if first is not None and first[2] is None:
        return _Found(kind.letter(first[1]), "in its first line")
    return _named(last, named) if named else None


def _named(line: str, named: Sequence[tuple[str, str]]) -> _Found | None:
    """The one option that the last line, or its last sentence, names by its text."""
    for match in reversed(list(_CONCLUDED.finditer(line))):
        concluded = normal(line[match.end() :])
        whole = {letter for letter, option in named if option == concluded}
        if len(whole) == 1:
            return _Found(whole.pop(), "in its conclusion")
    telling = [(letter, option) for letter, option in named if _telling(option)]
    for part in (line, _SENTENCE.split(line)[-1]):
        words = normal(part)
        if _UNSURE.search(words):
            continue
        found = {
            letter for start, _, letter in mentions(words, telling) if not denied(words, start)
        }
        if len(found) == 1:
            return _Found(found.pop(), "by the option's text in its last line")
    return None


def _telling(option: str) -> bool:
    """Whether an option's text is long enough not to occur by chance."""
    return len(option) >= 4 and any(mark.isalpha() for mark in option)


def _check(letters: Sequence[str], options: Mapping[str, str]) -> None:
    if not letters or any(len(letter) != 1 or not letter.isalnum() for letter in letters):
        raise ConfigError(f"options are named by one letter or digit each; found {list(letters)!r}")
    if unknown := [letter for letter in options if letter.upper() not in _upper(letters)]:
        raise ConfigError(f"option {unknown[0]!r} is not one of the letters {', '.join(letters)}")


def _upper(letters: Sequence[str]) -> list[str]:
    return [letter.upper() for letter in letters]


def _as_written(letter: str, letters: Sequence[str]) -> str:
    return letters[_upper(letters).index(letter)]
