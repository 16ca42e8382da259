"""Where in a text the final answer stands. What the answer means is left to the judges.

A text may hold reasoning, drafts, and an answer that was withdrawn, so every rule here takes the
last explicit place. A text that was cut, inside its reasoning or inside a box, holds no answer:
half of an answer is another answer. Every function is linear in the length of the text.
"""

import re
from dataclasses import dataclass

__all__ = [
    "ANSWER_KEYS",
    "Box",
    "after_reasoning",
    "answer_tag",
    "boxes",
    "statement_tails",
]

MAX_TAIL = 500
"""Characters that are read after the announcement of an answer."""

_REASONING = re.compile(r"<(/?)(?:think|thinking|reasoning|reflection)>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*")
_BARE_BOX = re.compile(r"[A-Za-z0-9.\-]+|\\[A-Za-z]+")

ANSWER_KEYS = (
    r"(?:answer|solution|정답|답안|답|答案|答え|答|正解|回答|解答"
    r"|respuesta|r[ée]ponse|antwort|risposta|resposta|ответ)"
)
"""Words that announce an answer, in the languages our tasks are asked in."""

_STATEMENT = re.compile(
    r"(?:(?<![A-Za-z])(?:final\s+)?" + ANSWER_KEYS + r"(?![a-z])[\"'*_`)\]]*\s*"
    r"(?:(?:is|are|equals|would\s+be|should\s+be|must\s+be|est|es|ist|è|é)(?![a-z])\s*:?|[:=：]"
    r"|[은는이가为為是は]\s*[:：]?)|^[ \t]*\#{4})[ \t*_`]*",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Box:
    r"""One `\boxed{...}` or `<answer>...</answer>` of a text."""

    start: int
    """Index of its first character."""
    end: int
    """Index after its last one; the length of the text where the box is not closed."""
    content: str | None
    """What stands inside; None where the box is not closed."""


def after_reasoning(text: str) -> str | None:
    """The part of a text that comes after its reasoning; None where it was cut inside it.

    A closing tag without an opening one counts as well: some chat templates write the opening tag
    themselves.
    """
    last = None
    for match in _REASONING.finditer(text):
        last = match
    if last is None:
        return text
    return text[last.end() :] if last.group(1) else None


def answer_tag(text: str) -> Box | None:
    """The last `<answer>...</answer>`; its content is None where the tag is not closed."""
    opened: re.Match[str] | None = None
    found: Box | None = None
    for match in _TAG.finditer(text):
        if not match.group(1):
            opened = match
        elif opened is not None:
            content = text[opened.end() : match.start()].strip()
            found = Box(opened.start(), match.end(), content)
            opened = None
    return found if opened is None else Box(opened.start(), len(text), None)


def boxes(text: str) -> list[Box]:
    r"""All outermost boxes of a text, in order; escaped braces do not count.

    >>> [box.content for box in boxes(r"\boxed{\frac{1}{2}} and \boxed{\{3\}}")]
    ['\\frac{1}{2}', '\\{3\\}']
    """
    found: list[Box] = []
    end = 0
    for match in _BOX.finditer(text):
        if match.start() < end:
            continue
        if match.end() < len(text) and text[match.end()] == "{":
            close = _closing_brace(text, match.end())
            content = None if close is None else text[match.end() + 1 : close]
            end = len(text) if close is None else close + 1
            found.append(Box(match.start(), end, content))
        elif match.end() == len(text):
            found.append(Box(match.start(), len(text), None))
        elif bare := _BARE_BOX.match(text, match.end()):
            end = bare.end()
            found.append(Box(match.start(), end, bare.group()))
    return found


def statement_tails(text: str) -> list[tuple[int, str]]:
    """Every "the answer is ...": its place, and what follows on that line or on the next one."""
    found = []
    for match in _STATEMENT.finditer(text):
        stop = text.find("\n", match.end())
        tail = text[match.end() : min(stop if stop >= 0 else len(text), match.end() + MAX_TAIL)]
        if not tail.strip(" \t*_`$[\\") and stop >= 0:
            tail = text[stop : stop + MAX_TAIL].lstrip().split("\n\n", 1)[0]
        found.append((match.start(), tail.strip()))
    return found


def _closing_brace(text: str, opening: int) -> int | None:
    """Index of the brace that closes the one at `opening`."""
    depth = 0
    i = opening
    while i < len(text):
        mark = text[i]
        if mark == "\\":
            i += 2
            continue
        depth += (mark == "{") - (mark == "}")
        if depth == 0:
            return i
        i += 1
    return None
