"""The seam of all judges, and the judges by name.

A judge belongs to one problem: it is made once from the problem's reference, which it checks, and
then judges any number of texts. So a data set's row turns into a judge where it is read, and
whoever holds a judge needs to know nothing about the kind of problem.

`judge` is async because mathematics, patterns and programs are checked in other processes, and one
event loop waits for many of them; a judge that waits for nothing returns at once.

An installed package may add judges. Their code is somebody else's, so what they raise is a verdict
of `not judged`, and ends nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from partbook.errors import ConfigError
from partbook.plugins import JUDGES as _GROUP
from partbook.plugins import Plugin, find_plugin, is_plugin, load_plugin, plugin_names, trouble_of
from partbook.pool import Worker
from partbook.tasks.formats import FORMAT_OF
from partbook.tasks.judges.choice import ChoiceJudge
from partbook.tasks.judges.code import CodeJudge
from partbook.tasks.judges.maths import MathsJudge
from partbook.tasks.judges.pattern import ExactJudge, PatternJudge
from partbook.tasks.judges.rubric import RubricJudge
from partbook.tasks.judges.short import ShortJudge
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.problem import FormatName
from partbook.tasks.programs import CaseTests, SourceTests

__all__ = [
    "JUDGES",
    "MODEL_JUDGES",
    "Judge",
    "JudgePlugin",
    "fields_of",
    "format_of",
    "is_judge",
    "judge_from",
    "judge_names",
]


class Judge(Protocol):
    """Says whether a text answers one problem."""

    async def judge(self, text: str) -> Verdict:
        """Judge a text.

        It never raises for what a text holds; a check that could not run is `not judged`.
        """
        ...


@dataclass(frozen=True, slots=True)
class JudgePlugin:
    """A judge that an installed package adds; a rule, not a model."""

    api: int
    """The version of the plug-in interface that it was written for."""
    about: str
    """One line for a person."""
    make: Callable[[Mapping[str, object]], Judge]
    """From a problem's fields to its judge.

    Raises:
        ConfigError: the problem's reference cannot be used; the message says why.
    """
    fields: tuple[str, ...] = ("reference",)
    """What of a problem it is given: `question`, `reference`, `letters`, `options`, `pattern`,
    `tests`, `rubric`; all are text but `letters` (a tuple), `options` (texts by letter) and `tests`
    (a value of `partbook.tasks.programs`)."""
    format: FormatName = "short"
    """The answer format that workers are asked for, where a task file names this judge."""


def is_judge(kind: str) -> bool:
    """Whether a data file may ask for this judge."""
    return kind in JUDGES or kind in MODEL_JUDGES or _is_plugged(kind)


def _is_plugged(kind: str) -> bool:
    # `gym` is the judge that a generated problem brings itself.
    return kind != "gym" and is_plugin(_GROUP, kind)


def judge_names() -> list[str]:
    """Names of the judges that a data file may ask for."""
    return sorted({*JUDGES, *MODEL_JUDGES, *plugin_names(_GROUP)})


def format_of(kind: str) -> FormatName:
    """The answer format of a task that names only its judge."""
    return FORMAT_OF[kind] if kind in FORMAT_OF else load_plugin(_GROUP, kind, JudgePlugin).format


def fields_of(kind: str) -> tuple[str, ...]:
    """The fields of a data row that a judge reads.

    Raises:
        ConfigError: there is no such judge.
    """
    if kind in JUDGES:
        return JUDGES[kind][1]
    if kind in MODEL_JUDGES:
        return MODEL_JUDGES[kind][1]
    if _is_plugged(kind):
        return load_plugin(_GROUP, kind, JudgePlugin).fields
    raise ConfigError(f"there is no judge {kind!r}; the judges are {', '.join(judge_names())}")


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
    if kind not in MODEL_JUDGES:
        return _foreign(kind, row)
    if grader is None:
        raise ConfigError(
            f"the judge {kind!r} is a model, and none was given; name a worker of a pool with "
            "--grader WORKER --pool POOL"
        )
    return MODEL_JUDGES[kind][0](row, grader)


def _foreign(kind: str, row: Mapping[str, object]) -> Judge:
    plugin = find_plugin(_GROUP, kind)
    try:
        return _Foreign(load_plugin(_GROUP, kind, JudgePlugin).make(row), plugin)
    except ConfigError:
        raise
    except Exception as err:  # a package's code may raise anything
        raise ConfigError(f"the {plugin} takes no such problem: {trouble_of(err)}") from err


@dataclass(frozen=True, slots=True)
class _Foreign:
    """A plug-in's judge behind the promise of a `Judge`."""

    inner: Judge
    plugin: Plugin

    async def judge(self, text: str) -> Verdict:
        try:
            verdict = await self.inner.judge(text)
        except Exception as err:  # noqa: BLE001 - a package's code may raise anything
            return Verdict("not judged", None, f"the {self.plugin} failed: {trouble_of(err)}")
        if not isinstance(verdict, Verdict):
            found = type(verdict).__name__
            return Verdict("not judged", None, f"the {self.plugin} gave {found}, not a Verdict")
        return verdict


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
