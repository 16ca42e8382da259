"""Your own task: a data file with a question and what decides whether an answer is right.

One row is one problem. Columns, of which only `question` must be there:

    question   what is asked; no answer format, that is added by the judge's kind
    answer     a right answer: for choices its letter or its text; for programs a solution
    choices    2 to 10 texts: a list, or text with | between them
    tests      for programs: Python asserts, or a list of them, or a list of {"input", "output"}
    function   with {"input", "output"}: the function that is called; without it, a whole program
    pattern    a regular expression that right answers match
    rubric     what a good answer has, in words
    id         unique; without it, the number of the row
    judge      the same name in every row
    level      how hard it is
    split      `train`, `validation` or `test` (the default)

Without a judge by name, it follows from the columns: `tests` → code, `choices` → choice,
`pattern` → pattern, `rubric` → rubric, otherwise `short`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from partbook.errors import ConfigError
from partbook.tasks.columns import optional, required, texts
from partbook.tasks.family import problems_of
from partbook.tasks.judges.judge import (
    MODEL_JUDGES,
    fields_of,
    format_of,
    is_judge,
    judge_names,
)
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import LETTERS, FormatName, Problem, Task
from partbook.tasks.programs import CaseTests, SourceTests, Tests, check_python, pack_cases
from partbook.tasks.rows import Row, read_rows

__all__ = ["COLUMNS", "load_own", "read_tests"]

COLUMNS = (
    "question",
    "answer",
    "choices",
    "tests",
    "function",
    "pattern",
    "rubric",
    "id",
    "judge",
    "level",
    "split",
)
_SPLITS = ("train", "validation", "test")
_SIGNS = {"tests": "code", "choices": "choice", "pattern": "pattern", "rubric": "rubric"}


def load_own(path: Path, judge: str | None = None, encoding: str | None = None) -> Task:
    """Load a task file.

    Args:
        path: JSONL, JSON, CSV or TSV, or one of these gzipped.
        judge: its judge; None to take it from the file.
        encoding: None for UTF-8, or UTF-16 with its mark.

    Raises:
        ConfigError: the file cannot be read, or rows are wrong; all wrong rows are named.
    """
    rows = list(read_rows(path, encoding))
    good = [row for row in rows if isinstance(row, Row)]
    name, why = (judge, "as asked") if judge else _judge(path, good)
    if not is_judge(name):
        raise ConfigError(f"{path}: no judge {name!r} ({why}); known: {', '.join(judge_names())}")
    reader = _Reader(path.name.split(".")[0], name)
    problems, _ = problems_of(rows, reader.problem, path)
    splits: dict[str, list[Problem]] = {}
    for problem in problems:
        splits.setdefault(problem.meta["split"], []).append(problem)
    notes = [f"judge: {name} ({why})"]
    columns = dict.fromkeys(column for row in good for column in row.data)
    if unread := [column for column in columns if column not in COLUMNS]:
        notes.append(f"columns that are not read: {', '.join(unread)}")
    return Task(
        reader.task,
        f"{len(problems)} problems of your own",
        {split: tuple(splits[split]) for split in _SPLITS if split in splits},
        str(path),
        tuple(notes),
    )


def _judge(path: Path, rows: Sequence[Row]) -> tuple[str, str]:
    """The judge that the rows name, or that their columns suggest; and which of the two."""
    named = set()
    for row in rows:
        try:
            named.add(optional(row.data, "judge").strip())
        except ConfigError as err:
            raise ConfigError(f"{path}: {row.where}: {err}") from err
    if len(named) > 1:
        found = ", ".join(sorted(name or "(none)" for name in named))
        raise ConfigError(f"{path}: all rows must have the same judge; found {found}")
    if named and (name := named.pop()):
        return name, "named in the file"
    for column, name in _SIGNS.items():
        if any(row.data.get(column) not in (None, "", [], ()) for row in rows):
            return name, f"because of the column `{column}`; another: --judge"
    return "short", "the default; for mathematics say --judge maths"


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the rows of one file."""

    task: str
    judge: str

    def problem(self, data: Mapping[str, object], number: str) -> Problem:
        tests = read_tests(data)
        split = optional(data, "split").strip() or "test"
        if split not in _SPLITS:
            raise ConfigError(f"`split` must be one of {', '.join(_SPLITS)}; found {split!r}")
        problem = Problem(
            id=optional(data, "id").strip() or str(int(number) + 1),
            task=self.task,
            question=required(data, "question"),
            judge=self.judge,
            format=self._format(tests),
            reference=self._reference(data),
            choices=self._choices(data),
            tests=tests,
            pattern=optional(data, "pattern"),
            rubric=(required if self.judge == "rubric" else optional)(data, "rubric"),
            level=optional(data, "level"),
            meta={"split": split},
        )
        if self.judge == "code":
            check_python(problem.reference, "the solution in `answer`")
        if self.judge not in MODEL_JUDGES:  # who judges those is not settled by the file
            judge_for(problem)  # a judge checks its reference when it is made
        return problem

    def _format(self, tests: Tests | None) -> FormatName:
        if isinstance(tests, CaseTests) and not tests.function:
            return "program"
        return format_of(self.judge)

    def _choices(self, data: Mapping[str, object]) -> tuple[str, ...]:
        if "options" not in fields_of(self.judge):
            return ()
        value = data.get("choices")
        if isinstance(value, str) and not value.lstrip().startswith(("[", "(")):
            found = tuple(choice.strip() for choice in value.split("|"))
        else:
            found = texts(data, "choices")
        if any(not choice.strip() for choice in found):
            raise ConfigError("`choices` holds an empty choice")
        if len(set(found)) < len(found):
            raise ConfigError("`choices` holds the same choice twice")
        return found

    def _reference(self, data: Mapping[str, object]) -> str:
        fields = fields_of(self.judge)
        if self.judge == "rubric" or "reference" not in fields:
            return optional(data, "answer")
        answer = required(data, "answer").strip()
        if "options" not in fields:
            return answer
        choices = self._choices(data)
        by_text = LETTERS[choices.index(answer)] if answer in choices else None
        letter = answer.strip("().").upper()
        by_letter = letter if letter in tuple(LETTERS[: len(choices)]) else None
        if by_text and by_letter and by_text != by_letter:
            raise ConfigError(f"`answer` {answer!r} is one choice's letter and another's text")
        if (found := by_text or by_letter) is None:
            last = LETTERS[min(len(choices), len(LETTERS)) - 1]
            raise ConfigError(f"`answer` {answer[:40]!r} is no letter A to {last} and no choice")
        return found


def read_tests(data: Mapping[str, object]) -> Tests | None:
    """What the column `tests` holds; None where it is missing or empty.

    Raises:
        ConfigError: it cannot be read as any kind of tests.
    """
    value = data.get("tests")
    if value is None or value in ("", [], ()):
        return None
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as err:
            raise ConfigError(f"`tests` starts as a list but is not JSON: {err}") from err
    if isinstance(value, str):
        return SourceTests(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return SourceTests("\n".join(value))
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return pack_cases(CaseTests(json.dumps(value)).cases(), optional(data, "function").strip())
    raise ConfigError("`tests` must be Python, a list of asserts, or a list of input and output")
