"""The seam of all judges, and the judges by name.

A judge belongs to one problem: it is made once from the problem's reference, which it checks, and
then judges any number of texts. So a data set's row turns into a judge where it is read, and
whoever holds a judge needs to know nothing about the kind of problem.

`judge` is async because mathematics, patterns and programs are checked in other processes, and one
event loop waits for many of them; a judge that waits for nothing returns at once.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from partbook.errors import ConfigError
from partbook.tasks.judges.choice import ChoiceJudge
from partbook.tasks.judges.maths import MathsJudge
from partbook.tasks.judges.pattern import ExactJudge, PatternJudge
from partbook.tasks.judges.short import ShortJudge
from partbook.tasks.judges.verdict import Verdict

__all__ = ["JUDGES", "Judge", "judge_from"]


class Judge(Protocol):
    """Says whether a text answers one problem."""

    async def judge(self, text: str) -> Verdict:
        """Judge a text.

        It never raises for what a text holds; a check that could not run is `not judged`.
        """
        ...


def judge_from(kind: str, row: Mapping[str, object]) -> Judge:
    """Make a judge from its name and the reference fields of a data row.

    The fields are those of the judge: `{"reference": "3/4"}` for `maths`, `short` and `exact`;
    `reference`, `letters` and `options` for `choice`; `pattern` and `whole` for `pattern`.

    Raises:
        ConfigError: the name is unknown, or a field is missing, unknown or of the wrong type.
    """
    if kind not in JUDGES:
        raise ConfigError(f"there is no judge {kind!r}; the judges are {', '.join(sorted(JUDGES))}")
    make, fields = JUDGES[kind]
    if unknown := sorted(set(row) - set(fields)):
        raise ConfigError(
            f"the judge {kind!r} has no field {unknown[0]!r}; its fields are {', '.join(fields)}"
        )
    return make(row)


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise ConfigError(f"field {name!r} must be text; found {value!r}")
    return value


def _choice(row: Mapping[str, object]) -> Judge:
    letters = row.get("letters", ("A", "B", "C", "D"))
    options = row.get("options", {})
    if isinstance(letters, str) or not isinstance(letters, list | tuple):
        raise ConfigError(f"field 'letters' must be a list of letters; found {letters!r}")
    if not isinstance(options, Mapping):
        raise ConfigError(f"field 'options' must be a table of texts by letter; found {options!r}")
    return ChoiceJudge(
        _text(row, "reference"),
        tuple(str(letter) for letter in letters),
        {str(letter): str(text) for letter, text in options.items()},
    )


def _pattern(row: Mapping[str, object]) -> Judge:
    whole = row.get("whole", True)
    if not isinstance(whole, bool):
        raise ConfigError(f"field 'whole' must be true or false; found {whole!r}")
    return PatternJudge(_text(row, "pattern"), whole)


JUDGES: Mapping[str, tuple[Callable[[Mapping[str, object]], Judge], tuple[str, ...]]] = (
    MappingProxyType(
        {
            "choice": (_choice, ("reference", "letters", "options")),
            "exact": (lambda row: ExactJudge(_text(row, "reference")), ("reference",)),
            "maths": (lambda row: MathsJudge(_text(row, "reference")), ("reference",)),
            "pattern": (_pattern, ("pattern", "whole")),
            "short": (lambda row: ShortJudge(_text(row, "reference")), ("reference",)),
        }
    )
)
"""How each judge is made from a data row, and the fields it reads."""
