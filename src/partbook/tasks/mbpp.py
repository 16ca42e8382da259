"""MBPP: short functions from a sentence and three asserts (arXiv:2108.07732); its checked part.

The asserts are shown, because only they name the function. The authors' own single files
(`mbpp.jsonl`, `sanitized-mbpp.json`) hold all splits; from those, rows are taken by their numbers,
which fix the split: 11 to 510 test, 511 to 600 validation, 601 to 974 train.

A row of ours in its columns (`mbpp-sanitized` has `prompt` and `test_imports` in place of `text`
and `test_setup_code`):

    {"task_id": 11, "text": "Write a function to double a number.", "test_setup_code": "",
     "code": "def double(x):\\n    return 2 * x",
     "test_list": ["assert double(2) == 4", "assert double(0) == 0"]}
"""

from collections.abc import Mapping

from partbook.tasks.columns import optional, required, texts, whole
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.programs import SourceTests
from partbook.tasks.source import HubFiles

__all__ = ["MBPP", "MBPP_SANITIZED"]


def _problem(task: str, data: Mapping[str, object]) -> Problem:
    asserts = "\n".join(texts(data, "test_list")).replace("\r\n", "\n")
    question = required(data, "text", "prompt").strip()
    imports = "\n".join(texts(data, "test_imports")) if "test_imports" in data else ""
    # The set-up may use what the program defines, so it runs after it.
    set_up = optional(data, "test_setup_code").replace("\r\n", "\n")
    return Problem(
        id=str(whole(data, "task_id")),
        task=task,
        question=f"{question}\nIt must pass these tests:\n```python\n{asserts}\n```",
        judge="code",
        format="function",
        reference=required(data, "code").replace("\r\n", "\n"),
        tests=SourceTests(f"{set_up}\n{asserts}".lstrip("\n"), imports),
    )


def _full(data: Mapping[str, object], number: str) -> Problem:
    return _problem("mbpp", data)


def _sanitized(data: Mapping[str, object], number: str) -> Problem:
    return _problem("mbpp-sanitized", data)


def _splits() -> dict[str, Share]:
    return {
        "train": Share("train", keep=lambda problem: 601 <= int(problem.id) <= 974),
        "validation": Share("validation", keep=lambda problem: 511 <= int(problem.id) <= 600),
        "test": Share("test", keep=lambda problem: 11 <= int(problem.id) <= 510),
    }


def _source(config: str, rows: Mapping[str, int]) -> HubFiles:
    return HubFiles(
        repo="google-research-datasets/mbpp",
        revision="4bb6404fdc6cacfda99d4ac4205087b89d32030c",
        files={part: (f"{config}/{part}-00000-of-00001.parquet",) for part in rows},
        rows=rows,
    )


MBPP = Family(
    name="mbpp",
    about="MBPP: 500 short functions from a sentence and three asserts",
    judge="code",
    source=_source("full", {"train": 374, "validation": 90, "test": 500}),
    convert=_full,
    splits=_splits(),
)

MBPP_SANITIZED = Family(
    name="mbpp-sanitized",
    about="MBPP, the part that its authors checked by hand: 257 functions",
    judge="code",
    source=_source("sanitized", {"train": 120, "validation": 43, "test": 257}),
    convert=_sanitized,
    splits=_splits(),
)
