"""Problem and Task: one question with its reference, and a family of them.

A problem carries the names of its judge and of its answer format, so that problems of several
families can stand in one training batch and are still asked and judged as their family is. What a
worker sees is put together in `formats.py`; a judge is made in `judging.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from partbook.errors import ConfigError
from partbook.tasks.programs import Tests

__all__ = ["ALL", "LETTERS", "FormatName", "Problem", "Task"]

FormatName = Literal[
    "maths",
    "integer",
    "letter",
    "short",
    "given",
    "exact",
    "program",
    "function",
    "method",
    "open",
]
"""What an answer must look like; the words for it are in `formats.py`."""

LETTERS = "ABCDEFGHIJ"
"""Names of the choices, in order."""

ALL = "all"
"""In place of a split: all splits that were loaded, one after another."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One question with what decides whether an answer to it is right."""

    id: str
    """Unique in its task, and the same on every load."""
    task: str
    """Name of its family."""
    question: str
    """What is asked, without the choices and without the answer format."""
    judge: str
    """Name of the judge."""
    format: FormatName
    """Name of the answer format."""
    reference: str = ""
    """A right answer, without any wrapping; a letter for choices; empty where none is known."""
    choices: tuple[str, ...] = ()
    """Texts of the choices A, B, C, ...; empty for an open question."""
    tests: Tests | None = None
    """What a program must pass; None where the answer is no program."""
    pattern: str = ""
    """A regular expression that right answers match; for the judge `pattern`."""
    rubric: str = ""
    """What a good answer has, in words; empty where a rule decides."""
    level: str = ""
    """How hard its source says it is; empty where it says nothing."""
    meta: Mapping[str, str] = field(default_factory=dict)
    """Other facts of its source: subject, platform, date, ..."""

    def __post_init__(self) -> None:
        """Refuse what could not be asked or judged.

        Raises:
            ConfigError: says what is missing or does not fit together.
        """
        if not self.id.strip():
            raise ConfigError("the id is blank")
        if not self.question.strip():
            raise ConfigError("the question is blank")
        if self.choices:
            _check_choices(self.choices, self.reference)
        if not (self.reference.strip() or self.tests or self.rubric or self.judge == "gym"):
            raise ConfigError("nothing decides what is right: no answer, no tests, no rubric")


@dataclass(frozen=True, slots=True)
class Task:
    """A family of problems, as far as it was loaded."""

    name: str
    about: str
    """One line for a person."""
    problems: Mapping[str, tuple[Problem, ...]]
    """By split: `train`, `validation`, `test`; only splits that were asked for and exist."""
    source: str
    """Where the problems came from, with the revision or the seed: for reports."""
    notes: tuple[str, ...] = ()
    """What a person should know about this load: rows left out, columns not read, ..."""

    def split(self, name: str) -> tuple[Problem, ...]:
        """The problems of one split, in a fixed order.

        Args:
            name: one of the loaded splits, or `all`.

        Raises:
            ConfigError: there is no such split.
        """
        if name == ALL:
            return tuple(problem for part in self.problems.values() for problem in part)
        if name not in self.problems:
            known = ", ".join(self.problems)
            raise ConfigError(f"task {self.name!r} has no split {name!r} loaded; loaded: {known}")
        return self.problems[name]

    @property
    def judge(self) -> str:
        """Name of the judge of its problems, or names joined by `+` where they differ."""
        return "+".join(sorted({problem.judge for problem in self.split(ALL)}))


def _check_choices(choices: tuple[str, ...], reference: str) -> None:
    if not 2 <= len(choices) <= len(LETTERS):
        raise ConfigError(f"2 to {len(LETTERS)} choices were expected, found {len(choices)}")
    last = LETTERS[len(choices) - 1]
    if len(reference) != 1 or not "A" <= reference <= last:
        raise ConfigError(f"the right choice must be a letter A to {last}, found {reference!r}")
