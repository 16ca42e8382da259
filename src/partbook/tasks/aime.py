r"""AIME 2025 and 2026: 30 contest problems each, whose answers are whole numbers 0 to 999.

Some copies have lost backslashes (`\frac` read as a form feed); they are put back on loading. The
problems are those of the Mathematical Association of America. All 30 are for testing: there is no
other split, so that nothing is trained on them.

A row of ours in their columns:

    {"id": "ours-0", "problem": "Find the number of divisors of $2^3\\cdot 3^4$.", "answer": "20"}
"""

from collections.abc import Mapping

from partbook.errors import ConfigError
from partbook.tasks.columns import optional, required
from partbook.tasks.family import Family, Share
from partbook.tasks.latex import mend_latex
from partbook.tasks.problem import Problem
from partbook.tasks.source import HubFiles

__all__ = ["AIME25", "AIME26"]


def _problem(task: str, data: Mapping[str, object], number: str) -> Problem:
    answer = required(data, "answer").strip()
    if not (answer.isascii() and answer.isdigit() and int(answer) <= 999):
        raise ConfigError(f"`answer` must be a whole number 0 to 999, found {answer[:40]!r}")
    return Problem(
        id=optional(data, "id") or number,
        task=task,
        question=mend_latex(required(data, "problem", "question")),
        judge="maths",
        format="integer",
        reference=str(int(answer)),  # a 0 in front is how the contest's sheet writes it
    )


def _problem25(data: Mapping[str, object], number: str) -> Problem:
    return _problem("aime25", data, number)


def _problem26(data: Mapping[str, object], number: str) -> Problem:
    return _problem("aime26", data, number)


AIME25 = Family(
    name="aime25",
    about="AIME 2025: 30 contest problems with whole answers 0 to 999",
    judge="maths",
    source=HubFiles(
        repo="math-ai/aime25",
        revision="563bb8404243c5f09de6ec262f2db674fe5bce9b",
        files={"test": ("test.jsonl",)},
        rows={"test": 30},
    ),
    convert=_problem25,
    splits={"test": Share("test")},
)

AIME26 = Family(
    name="aime26",
    about="AIME 2026: 30 contest problems with whole answers 0 to 999",
    judge="maths",
    source=HubFiles(
        repo="math-ai/aime26",
        revision="79037aebdb6580008fb960d17cb21fd3099083e3",
        files={"test": ("aime2026.jsonl",)},
        rows={"test": 30},
    ),
    convert=_problem26,
    splits={"test": Share("test")},
)
