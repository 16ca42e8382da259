r"""The final answer of a mathematical text, as it was written.

Rules, first that applies: a box that is not closed is no answer; the last closed `<answer>` tag,
unless a box follows it; a correction after the last box; the last box, with the boxes that stand in
one list with it; the last "the answer is" whose rest reads as mathematics; the last line, if it is
an answer, ends in one after `=` or "is", or holds a single number. What was only considered on the
way is never taken.
"""

import re

from partbook.tasks.judges.answers import Box, after_reasoning, answer_tag, boxes, statement_tails
from partbook.tasks.judges.maths_leaf import Unreadable
from partbook.tasks.judges.maths_read import read
from partbook.tasks.judges.maths_shape import Series, Value, Word
from partbook.tasks.judges.maths_text import tidy

__all__ = ["final_answer"]

MAX_TEXT = 200_000
"""Of longer texts only the end is read."""
MAX_EXPRESSION = 300
"""Characters of an expression in prose; longer ones stand in boxes."""
MAX_JOINED = 64
"""Boxes that can stand in one list."""
MAX_JOINT = 64
"""Characters between two boxes of one list."""
MAX_STATEMENTS = 32
"""Statements of an answer that are tried, from the last one back."""

_JOINT = re.compile(
    r"[\s$]*(?:[,;]|,?\s*(?:\\text\{\s*)?(?:and|or)\b(?:\s*\})?|\\q?quad|\\[;,])+[\s$]*"
    r"(?:[A-Za-z](?:_\{?\w\}?)?\s*=\s*)?[\s$]*"
)
_LABEL_BEFORE = re.compile(r"(?<![A-Za-z\\])([A-Za-z](?:_\{?\w\}?)?)\s*=[\s$]*$")
_SPAN = re.compile(r"\$\$?([^$]+)\$\$?|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_SPANS = re.compile(
    r"(?:[A-Za-z]\s*=\s*)?(?:\$[^$]+\$|\\\(.+?\\\))(?:\s*(?:,|,?\s*and|,?\s*or)\s*(?:\$[^$]+\$|\\\(.+?\\\)))*"
    r"(?:\s*(?:percent|%|[a-z]+s?\b(?=[.\s]*$)))?"
)
_STOP = re.compile(
    r"[.!?](?:[*_`\"')]*\s|[*_`\"')]*$)|;\s|\s[—–]\s|,?\s(?:because|since|which|so|as|where|when|if)\s|\s\((?!\d)"
)
_COPULA = re.compile(r"\s*(?:입니다|이에요|예요|이다|です|である|だ)$")
_AFTER = re.compile(r"=|≈|\\approx\b|\bis\b|\bare\b|\bget\b|:")
_WITHDRAWN = re.compile(
    r"\b(?:wait|actually|correction|sorry|mistake|hold on|no,|scratch that|wrong)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?%?(?![\w/])")


def final_answer(text: str) -> tuple[str | None, str]:
    """The answer and where it stood; None and why there is none."""
    rest = after_reasoning(text)
    if rest is None:
        return None, "the text ends inside its reasoning"
    rest = rest[-MAX_TEXT:]
    tag, found = answer_tag(rest), boxes(rest)
    if found and found[-1].content is None:
        return None, "the last box is not closed"
    if tag is not None and not (found and found[-1].start >= tag.end):
        if tag.content is None:
            return None, "the answer tag is not closed"
        inside = [box for box in found if box.start >= tag.start]
        return _from_tag(tag.content, rest, inside)
    if found:
        after = rest[found[-1].end :]
        if _WITHDRAWN.search(after) and (corrected := _stated_number(after)) is not None:
            return corrected, "in a correction after the last box"
        return _from_boxes(rest, found)
    return _from_prose(rest)


def _stated_number(text: str) -> str | None:
    """What the last statement of an answer says, where that is no word."""
    for _, tail in reversed(statement_tails(text)[-MAX_STATEMENTS:]):
        if (answer := _of_tail(tail, words=False)) is not None:
            return answer
    return None


def _from_tag(content: str, text: str, inside: list[Box]) -> tuple[str | None, str]:
    if inside:
        return _from_boxes(text, inside)
    if not content:
        return None, "the answer tag is empty"
    if not _readable(content) and (stated := _from_prose(content))[0] is not None:
        return stated
    return content, "in the answer tag"


def _from_boxes(text: str, found: list[Box]) -> tuple[str | None, str]:
    filled = [box for box in found if box.content and box.content.strip(" $\\;,")]
    if not filled:
        return None, "the box is empty"
    joined = [filled[-1]]
    for box in reversed(filled[-MAX_JOINED:-1]):
        between = text[box.end : joined[0].start]
        if len(between) > MAX_JOINT or not _JOINT.fullmatch(between):
            break
        joined.insert(0, box)
    if len(joined) == 1:
        return _unboxed(joined[0].content or ""), "in the last box"
    parts = []
    for box in joined:
        label = _LABEL_BEFORE.search(text[max(0, box.start - 20) : box.start])
        parts.append((f"{label[1]} = " if label else "") + _unboxed(box.content or ""))
    return ", ".join(parts), "in the last boxes, which stand in one list"


def _unboxed(content: str) -> str:
    """A box may hold another one, with or without words around it; a few times, not a thousand."""
    for _ in range(4):
        inner = boxes(content)
        if not inner or not inner[-1].content:
            break
        content = inner[-1].content
    return content.strip()


def _from_prose(text: str) -> tuple[str | None, str]:
    for _, tail in reversed(statement_tails(text)[-MAX_STATEMENTS:]):
        if (answer := _of_tail(tail)) is not None:
            return answer, "after the last statement of an answer"
    lines = [line for line in text.splitlines() if re.search(r"\w", line)]
    if not lines:
        return None, "the text is empty"
    line = re.sub(r"^[\s>*#\-]+(?=\s)|\*\*|__", "", lines[-1]).strip()
    if len(line) <= 300:
        if _readable(line, words=len(lines) == 1):
            return line, "in the last line"
        spans = list(_SPAN.finditer(line))
        tails = [spans[-1].group(0)] if spans else []
        if pieces := _AFTER.split(line)[1:]:
            tails.append(pieces[-1])
        for tail in tails:
            if (answer := _of_tail(tail, words=False)) is not None:
                return answer, "at the end of the last line"
        if len(numbers := _NUMBER.findall(line)) == 1:
            return str(numbers[0]), "the only number of the last line"
    return None, "no answer is stated"


def _of_tail(tail: str, *, words: bool = True) -> str | None:
    """The answer at the start of what follows "the answer is"; `words`: it may be one in words."""
    tail = tail.strip().strip("*_ ")
    if match := _SPANS.match(tail):
        if _readable(match.group(), words=words):
            return match.group()
        span = _SPAN.search(match.group())
        inner = next((group for group in span.groups() if group), "") if span else ""
        return inner.strip() if _readable(inner, words=words) else None
    stop = _STOP.search(tail)
    first = _COPULA.sub("", (tail[: stop.start()] if stop else tail).strip().strip("*_ "))
    if _readable(first, words=words):
        return first
    number = _NUMBER.match(first)
    return number.group() if number else None


def _readable(text: str, *, words: bool = True) -> bool:
    """Whether prose is an answer as a whole: mathematics, or one short phrase where it may be."""
    try:
        shape = read(tidy(text))
    except Unreadable:
        return False
    if isinstance(shape, Word):
        return words
    if isinstance(shape, Series):
        return not any(isinstance(item, Word) for item in shape.items)
    return not isinstance(shape, Value) or shape.number is not None or len(text) <= MAX_EXPRESSION
