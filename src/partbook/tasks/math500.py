r"""MATH-500: 500 competition problems with one short answer each.

500 rows of the MATH test set (arXiv:2103.03874), chosen for arXiv:2305.20050. arXiv:2512.04388 uses
300 for training, 100 for validation and 100 for testing and does not say which, so our thirds have
its sizes only; a score on all 500, as others report it, is one on the split `all`.

A row of ours in its columns:

    {"problem": "What is the positive root of $4x^2=9$?", "solution": "...",
     "answer": "\\frac{3}{2}", "subject": "Algebra", "level": 1, "unique_id": "ours/0.json"}
"""

from collections.abc import Mapping

from partbook.tasks.columns import optional, required
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.source import HubFiles

__all__ = ["MATH500"]


def _problem(data: Mapping[str, object], number: str) -> Problem:
    return Problem(
        id=optional(data, "unique_id") or number,
        task="math500",
        question=required(data, "problem"),
        judge="maths",
        format="maths",
        reference=required(data, "answer"),
        level=optional(data, "level"),
        meta={"subject": optional(data, "subject")},
    )


MATH500 = Family(
    name="math500",
    about="MATH-500: competition mathematics, 300/100/100 of 500 problems, levels 1 to 5",
    judge="maths",
    source=HubFiles(
        repo="HuggingFaceH4/MATH-500",
        revision="6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be",
        files={"test": ("test.jsonl",)},
        rows={"test": 500},
    ),
    convert=_problem,
    splits={
        "train": Share("test", 0.0, 0.6),
        "validation": Share("test", 0.6, 0.8),
        "test": Share("test", 0.8, 1.0),
    },
)
