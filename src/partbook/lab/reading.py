"""How a worker reads: which operations a text asks for, and on what.

A text is searched for every known phrase; where two overlap, the one that begins first is meant,
and of those that begin together the longest. Nothing else in the text counts, so polite words and
explanations do no harm, and what no phrase covers is simply not understood.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from partbook.lab.operations import OPERATIONS, RANKS, Operation
from partbook.lab.phrases import PHRASES
from partbook.lab.values import THINGS, UNITS, Kind

__all__ = ["MAX_TEXT", "Mention", "Reference", "asks_for_check", "asks_for_everything", "mentions"]

MAX_TEXT = 4000
"""Characters of a text that are read; a model may have written any amount."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An input that is not written out: the answer of somebody before."""

    position: int | None = None
    """As in "step 1" or "the first result", counted from 0; None: whichever came last."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One operation that a text asks for."""

    operation: Operation
    given: tuple[str, ...]
    """Its parameters."""
    inputs: tuple[str | Reference, ...]
    """As many as the operation takes: written out, or referred to."""


_NO_WORD = (
    "add all alphabet and answer are base birthday by change convert count date decrease "
    "digits does drop every finally find first from has how in increase into is it its keep "
    "last letters look many multiply name number of only output please previous read remove "
    "repeat result results reverse second sort spell step string subtract take text that the "
    "them then they this times to town twice two value vowels weekday which with without word "
    "write your "
)
"""Words that are never meant as the word to work on, unless they stand in quotes."""

_STOP = rf"(?!(?:{'|'.join(_NO_WORD.split())})\b)"

_REFERENCE = (
    r"(?:(?:the |that |this |your |its )?"
    r"(?:(?:earlier|previous|last|first|second|third|final|new) )?"
    r"(?:result|answer|word|number|value|text|date|output|string|town|weekday|birthday)s?\b"
    r"(?: (?:of|from|in) (?:step|subtask) \d\b)?|step \d\b|it\b|that\b|this\b)"
)

_LITERALS: dict[Kind, str] = {
    "word": r"(?:(?:the )?(?:word|text|string|town|name) )?"
    rf"(?:['\"][a-z]+['\"]|{_STOP}[a-z]{{2,64}})",
    "number": r"(?:the number )?-?\d{1,12}(?![\d-])",
    "numeral": r"(?:the number )?\d{1,40}(?![\d-])",
    "date": r"(?:the date )?\d{4}-\d\d-\d\d",
    "numbers": r"(?:the numbers )?-?\d{1,12}(?:,? and -?\d{1,12}|, ?-?\d{1,12})+",
    "words": rf"(?:the words )?{_STOP}[a-z]+(?:,? and {_STOP}[a-z]+|, ?{_STOP}[a-z]+)+",
}

_BARE: dict[Kind, re.Pattern[str]] = {
    "word": re.compile(r"([a-z]+)['\"]?$", re.IGNORECASE),
    "number": re.compile(r"(-?\d+)$"),
    "numeral": re.compile(r"(\d+)$"),
    "date": re.compile(r"([\d-]+)$"),
}

_UNIT_NAMES = sorted({name for pair in UNITS for name in pair})

_PARAMETERS = {
    "k": r"\d{1,6}",
    "digit": "ones|zeros",
    "rank": "|".join(sorted(RANKS, key=len, reverse=True)),
    "place": "first|last",
    "larger": "|".join(_UNIT_NAMES),
    "smaller": "|".join(_UNIT_NAMES),
    "things": "|".join(THINGS),
    "who": "[a-z]+",
}

_ORDINALS = {"first": 0, "second": 1, "third": 2}

_CHECK = re.compile(
    r"^\W*(?:please |now |carefully |then |double[- ])*"
    r"(?:check|verify|confirm|validate|correct|repair|mend|proofread|review)\b",
    re.IGNORECASE,
)

_EVERYTHING = re.compile(
    r"\b(?:answer|solve|do|complete|work out|handle|finish)\b.*"
    r"\b(?:question|problem|task|everything|all)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Form:
    """A phrase as a pattern."""

    operation: Operation
    pattern: re.Pattern[str]
    slots: tuple[str, ...]
    """The names of the pattern's groups, in their order."""
    needs: frozenset[str]
    """Words without which the pattern cannot match; they spare most searches."""
    implied: dict[str, str]


def _form(operation: Operation, phrase: str, implied: dict[str, str]) -> _Form:
    pattern, slots, needs = "", [], set()
    for piece in re.split(r"(\{\w+\})", phrase):
        if piece.startswith("{"):
            slots.append(piece[1:-1])
            pattern += f"({_slot(operation, piece[1:-1])})"
        else:
            needs.update(re.findall(r"[a-z]+", piece))
            pattern += piece.replace("the ", "(?:the )?")
    head = r"\b" if not phrase.startswith("{") else r"(?<![\w-])"
    needs.discard("the")
    return _Form(
        operation,
        re.compile(rf"{head}{pattern}(?!\w)", re.IGNORECASE),
        tuple(slots),
        frozenset(needs),
        implied,
    )


def _slot(operation: Operation, name: str) -> str:
    if name not in ("x", "y"):
        return _PARAMETERS[name]
    kind = operation.takes[0 if name == "x" else 1]
    # A literal first, so that "the word lantern" is not read as "the word".
    return f"{_LITERALS[kind]}|{_REFERENCE}"


_FORMS = tuple(
    _form(OPERATIONS[name], phrase, phrases.implied)
    for name, phrases in PHRASES.items()
    for phrase in phrases.all
)


@lru_cache(maxsize=20_000)
def mentions(text: str) -> tuple[Mention, ...]:
    """The operations that a text asks for, in the order in which they stand.

    >>> [(m.operation.name, m.inputs) for m in mentions("Reverse the word plum, then double it.")]
    [('reverse', ('plum',)), ('twice', (Reference(position=None),))]
    """
    flat = " ".join(text[:MAX_TEXT].split())
    words = frozenset(re.findall(r"[a-z]+", flat.lower()))
    found = [
        (match.start(), match.end(), form, match)
        for form in _FORMS
        if form.needs <= words
        for match in form.pattern.finditer(flat)
    ]
    found.sort(key=lambda hit: (hit[0], -hit[1]))
    result, end = [], 0
    for start, stop, form, match in found:
        if start >= end:
            result.append(_mention(form, match))
            end = stop
    return tuple(result)


def asks_for_check(text: str) -> bool:
    """Whether a subtask begins by asking for a check of what was answered before."""
    return _CHECK.match(text[:MAX_TEXT]) is not None


def asks_for_everything(text: str) -> bool:
    """Whether a subtask hands over the whole question ("Answer the question.")."""
    return _EVERYTHING.search(text[:MAX_TEXT]) is not None


def _mention(form: _Form, match: re.Match[str]) -> Mention:
    operation = form.operation
    said = dict(zip(form.slots, (group.lower() for group in match.groups()), strict=True))
    given = tuple(said.get(slot, form.implied.get(slot, "")) for slot in operation.slots)
    inputs = tuple(
        _input(said.get(slot, "it"), kind)
        for slot, kind in zip(("x", "y"), operation.takes, strict=False)
    )
    return Mention(operation, given, inputs)


def _input(said: str, kind: Kind) -> str | Reference:
    if re.fullmatch(_REFERENCE, said) and not re.fullmatch(_LITERALS[kind], said):
        number = re.search(r"step (\d)|subtask (\d)", said)
        if number:
            return Reference(int(number[1] or number[2]))
        ordinal = next((word for word in said.split() if word in _ORDINALS), None)
        return Reference(None if ordinal is None else _ORDINALS[ordinal])
    if kind in ("numbers", "words"):
        items = re.sub(r"^(?:the )?(?:numbers|words) ", "", said)
        return ", ".join(re.split(r",? and |, ?", items))
    bare = _BARE[kind].search(said)
    return bare[1] if bare else said
