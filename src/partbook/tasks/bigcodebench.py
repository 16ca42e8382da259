r"""BigCodeBench, hard set, complete form: functions that call many libraries (arXiv:2406.15877).

148 problems; the form is `complete`: the worker gets imports, signature and docstring. The tests
need the libraries that `meta["libs"]` names; where they are not installed, a right answer fails.

A row of ours in its columns:

    {"task_id": "Ours/0", "entry_point": "task_func", "libs": "['math']",
     "complete_prompt": "import math\ndef task_func(x):\n    \"\"\"The root of x.\"\"\"\n",
     "canonical_solution": "    return math.sqrt(x)", "code_prompt": "...",
     "test": "import unittest\nclass TestCases(unittest.TestCase):\n
              def test_four(self):\n        self.assertEqual(task_func(4), 2)"}
"""

from collections.abc import Mapping

from partbook.tasks.columns import optional, required
from partbook.tasks.family import Family, Share
from partbook.tasks.problem import Problem
from partbook.tasks.programs import SourceTests
from partbook.tasks.source import HubFiles

__all__ = ["BIGCODEBENCH"]


def _problem(data: Mapping[str, object], number: str) -> Problem:
    prompt = required(data, "complete_prompt")
    name = required(data, "entry_point")
    solution = required(data, "canonical_solution")
    return Problem(
        id=optional(data, "task_id") or number,
        task="bigcodebench",
        question=f"Complete the function `{name}`:\n```python\n{prompt.rstrip()}\n```",
        judge="code",
        format="function",
        reference=f"{prompt.rstrip()}\n{solution}",
        # The prompt is a whole program: a function may consist of its docstring.
        tests=SourceTests(required(data, "test"), prompt, name, "unittest"),
        meta={"libs": optional(data, "libs")},
    )


BIGCODEBENCH = Family(
    name="bigcodebench",
    about="BigCodeBench hard, complete: 148 functions that call many libraries",
    judge="code",
    source=HubFiles(
        repo="bigcode/bigcodebench-hard",
        revision="298d2cc7b96612e15e47313c3603ee124cee0c1f",
        files={"test": ("data/v0.1.4-00000-of-00001.parquet",)},
        rows={"test": 148},
    ),
    convert=_problem,
    splits={"test": Share("test")},
)
