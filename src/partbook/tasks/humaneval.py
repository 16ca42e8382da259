r"""HumanEval: 164 functions to complete from their docstrings (arXiv:2107.03374).

The prompt runs before the answer: some tests call helper functions that only the prompt defines.

A row of ours in its columns:

    {"task_id": "Ours/0", "prompt": "def half(x):\n    \"\"\"Half of x.\"\"\"\n",
     "canonical_solution": "    return x / 2\n", "entry_point": "half",
     "test": "def check(candidate):\n    assert candidate(3) == 1.5\n"}
"""

from collections.abc import Mapping

from partbook.tasks.columns import optional, required
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.programs import SourceTests
from partbook.tasks.source import HubFiles

__all__ = ["HUMANEVAL"]


def _problem(data: Mapping[str, object], number: str) -> Problem:
    prompt = required(data, "prompt")
    name = required(data, "entry_point")
    return Problem(
        id=optional(data, "task_id") or number,
        task="humaneval",
        question=f"Complete the function `{name}`:\n```python\n{prompt.strip()}\n```",
        judge="code",
        format="function",
        reference=prompt + required(data, "canonical_solution"),
        tests=SourceTests(required(data, "test"), prompt, name, "check"),
    )


HUMANEVAL = Family(
    name="humaneval",
    about="HumanEval: 164 short functions from their docstrings",
    judge="code",
    source=HubFiles(
        repo="openai/openai_humaneval",
        revision="7dce6050a7d6d172f3cc5c32aa97f52fa1a2e544",
        files={"test": ("openai_humaneval/test-00000-of-00001.parquet",)},
        rows={"test": 164},
    ),
    convert=_problem,
    splits={"test": Share("test")},
)
