"""MMLU: multiple choice in 57 subjects (arXiv:2009.03300).

Training uses the auxiliary rows, which come from other examinations, as arXiv:2512.04388 does. Rows
without a question are left out.

A row of ours in its columns; `answer` counts from 0, a letter is read as well:

    {"question": "Which gas do plants take up from the air?", "subject": "biology",
     "choices": ["Helium", "Carbon dioxide", "Argon", "Neon"], "answer": 1}
"""

from collections.abc import Mapping

from partbook.errors import ConfigError
from partbook.tasks.columns import optional, required, texts, whole
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import LETTERS, Problem
from partbook.tasks.source import HubFiles

__all__ = ["MMLU"]


def _problem(data: Mapping[str, object], number: str) -> Problem | None:
    question = optional(data, "question") if "question" in data else required(data, "question")
    if not question.strip():
        return None
    choices = texts(data, "choices")
    return Problem(
        id=number,
        task="mmlu",
        question=question,
        judge="choice",
        format="letter",
        reference=_letter(data, len(choices)),
        choices=choices,
        meta={"subject": optional(data, "subject")},
    )


def _letter(data: Mapping[str, object], choices: int) -> str:
    answer = required(data, "answer").strip()
    if len(answer) == 1 and answer in LETTERS:
        return answer
    place = whole(data, "answer")
    if not 0 <= place < min(choices, len(LETTERS)):
        raise ConfigError(f"`answer` must be 0 to {choices - 1}, found {place}")
    return LETTERS[place]


MMLU = Family(
    name="mmlu",
    about="MMLU: 14042 questions with 4 choices in 57 subjects",
    judge="choice",
    source=HubFiles(
        repo="cais/mmlu",
        revision="c30699e8356da336a370243923dbaf21066bb9fe",
        files={
            "auxiliary_train": ("all/auxiliary_train-00000-of-00001.parquet",),
            "validation": ("all/validation-00000-of-00001.parquet",),
            "test": ("all/test-00000-of-00001.parquet",),
        },
        rows={"auxiliary_train": 99_842, "validation": 1_531, "test": 14_042},
    ),
    convert=_problem,
    splits={
        "train": Share("auxiliary_train"),
        "validation": Share("validation"),
        "test": Share("test"),
    },
)
