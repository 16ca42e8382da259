"""GPQA Diamond: 198 questions by experts that a search does not answer (arXiv:2311.12022).

The set is gated and its authors ask that it is not shown in plain text anywhere; so no copy is
looked for, and none of it may be committed. The right choice stands first in its columns; the order
that a worker sees follows from the record's id, so it is the same in every run.

A row of ours in its columns:

    {"Record ID": "ours-0", "Question": "Which planet has the shortest year?",
     "Correct Answer": "Mercury", "Incorrect Answer 1": "Mars", "Incorrect Answer 2": "Venus",
     "Incorrect Answer 3": "Saturn", "High-level domain": "Physics"}
"""

import hashlib
from collections.abc import Mapping

from partbook.tasks.columns import optional, required
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import LETTERS, Problem
from partbook.tasks.source import HubFiles

__all__ = ["GPQA"]


def _problem(data: Mapping[str, object], number: str) -> Problem:
    right = required(data, "Correct Answer").strip()
    wrong = [required(data, f"Incorrect Answer {i}").strip() for i in (1, 2, 3)]
    name = optional(data, "Record ID") or number
    # Each choice is placed by a hash of its own, so that the order says nothing about the answer.
    places = sorted(range(4), key=lambda i: hashlib.sha256(f"{name}/{i}".encode()).digest())
    return Problem(
        id=name,
        task="gpqa",
        question=required(data, "Question").strip(),
        judge="choice",
        format="letter",
        reference=LETTERS[places.index(0)],
        choices=tuple([right, *wrong][place] for place in places),
        meta={
            "subject": optional(data, "High-level domain"),
            "subdomain": optional(data, "Subdomain"),
        },
    )


GPQA = Family(
    name="gpqa",
    about="GPQA Diamond: 198 questions of science with 4 choices (gated)",
    judge="choice",
    source=HubFiles(
        repo="Idavidrein/gpqa",
        revision="83022cefff930aea54f654c0b282e74b9eeda5c6",
        files={"test": ("gpqa_diamond.csv",)},
        rows={"test": 198},
        gated=True,
    ),
    convert=_problem,
    splits={"test": Share("test")},
)
