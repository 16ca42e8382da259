r"""LiveCodeBench: contest problems with hidden tests (arXiv:2403.07974).

As in arXiv:2512.04388, release_v1 (400 problems) is for training and the problems that v6 added
(175) are for testing; 60 % of release_v1 are `train`, which gives the paper's 240, the rest is
`validation`. release_v1 is a download of 1.25 GB and stays packed in memory at about that size.
There are no reference solutions, so the ground truth of this task cannot be checked.

A row of ours in its columns; hidden tests may also be packed (base64, zlib, pickle):

    {"question_id": "ours-0", "question_content": "Print twice the number that is read.",
     "platform": "ours", "contest_date": "2026-01-01T00:00:00", "starter_code": "",
     "difficulty": "easy", "metadata": "{}",
     "public_test_cases": "[{\"input\": \"2\", \"output\": \"4\", \"testtype\": \"stdin\"}]",
     "private_test_cases": "[{\"input\": \"5\", \"output\": \"10\", \"testtype\": \"stdin\"}]"}
"""

from collections.abc import Mapping

from partbook.errors import ConfigError
from partbook.tasks.columns import optional, required, table
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.programs import CaseTests
from partbook.tasks.source import HubFiles

__all__ = ["LIVECODEBENCH"]


def _problem(data: Mapping[str, object], number: str) -> Problem:
    starter = optional(data, "starter_code").strip("\n")
    question = required(data, "question_content")
    function = ""
    if starter.strip():
        question = f"{question.rstrip()}\n\nThe class to complete:\n```python\n{starter}\n```"
        function = optional(table(data, "metadata"), "func_name")
        if not function:
            raise ConfigError("`metadata` names no `func_name`, but there is starter code")
    tests = CaseTests(
        required(data, "public_test_cases"), optional(data, "private_test_cases"), function
    )
    tests.cases()  # broken tests are refused now, not in the middle of a run
    return Problem(
        id=optional(data, "question_id") or number,
        task="livecodebench",
        question=question,
        judge="code",
        format="method" if function else "program",
        tests=tests,
        level=optional(data, "difficulty"),
        meta={
            "platform": optional(data, "platform"),
            "date": optional(data, "contest_date")[:10],
        },
    )


LIVECODEBENCH = Family(
    name="livecodebench",
    about="LiveCodeBench: contest programs; release_v1 to train, 175 problems of v6 to test",
    judge="code",
    source=HubFiles(
        repo="livecodebench/code_generation_lite",
        revision="0fe84c3912ea0c4d4a78037083943e8f0c4dd505",
        files={"release_v1": ("test.jsonl",), "v6": ("test6.jsonl",)},
        rows={"release_v1": 400, "v6": 175},
    ),
    convert=_problem,
    splits={
        "train": Share("release_v1", 0.0, 0.6),
        "validation": Share("release_v1", 0.6, 1.0),
        "test": Share("v6"),
    },
)
