"""GSM8K: word problems of school mathematics (arXiv:2110.14168); the answer is a number.

The published test rows are the split `test`; the last tenth of the training rows, in the order of
their hashes, is `validation`.

A row of ours in its columns; the answer stands after `####`:

    {"question": "Nine boxes hold 4 cups each. How many cups is that?",
     "answer": "9 boxes of 4 are 9*4=36 cups.\\n#### 36"}
"""

from collections.abc import Mapping

from partbook.errors import ConfigError
from partbook.tasks.columns import required
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.source import HubFiles

__all__ = ["GSM8K"]


def _problem(data: Mapping[str, object], number: str) -> Problem:
    reasoning, mark, result = required(data, "answer").rpartition("####")
    if not mark or not result.strip():
        raise ConfigError("`answer` must end in `#### ` and a number")
    return Problem(
        id=number,
        task="gsm8k",
        question=required(data, "question"),
        judge="maths",
        format="integer",
        reference=result.strip().replace(",", ""),
        level=str(len(reasoning.strip().splitlines())),
    )


GSM8K = Family(
    name="gsm8k",
    about="GSM8K: 1319 word problems of school mathematics; level: lines of the solution",
    judge="maths",
    source=HubFiles(
        repo="openai/gsm8k",
        revision="cc7b047b6e5bb11b4f1af84efc572db110a51b3c",
        files={
            "train": ("main/train-00000-of-00001.parquet",),
            "test": ("main/test-00000-of-00001.parquet",),
        },
        rows={"train": 7473, "test": 1319},
    ),
    convert=_problem,
    splits={
        "train": Share("train", 0.0, 0.9),
        "validation": Share("train", 0.9, 1.0),
        "test": Share("test"),
    },
)
