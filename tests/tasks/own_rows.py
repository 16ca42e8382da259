"""Problems of our own, in the columns of the published data sets. None of their text is here."""

import json

MATH500 = [
    {
        "problem": "What is the positive root of $4x^2=9$?",
        "solution": "Divide by 4.",
        "answer": "\\frac{3}{2}",
        "subject": "Algebra",
        "level": 1,
        "unique_id": "ours/0.json",
    },
    {
        "problem": "List the square roots of 49.",
        "solution": "7 squared is 49.",
        "answer": "-7, 7",
        "subject": "Algebra",
        "level": 2,
        "unique_id": "ours/1.json",
    },
]
AIME = [
    {"id": "ours-0", "problem": "Find the number of divisors of $2^3\\cdot 3^4$.", "answer": "020"},
    {"id": "ours-1", "problem": "Find half of \frac{6}{1} in $\triangle ABC$.", "answer": 3},
]
GSM8K = [
    {
        "question": "Nine boxes hold 400 cups each. How many cups is that?",
        "answer": "9 boxes of 400 are 9*400=3600.\n#### 3,600",
    }
]
MMLU = [
    {
        "question": "Which gas do plants take up from the air?",
        "subject": "biology",
        "choices": ["Helium", "Carbon dioxide", "Argon", "Neon"],
        "answer": 1,
    },
    {"question": " ", "subject": "biology", "choices": ["a", "b", "c", "d"], "answer": 0},
]
GPQA = [
    {
        "Record ID": f"ours-{i}",
        "Question": f"Which planet has the shortest year? ({i})",
        "Correct Answer": "Mercury\n",
        "Incorrect Answer 1": "Mars",
        "Incorrect Answer 2": "Venus",
        "Incorrect Answer 3": "Saturn",
        "High-level domain": "Physics",
    }
    for i in range(8)
]
RLPR = [
    {
        "prompt": [
            {"role": "system", "content": "Use the tags."},
            {"role": "user", "content": "What is the SI unit of force?"},
        ],
        "reward_model": {"ground_truth": "newton", "style": "rule"},
        "ability": "Physics",
    },
    {
        "prompt": [{"role": "user", "content": "Describe friction."}],
        "reward_model": {"ground_truth": "an answer that is longer than thirty characters"},
        "ability": "Physics",
    },
]
LIVECODEBENCH = [
    {
        "question_id": "ours-0",
        "question_content": "Print twice the number that is read.",
        "platform": "ours",
        "contest_date": "2026-01-01T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "metadata": "{}",
        "public_test_cases": json.dumps([{"input": "2", "output": "4", "testtype": "stdin"}]),
        "private_test_cases": json.dumps([{"input": "5", "output": "10", "testtype": "stdin"}]),
    },
    {
        "question_id": "ours-1",
        "question_content": "Return the sum of the list.",
        "platform": "ours",
        "contest_date": "2026-01-02T00:00:00",
        "starter_code": "class Solution:\n    def total(self, xs: list[int]) -> int:\n        ",
        "difficulty": "medium",
        "metadata": '{"func_name": "total"}',
        "public_test_cases": json.dumps(
            [{"input": "[1, 2]", "output": "3", "testtype": "functional"}]
        ),
        "private_test_cases": "[]",
    },
]
BIGCODEBENCH = [
    {
        "task_id": "Ours/0",
        "entry_point": "task_func",
        "libs": "['math']",
        "complete_prompt": 'import math\ndef task_func(x):\n    """The root of x."""\n',
        "canonical_solution": "    return math.sqrt(x)",
        "code_prompt": "import math\ndef task_func(x):\n",
        "test": "import unittest\nclass TestCases(unittest.TestCase):\n"
        "    def test_four(self):\n        self.assertEqual(task_func(4), 2)\n",
    }
]
HUMANEVAL = [
    {
        "task_id": "Ours/0",
        "prompt": 'def half(x):\n    """Half of x."""\n',
        "canonical_solution": "    return x / 2\n",
        "entry_point": "half",
        "test": "def check(candidate):\n    assert candidate(3) == 1.5\n",
    }
]
MBPP = [
    {
        "task_id": 11,
        "text": "Write a function to double a number.",
        "test_setup_code": "",
        "code": "def double(x):\r\n    return 2 * x",
        "test_list": ["assert double(2) == 4", "assert double(0) == 0"],
    },
    {
        "task_id": 601,
        "text": "Write a function to halve a number.",
        "test_setup_code": "four = half(8)",
        "code": "def half(x):\n    return x / 2",
        "test_list": ["assert half(four) == 2"],
    },
]
MBPP_SANITIZED = [
    {
        "task_id": 12,
        "prompt": "Write a function for the root of a number.",
        "test_imports": ["import math"],
        "code": "import math\ndef root(x):\n    return math.sqrt(x)",
        "test_list": ["assert math.isclose(root(4), 2)"],
    }
]

OWN_ROWS = {
    "math500": MATH500,
    "mmlu": MMLU,
    "rlpr": RLPR,
    "livecodebench": LIVECODEBENCH,
    "aime25": AIME,
    "aime26": AIME,
    "bigcodebench": BIGCODEBENCH,
    "gpqa": GPQA,
    "gsm8k": GSM8K,
    "humaneval": HUMANEVAL,
    "mbpp": MBPP,
    "mbpp-sanitized": MBPP_SANITIZED,
}
"""By task."""


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
