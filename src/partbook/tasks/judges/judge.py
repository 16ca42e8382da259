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
from partbook.pool import Worker
from partbook.tasks.judges.choice import ChoiceJudge
from partbook.tasks.judges.code import CodeJudge
from partbook.tasks.judges.maths import MathsJudge
from partbook.tasks.judges.pattern import ExactJudge, PatternJudge
from partbook.tasks.judges.rubric import RubricJudge
from partbook.tasks.judges.short import ShortJudge
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.programs import CaseTests, SourceTests

__all__ = ["JUDGES", "MODEL_JUDGES", "Judge", "fields_of", "judge_from"]


class Judge(Protocol):
    """Says whether a text answers one problem."""

    async def judge(self, text: str) -> Verdict:
        """Judge a text.

        It never raises for what a text holds; a check that could not run is `not judged`.
        """
        ...


def fields_of(kind: str) -> tuple[str, ...]:
    """The fields of a data row that a judge reads.

    Raises:
        ConfigError: there is no such judge.
    """
    if kind in JUDGES:
        return JUDGES[kind][1]
    if kind in MODEL_JUDGES:
        return MODEL_JUDGES[kind][1]
    known = ", ".join(sorted((*JUDGES, *MODEL_JUDGES)))
    raise ConfigError(f"there is no judge {kind!r}; the judges are {known}")


def judge_from(kind: str, row: Mapping[str, object], grader: Worker | None = None) -> Judge:
    """Make a judge from its name and the reference fields of a data row.

    The fields are those of the judge: `{"reference": "3/4"}` for `maths`, `short` and `exact`;
    `reference`, `letters` and `options` for `choice`; `pattern` and `whole` for `pattern`;
    `tests`, a value of `partbook.tasks.programs`, for `code`;
    `question`, `rubric` and, where known, `reference` for `rubric`.

    Args:
        kind: name of the judge.
        row: its fields.
        grader: the model that judges, for the judges that are one; the others need none.

    Raises:
        ConfigError: the name is unknown, a field is missing, unknown or of the wrong type, or the
            judge needs a model and there is none.
    """
    fields = fields_of(kind)
    if unknown := sorted(set(row) - set(fields)):
        raise ConfigError(
            f"the judge {kind!r} has no field {unknown[0]!r}; its fields are {', '.join(fields)}"
        )
    if kind in JUDGES:
        return JUDGES[kind][0](row)
    if grader is None:
        raise ConfigError(
            f"the judge {kind!r} is a model, and none was given; name a worker of a pool with "
            "--grader WORKER --pool POOL"
        )
    return MODEL_JUDGES[kind][0](row, grader)


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


def _code(row: Mapping[str, object]) -> Judge:
    tests = row.get("tests")
    if not isinstance(tests, CaseTests | SourceTests):
        raise ConfigError(f"the judge 'code' needs the tests of a program; found {tests!r}")
    return CodeJudge(tests)


def _pattern(row: Mapping[str, object]) -> Judge:
    whole = row.get("whole", True)
    if not isinstance(whole, bool):
        raise ConfigError(f"field 'whole' must be true or false; found {whole!r}")
    return PatternJudge(_text(row, "pattern"), whole)


def _rubric(row: Mapping[str, object], grader: Worker) -> Judge:
    reference = _text(row, "reference") if "reference" in row else ""
    return RubricJudge(grader, _text(row, "question"), _text(row, "rubric"), reference)


JUDGES: Mapping[str, tuple[Callable[[Mapping[str, object]], Judge], tuple[str, ...]]] = (
    MappingProxyType(
        {
            "choice": (_choice, ("reference", "letters", "options")),
            "code": (_code, ("tests",)),
            "exact": (lambda row: ExactJudge(_text(row, "reference")), ("reference",)),
            "maths": (lambda row: MathsJudge(_text(row, "reference")), ("reference",)),
            "pattern": (_pattern, ("pattern", "whole")),
            "short": (lambda row: ShortJudge(_text(row, "reference")), ("reference",)),
        }
    )
)
"""How each judge that is a rule is made from a data row, and the fields it reads."""

MODEL_JUDGES: Mapping[
    str, tuple[Callable[[Mapping[str, object], Worker], Judge], tuple[str, ...]]
] = MappingProxyType({"rubric": (_rubric, ("question", "rubric", "reference"))})
"""The same for the judges that are a model."""
