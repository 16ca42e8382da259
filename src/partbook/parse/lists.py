"""Finds the Conductor's three lists in its text, wherever and however often they stand.

Which lists belong together, and which of several workflows is meant, is settled here. Reading one
list is left to `literal.py`, telling reasoning from answer to `reasoning.py`, what the lists say to
`text.py`.

Lists belong together where only marks and comments stand between them, or else where each begins
a line. The last three that belong together count, as in Python. An unfinished second try after a
complete one is refused rather than passed over: the first may be an example restated.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from partbook.errors import ParseError
from partbook.parse.literal import LiteralError, Value, read_list
from partbook.parse.reasoning import find_reasoning

__all__ = ["ListName", "find_lists"]

ListName = Literal["model_id", "subtasks", "access_list"]

_NAMES: Final[tuple[ListName, ...]] = ("model_id", "subtasks", "access_list")
_BY_LETTER: Final[dict[str, ListName]] = {name[0]: name for name in _NAMES}

_WORDS = r"(?:model[_ ]?ids?|sub[_ ]?tasks?|access(?:[_ ]?lists?)?)"
_LABEL = re.compile(
    rf"""(?<![\w.\\]) {_WORDS} (?P<quote>["'”’]?) [*`\]]{{0,3}} [\s\u200b]{{0,8}}
    (?: :\s{{0,8}}(?:list|tuple)(?:\[[\w\[\],.\ |]{{0,30}}\])?\s{{0,8}}= | :?= | [:：＝] ) (?!=)
    [*`\s\u200b]*+ (?:(?<=`)(?:python|json)\s++)?""",
    re.VERBOSE | re.IGNORECASE,
)
_OPENING = re.compile(
    r"""[\[(［（]
    | ["'“‘]{1,3}\s*+(?:[\[(［（]|(?:all|none|null)\b)
    | (?P<word>all|none|null)[ \t]*+(?=[\n,;}]|\Z)
    | (?P<nothing>\Z)""",
    re.VERBOSE | re.IGNORECASE,
)
"""How a value begins. A name before anything else is part of a sentence."""

_STOP = re.compile(
    rf"""[ \t\r{{*>`"'“-]{{0,40}}+(?:{_WORDS}["'”*`]{{0,4}}\s{{0,8}}[:=]|</?think)""", re.IGNORECASE
)
_HEAD = re.compile(
    r"""(?:(?:\A|[\n\r{])[\s\ufeff>*\-•`#\d.)]*(?:(?:const|let|var)\ )?["“']?|,\s*["“'])\Z"""
)
_COMMENT = re.compile(r"[\s,;})\]]{0,80}+(?:#(?!#)|//)")
_TAIL = re.compile(r"[ \t\r,;})\]`*]*+(?:(?:#|//)[^\n]*+)?(?:\n|\Z)")
_MARKS = re.compile(r"""(?:[\s,;{})\]>*\-•`"'“”]++|(?:#|//)[^\n]*+|\d{1,3}[.)])*""")
_LOST_QUOTE = re.compile(r"""(?!\s*,\s*"[\w ]{1,40}"\s*:)[^#\n]*?["'”’]\s*+[\])]""")
_LOST_BRACKET = re.compile(r"[ \t]*+,[ \t]*+[\[\](]")
_MAX_LISTS: Final = 1000
"""More lists than this are no thinking aloud; reading them all would take long."""

_WINDOW: Final = 200
"""Characters of a line looked at around a list; a bound keeps the time linear."""


@dataclass(frozen=True, slots=True)
class _Assignment:
    """One of the names with a value after it."""

    name: ListName
    value: Value
    """What the list says; None where it could not be read."""
    fault: LiteralError | None
    """Why it could not be read."""
    start: int
    end: int
    is_joined: bool
    """Only marks, blanks and comments stand between it and the assignment before it."""
    is_statement: bool
    """It begins a line or an object, or is joined to one that does: no part of a sentence."""
    ends_line: bool


_Group = dict[ListName, _Assignment]


def find_lists(text: str) -> dict[ListName, Value]:
    """The three lists of the workflow that the text settles on, as they were written.

    Time and memory are linear in the text.

    Raises:
        ParseError: the three do not stand together, or one of them is cut off or no literal.
    """
    found = list(islice(_assignments(text), _MAX_LISTS + 1))
    if len(found) > _MAX_LISTS:
        raise ParseError(f"more than {_MAX_LISTS} lists", reason="too_many_lists")
    whole = ((a.start, a.end) for a in found if not a.fault)
    reasoning = find_reasoning(text, whole)
    outside = [a for a in found if not reasoning.holds(a.start)]
    last_word = [a for a in outside if a.start >= reasoning.stray_end] or outside
    written = [a for a in last_word if not (a.fault and a.fault.placeholder)]
    group, rest = _last_group(written)
    if reasoning.unfinished is not None and (not group or _begins_line(text, reasoning.unfinished)):
        raise ParseError(
            "the reasoning does not end, so no workflow follows it", reason="unfinished_reasoning"
        )
    if written and written[-1].fault and written[-1].fault.reason == "truncated":
        raise _error(text, written[-1].name, written[-1].fault)
    if not group:
        raise _missing(text, found, last_word, rest)
    _refuse_second_try(text, group, rest)
    for name in _NAMES:
        if fault := group[name].fault:
            raise _error(text, name, fault)
    return {name: group[name].value for name in _NAMES}


def _assignments(text: str) -> Iterator[_Assignment]:
    """Every name with a value, in order; what stands inside a value that was read is not seen."""
    end, was_statement = 0, False
    pos = line = 0
    while label := _LABEL.search(text, pos):
        line = max(line, text.rfind("\n", pos, label.start()) + 1)
        pos = label.end()
        if _COMMENT.match(text, max(line, end), label.start()):
            continue
        opening = _OPENING.match(text, pos)
        name = _BY_LETTER[label.group()[0].lower()]
        if not opening or (opening["word"] and name != "access_list"):
            continue
        value, fault, pos = _read(text, pos, opening, is_json=bool(label["quote"]))
        is_joined = end > 0 and _MARKS.match(text, end, label.start()).end() == label.start()  # type: ignore[union-attr]
        was_statement = (is_joined and was_statement) or _is_head(text, label)
        fault = fault or _goes_on(text, pos, name)
        ends_line = bool(_TAIL.match(text, pos, pos + _WINDOW))
        end = pos
        yield _Assignment(
            name, value, fault, label.start(), end, is_joined, was_statement, ends_line
        )


def _read(
    text: str, at: int, opening: re.Match[str], *, is_json: bool
) -> tuple[Value, LiteralError | None, int]:
    """The value at a place, or why there is none, and where reading stopped."""
    if opening["nothing"] is not None:
        fault = LiteralError("the text ends before the list", at, reason="truncated")
        return None, fault, at
    if opening["word"]:
        return ("all" if opening["word"].lower() == "all" else None), None, opening.end()
    try:
        value, end = read_list(text, at, stop=_STOP, is_json=is_json)
    except LiteralError as fault:
        return None, fault, max(at, fault.at)
    return value, None, end


def _is_head(text: str, label: re.Match[str]) -> bool:
    start = label.start()
    before = text[max(0, start - 24) : start]
    if start > 24:
        before = " ." + before  # the cut is not the start of the text
    # `"model_id": [0]` begins a line; `"model_id = [0]"` is something quoted.
    is_quoted = before.endswith(('"', "'", "“"))
    return bool(_HEAD.search(before)) and (not is_quoted or bool(label["quote"]))


def _goes_on(text: str, end: int, name: ListName) -> LiteralError | None:
    """The fault of a list that seems to go on: a bracket is lost, or a quote closed it early."""
    if _LOST_BRACKET.match(text, end):
        return LiteralError("the list goes on after its end; a bracket is missing or too many", end)
    label = _LABEL.search(text, end, end + _WINDOW)
    until = label.start() if label else end + _WINDOW
    if name == "subtasks" and _LOST_QUOTE.match(text, end, until):
        return LiteralError("the list goes on after its end; escape the quotes in strings", end)
    return None


def _last_group(written: list[_Assignment]) -> tuple[_Group, list[_Assignment]]:
    """The last three lists that belong together, or none, and the statements left after them."""
    last: _Group = {}
    pending: _Group = {}
    for run in _runs(written):
        group: _Group = {}
        for i, assignment in enumerate(run):
            # The paper's order marks a start, where it can be one for all that follows.
            names = tuple(a.name for a in run[i : i + 3])
            is_start = names == _NAMES and (len(run) - i) % 3 == 0
            if is_start or (len(group) == 3 and assignment.name in group):
                if len(group) == 3:
                    last, pending = group, {}
                group = {}
            group[assignment.name] = assignment
        if len(group) == 3:
            last, pending = group, {}
            continue
        for assignment in group.values():
            if not assignment.is_statement:
                continue
            if len(pending) == 3:
                last, pending = pending, {}
            pending[assignment.name] = assignment
    if len(pending) == 3:
        last, pending = pending, {}
    return last, list(pending.values())


def _runs(written: list[_Assignment]) -> Iterator[list[_Assignment]]:
    """Assignments with nothing but marks between them."""
    run: list[_Assignment] = []
    for assignment in written:
        if run and not assignment.is_joined:
            yield run
            run = []
        run.append(assignment)
    if run:
        yield run


def _refuse_second_try(text: str, group: _Group, rest: list[_Assignment]) -> None:
    """Refuse lists after the last three that say something else and are not three themselves."""
    for assignment in rest:
        if assignment.fault:
            raise _error(text, assignment.name, assignment.fault)
        if assignment.ends_line and assignment.value != group[assignment.name].value:
            raise ParseError(
                f"{_place(text, assignment.name, assignment.start)}: the list is set again, the "
                "other lists are not; write all three lists together",
                reason="missing_list",
            )


def _missing(
    text: str, found: list[_Assignment], last_word: list[_Assignment], rest: list[_Assignment]
) -> ParseError:
    """Why there are no three lists that belong together."""
    for assignment in (*rest, *last_word):
        if assignment.fault:
            return _error(text, assignment.name, assignment.fault)
    if last_word:
        names = [name for name in _NAMES if name in {a.name for a in rest or last_word}]
        missing = [name for name in _NAMES if name not in names]
        return ParseError(
            f"{' and '.join(names)} without {' and '.join(missing) or 'the others beside it'}; "
            "write all three lists together",
            reason="missing_list",
        )
    if found:
        return ParseError(
            "the lists stand only inside the reasoning; write them after it",
            reason="only_reasoning",
        )
    return ParseError(
        "no lists found; write model_id = [...], subtasks = [...] and access_list = [...]",
        reason="no_lists",
    )


def _error(text: str, name: ListName, fault: LiteralError) -> ParseError:
    reason = fault.reason
    if reason == "bad_number":
        reason = {"model_id": "bad_model_id", "subtasks": "bad_subtask"}.get(name, "bad_access")
    return ParseError(f"{_place(text, name, fault.at)}: {fault}", reason=reason)


def _place(text: str, name: ListName, at: int) -> str:
    return f"{name}, line {text.count(chr(10), 0, at) + 1}"


def _begins_line(text: str, at: int) -> bool:
    return not text[max(0, at - _WINDOW) : at].rpartition("\n")[2].strip()
