"""Which letter one statement states: the text right after "the answer is", a box, or a last line.

A statement states one letter, or several (which is no answer), or none because it is prose. Within
it a letter is passed over where it is denied ("not A but C", "A is wrong"), replaced where the text
corrects itself ("A, no wait, C"), and an article is no letter.
"""

import re
from collections.abc import Sequence
from typing import Literal

from partbook.tasks.judges.choice_text import Spellings, normal

__all__ = ["Stated", "denied", "mentions", "stated"]

Stated = str | Literal["several"] | None
"""A letter, `several`, or None for prose."""

_LEAD = re.compile(
    r"(?:[\s:=,\-–—>\"'(\[{]|\b(?:not|neither|either|both|between|options?|choices?|letter|answer|the"
    r"|is|it's|it|probably|likely|definitely|clearly|only|nor|isn't|cannot|can't|be|must|should"
    r"|would|so|then|therefore|thus|we|I|think|believe|say|go|with|choose|pick|select|guess|my|final"
    r"|correct|best|right)\b)*",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot\s+be|can't\s+be|rather\s+than|instead\s+of|over|unlike|than"
    r"|versus|vs\.?|against|eliminates?|excludes?|rules?\s+out|except)|n't)\s*(?:be\s+)?"
    r"(?:option\s+|choice\s+|the\s+)*$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"\s*(?:,?\s*(?:is|was|are|seems|looks|would\s+be)\s+(?:clearly\s+|also\s+)?"
    r"(?:wrong|incorrect|false|not|out|tempting|impossible|excluded)|\s*\?\s*no\b|isn't)",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"\b(?:no|nope|wait|actually|sorry|correction|i\s+mean|make\s+that|rather|hold\s+on|scratch\s+that"
    r"|but|instead)\b|->|=>|→|⇒",
    re.IGNORECASE,
)
_SETTLED = re.compile(r"\b(?:so|therefore|thus|hence|choose|pick|go\s+with)\b|[?]", re.IGNORECASE)
_JOINED = re.compile(
    r"[\s)\]}\"']*(?:,|/|&|\+|\||(?:,\s*)?\b(?:and|or|und|oder|y|o|et|ou)\b|또는|또|와|과|或|和|、)+"
    r"[\s(\[{\"']*(?:option\s+|choice\s+)?",
    re.IGNORECASE,
)
_ASIDE = 40
"""Characters between a letter that is denied and the one that is meant."""
_WORD_AFTER = re.compile(r" ([a-z]+)")
_AFTER_LETTER = re.compile(
    r"because|since|as|is|rather|or|and|over|instead|not|was|for|but|with|though|although|given|which"
    r"|by|due|while|would|looks|seems|fits|follows|has|must|only|among"
)
"""Words that may follow a letter; before any other word, A and I are an article and a pronoun."""


def stated(
    tail: str, kind: Spellings, options: Sequence[tuple[str, str]], *, begins: bool = True
) -> Stated:
    """The letter that a statement's text states, by letter or by the text of an option.

    Args:
        tail: what follows the announcement, in the spelling of `plain`; one line.
        kind: the letters of the question.
        options: letter and text of each option, in the spelling of `normal`, longest first.
        begins: whether a sentence begins here, so that a capital A may be an article.
    """
    alone = kind.alone.match(tail)
    if alone is not None and alone[2] is None:
        return kind.letter(alone[1])
    if options and (by_text := _stated_text(tail, options)) is not None:
        return by_text
    if kind.several.match(tail.strip()):
        return "several"
    return _stated_letter(tail, kind, begins)


def mentions(line: str, options: Sequence[tuple[str, str]]) -> list[tuple[int, int, str]]:
    """Where a line names options by their text: start, end, letter; the longest text wins."""
    found: list[tuple[int, int, str]] = []
    for letter, text in options:
        at = line.find(text)
        while at >= 0:
            end = at + len(text)
            if _whole(line, at, end) and not any(
                s < end and at < e and t != letter and (e - s) > len(text) for s, e, t in found
            ):
                found.append((at, end, letter))
            at = line.find(text, end)
    return sorted(found)


def denied(text: str, at: int) -> bool:
    """Whether what stands at `at` is denied by the words before it."""
    return _DENIED.search(text, max(0, at - 30), at) is not None


def _stated_text(tail: str, options: Sequence[tuple[str, str]]) -> Stated:
    line = normal(tail)
    found = mentions(line, options)
    first = [letter for start, _, letter in found if start == 0]
    if not first:
        return None
    if len(set(first)) > 1:
        return "several"
    end = max(end for start, end, _ in found if start == 0)
    for start, _, letter in found:
        if start >= end and letter != first[0] and _JOINED.fullmatch(line[end:start]):
            return "several"
    return first[0]


def _stated_letter(tail: str, kind: Spellings, begins: bool) -> Stated:
    current: str | None = None
    open_question = denying = False
    end = 0
    for match in kind.token.finditer(tail):
        if not _is_letter(match, tail, begins):
            continue
        gap = tail[end : match.start()]
        joined = end > 0 and _JOINED.fullmatch(gap) is not None
        if current is None and not (end > 0 and len(gap) <= _ASIDE) and not _LEAD.fullmatch(gap):
            return None
        end = match.end()
        letter = kind.letter(match[1] or match[2])
        denying = denied(tail, match.start()) or (denying and joined)
        if denying:
            continue
        if _DENIED_AFTER.match(tail, end):
            if joined:  # "A and B are wrong" denies both
                current, open_question = None, False
            continue
        if current is None:
            current = letter
        elif _CORRECTED.search(gap) or (open_question and _SETTLED.search(gap)):
            current, open_question = letter, False
        elif letter != current:
            if not joined:
                break
            open_question = True
    return "several" if open_question else current


def _is_letter(match: re.Match[str], tail: str, begins: bool) -> bool:
    """Whether a lone letter is one of the question's, and not an article or a variable."""
    if match[1]:
        return True
    letter = match[2]
    if letter.islower():
        before = tail[: match.start()].strip(" \"'([")
        return not before and re.match(r"\s*(?:[.,;:!)]|$)", tail[match.end() :]) is not None
    article = letter == "A" and begins and not tail[: match.start()].strip(" \"'([")
    if (article or letter == "I") and (word := _WORD_AFTER.match(tail, match.end())):
        return _AFTER_LETTER.fullmatch(word[1]) is not None
    return True


def _whole(line: str, start: int, end: int) -> bool:
    """Whether a stretch of a line is bounded by the ends of words and numbers."""
    if start and line[start - 1].isalnum() and line[start].isalnum():
        return False
    if end == len(line):
        return True
    if line[end].isalnum() and line[end - 1].isalnum() and line[end].isascii():
        return False
    return not (line[end] in ".,/" and line[end + 1 : end + 2].isdigit())
