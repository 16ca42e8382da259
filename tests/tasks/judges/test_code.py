import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from partbook.errors import ConfigError
from partbook.tasks.judges.code import LIMITS, CodeJudge, Turns
from partbook.tasks.judges.judge import judge_from
from partbook.tasks.programs import Case, CaseTests, SourceTests, pack_cases

pytestmark = pytest.mark.sandbox

SHORT = replace(LIMITS, wall_s=1.0, cpu_s=1.0)
NEXT = pack_cases([Case("4\n", "5\n"), Case("-1", "0"), Case("9", "10")])
SQUARE = SourceTests("assert square(3) == 9\nassert square(-2) == 4")
HALF = SourceTests(
    "def check(candidate):\n    assert candidate(3) == 1.5\n"
    "    assert abs(candidate(1) - 0.5) < 1e-9",
    'from typing import List\ndef half(x):\n    """Half of x."""\n',
    "half",
    "check",
)
CASES = SourceTests(
    "import unittest\nclass TestCases(unittest.TestCase):\n"
    "    def test_three(self):\n        self.assertEqual(square(3), 9)\n"
    "    def test_minus(self):\n        self.assertEqual(square(-2), 4)\n",
    "",
    "square",
    "unittest",
)
PRINTS = SourceTests(
    "import unittest\nfrom unittest.mock import patch\nclass TestCases(unittest.TestCase):\n"
    "    @patch('builtins.print')\n    def test_prints(self, printing):\n"
    "        self.assertEqual(square(3), 9)\n        printing.assert_called_once_with(9)\n",
    "",
    "square",
    "unittest",
)
TOTAL = pack_cases([Case("[1, 2]\n3", "6"), Case("[]\n0", "0")], "total")


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


async def verdict(program, tests, limits=LIMITS, **more):
    return await CodeJudge(tests, limits, **more).judge(fenced(program))


@pytest.mark.parametrize(
    ("tests", "program", "outcome", "reason"),
    [
        (NEXT, "print(int(input()) + 1)", "right", "passes all tests"),
        (NEXT, "print(abs(int(input())) + 1)", "wrong", "test 2 of 3: expected '0', printed '2'"),
        (NEXT, "print(1 / 0)", "wrong", "test 1 of 3: it ended with status 1 (ZeroDivisionError"),
        (NEXT, "def f(): pass", "wrong", "test 1 of 3: expected '5', printed nothing"),
        (TOTAL, "def total(xs, y):\n    return sum(xs) + y", "right", ""),
        (TOTAL, "class Solution:\n    def total(self, xs: List[int], y):\n"
         "        return sum(xs) + y",
         "right", ""),
        (TOTAL, "def total(xs, y):\n    return sum(xs)", "wrong", "expected 6, returned 3"),
        (TOTAL, "def all(xs, y):\n    return 6", "wrong", "does not define 'total'"),
        (TOTAL, "def total(xs, y):\n    return {6}", "wrong", "set is not JSON serializable"),
        (SQUARE, "def square(x):\n    return x * x", "right", ""),
        (SQUARE, "def square(x):\n    return x * 3", "wrong", "expected 4, got -6"),
        (SQUARE, "def square(x):\n    raise KeyError(x)", "wrong", "KeyError: 3"),
        (SQUARE, "square = 9", "wrong", "TypeError"),
        (SQUARE, "def cube(x):\n    return x ** 3", "wrong", "NameError: name 'square'"),
        (HALF, "def half(x):\n    return x / 2", "right", ""),
        (HALF, "def half(xs: List[int]):\n    return xs // 2", "wrong", "expected 1.5, got 1"),
        (HALF, "def quarter(x):\n    return x / 4", "wrong", "does not define 'half'"),
        (CASES, "def square(x):\n    return x * x", "right", ""),
        (CASES, "def square(x):\n    return x * 3", "wrong", "test_minus"),
        (PRINTS, "def square(x):\n    print(x * x)\n    return x * x", "right", ""),
        (PRINTS, "def square(x):\n    return x * x", "wrong", "Called 0 times"),
    ],
)  # fmt: skip
async def test_a_program_is_right_if_it_passes_all_tests(tests, program, outcome, reason):
    found = await verdict(program, tests)

    assert found.outcome == outcome
    assert reason in found.reason
    assert found.answer == program


@pytest.mark.parametrize(
    "text",
    [
        "```python\ndef square(x):\n    return x * 3\n```\nNo, wrong:\n"
        "```python\ndef square(x):\n    return x * x\n```",
        "```python\ndef square(x):\n    return x * x\n",
        "def square(x):\n    return x * x\n```",
        "<think>```python\ndef square(x):\n    return 0\n```</think>\n"
        "```py\ndef square(x):\n    return x * x\n```",
        "```python\ndef square(x):\n    return x * x\n```\nUse it so:\n"
        "```python\nprint(square(3))\n```",
        "```python\ndef square(x):\n    return x * x\n```\nIt prints:\n```\n9\n```",
        "```python\ndef square(x):\n    return x * x\n```\n```python\ndef square(x: return\n```",
    ],
)
async def test_the_last_program_that_can_be_one_is_judged(text):
    found = await CodeJudge(SQUARE).judge(text)

    assert found.outcome == "right", found.reason


@pytest.mark.parametrize("text", ["", "I do not know.", "<think>```python\nsquare = 1\n```"])
async def test_a_text_without_a_program_is_wrong(text):
    found = await CodeJudge(SQUARE).judge(text)

    assert (found.outcome, found.answer) == ("wrong", None)


@pytest.mark.parametrize(
    ("program", "given", "printed"),
    [
        ("import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))", "1 2 3\n", "6"),
        ("import sys\nn = int(sys.stdin.buffer.readline())\n"
         "print(n, len(sys.stdin.buffer.read().split()))", "2\n7 8 9\n", "2 3"),
        ("import os\nprint(len(os.read(0, 100)))", "abc\n", "4"),
        ("import sys\ninput = sys.stdin.readline\nprint(int(input()) + int(input()))", "1\n2", "3"),
        ("import io, os\nf = io.BytesIO(os.read(0, os.fstat(0).st_size or 99))\nprint(f.read())",
         "é", "b'\\xc3\\xa9'"),
        ("import sys\nsys.stdout.write(input()[::-1])", "abc", "cba"),
        ("if __name__ == '__main__':\n    print(open(0).read().upper())", "é", "É"),
        ("print(len(input()))", "x" * 3_000_000, "3000000"),
        ("import atexit\natexit.register(print, 'end')\nprint('go')", "", "go\nend"),
        ("import threading\nthreading.Thread(target=print, args=(7,)).start()", "", "7"),
        ("import sys\nsys.setrecursionlimit(10**6)\n"
         "def f(n): return n and 1 + f(n - 1)\nprint(f(50000))", "", "50000"),
        ("print(5)\nexit()", "", "5"),
        ("import sys\nprint(5, flush=True)\nimport os\nos._exit(0)", "", "5"),
        ("print('%.6f' % (2 / 3))", "", "0.666666666667"),
    ],
)  # fmt: skip
async def test_a_whole_program_runs_as_it_would_by_itself(program, given, printed):
    found = await verdict(program, pack_cases([Case(given, printed)]))

    assert found.outcome == "right", found.reason


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("def flag(x):\n    return False", "assert flag(1) == False"),
        ("def zero(x):\n    return 0", "assert zero(1) == 0"),
        ("def empty(x):\n    return []", "assert empty(1) == []"),
        ("def nothing(x):\n    pass", "assert nothing(1) is None"),
        ("def big(n):\n    return 7 ** n", "assert big(9000) == 7 ** 9000"),
        ("def f(x):\n    return x", "import math\nassert math.isnan(f(float('nan')))"),
        ("def f(x):\n    return (x, {x: [x]}, {x})", "assert f(1) == (1, {1: [1]}, {1})"),
        ("def f(x):\n    return [1]", "assert isinstance(f(1), list) and type(f(1)) is list"),
        ("from collections import Counter\ndef f(x):\n    return Counter(x)",
         "assert f('aab') == {'a': 2, 'b': 1}"),
        ("from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f():\n"
         "    return P(1, 2)", "assert f() == (1, 2) and f().y == 2"),
        ("from enum import IntEnum\nclass E(IntEnum):\n    A = 3\ndef f():\n    return E.A",
         "assert f() == 3"),
        ("def f(xs):\n    xs.sort()", "xs = [2, 1]\nf(xs)\nassert xs == [1, 2]"),
        ("def f(n):\n    yield from range(n)", "assert list(f(3)) == [0, 1, 2]"),
        ("def f(g, x):\n    return g(x) + 1", "assert f(lambda x: 2 * x, 3) == 7"),
        ("def f(n):\n    return lambda x: x + n", "assert f(2)(3) == 5"),
        ("def f(g):\n    return g(3)\ndef h(x):\n    return x + 1", "assert f(h) == 4"),
        ("def f(x):\n    raise ValueError('no')",
         "try:\n    f(1)\n    assert False\nexcept ValueError as e:\n    assert str(e) == 'no'"),
        ("class Bad(Exception):\n    pass\ndef f():\n    raise Bad",
         "try:\n    f()\n    assert False\nexcept Bad:\n    pass"),
        ("class Node:\n    def __init__(self, v):\n        self.v = v\n        self.left = None\n"
         "def depth(n):\n    return 0 if n is None else 1 + depth(n.left)",
         "root = Node(1)\nroot.left = Node(2)\nassert depth(root) == 2\nassert root.left.v == 2"),
        ("class V:\n    def __init__(self, x):\n        self.x = x\n"
         "    def __add__(self, o):\n        return V(self.x + o.x)\n"
         "    def __eq__(self, o):\n        return self.x == o.x",
         "assert V(1) + V(2) == V(3)\nassert not V(1) == V(2)"),
        ("class Stack(list):\n    def push(self, x):\n        self.append(x)",
         "s = Stack()\ns.push(1)\nassert s == [1] and len(s) == 1 and s[0] == 1"),
        ("def sum(a, b):\n    return a * b", "assert sum(2, 3) == 6"),
        ("LIMIT = 5\ndef f():\n    return LIMIT", "assert f() == LIMIT == 5"),
        ("if __name__ == '__main__':\n    input()\ndef f():\n    return 1", "assert f() == 1"),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int",
         "assert P(3).x == 3 and P(3) == P(3)"),
    ],
)  # fmt: skip
async def test_honest_programs_of_many_kinds_pass_asserts(program, tests):
    found = await verdict(program, SourceTests(tests))

    assert found.outcome == "right", found.reason


async def test_a_function_is_given_its_helpers_by_the_tests_and_not_by_the_program():
    tests = SourceTests(
        "def check(candidate):\n    assert poly([-4, 2], candidate([-4, 2])) == 0",
        "def poly(xs, x):\n    return xs[0] + xs[1] * x\ndef root(xs):\n    ...",
        "root",
        "check",
    )

    honest = await verdict("def root(xs):\n    return -xs[0] / xs[1]", tests)
    forged = await verdict("def poly(xs, x):\n    return 0\ndef root(xs):\n    return 1", tests)

    assert honest.outcome == "right"
    assert forged.outcome == "wrong"


async def test_modules_that_tests_use_without_an_import_are_pythons_own():
    tests = SourceTests("assert math.isclose(root(2), 1.4142135623730951)")

    honest = await verdict("import math\ndef root(x):\n    return math.sqrt(x)", tests)
    forged = await verdict("class math:\n    isclose = max\ndef root(x):\n    return x", tests)

    assert honest.outcome == "right"
    assert forged.outcome == "wrong"


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        (CaseTests("[]"), "the tests are empty"),
        (CaseTests("["), "the tests are not JSON"),
        (pack_cases([Case("1", "not JSON")], "square"), "test 1 of 1 is not JSON"),
        (SourceTests("assert 1 == 1"), "name nothing that the program must define"),
        (SourceTests("assert square(3) == 9", "import numpy"), "No module named 'numpy'"),
        (SourceTests("def unused():\n    square(3)"), "never use the program"),
        (SourceTests("import io\nassert square(io.StringIO()) == 9"), "cannot be copied"),
    ],
)
async def test_tests_that_cannot_be_run_are_not_judged(tests, reason):
    found = await verdict("def square(x):\n    return x * x", tests)

    assert found.outcome == "not judged"
    assert reason in found.reason


async def test_a_program_that_needs_a_library_from_elsewhere_is_wrong():
    found = await verdict("import numpy\ndef square(x):\n    return x * x", SQUARE)

    assert found.outcome == "wrong"
    assert "No module named 'numpy'" in found.reason


@pytest.mark.parametrize(
    ("tests", "program"),
    [
        (NEXT, "while True:\n    pass"),
        (NEXT, "import os\nif os.fork():\n    os.wait()\nelse:\n    os.setsid()\n"
         "    os.execvp('sleep', ['sleep', '99'])"),
        (SQUARE, "import subprocess\nsubprocess.run(['sleep', '99'])"),
        (PRINTS, "import time\ntime.sleep(60)"),
    ],
)  # fmt: skip
async def test_a_program_that_does_not_end_is_wrong_and_gone(tests, program):
    before = children()

    found = await verdict(program, tests, SHORT)

    assert found.outcome == "wrong"
    assert children() == before


async def test_a_program_of_many_processes_is_wrong_and_gone():
    bomb = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"

    before = children()

    found = await verdict(bomb, NEXT, SHORT)

    assert found.outcome == "wrong"
    assert children() == before


async def test_endless_output_and_memory_are_stopped():
    small = replace(SHORT, memory_bytes=200_000_000)

    flood = await verdict("while True:\n    print('x' * 1000)", NEXT)
    memory = await verdict("a = []\nwhile True:\n    a.append(bytearray(50_000_000))", NEXT, small)

    assert (flood.outcome, memory.outcome) == ("wrong", "wrong")
    assert "far more than was expected" in flood.reason
    assert "MemoryError" in memory.reason


async def test_many_programs_that_run_out_of_time_leave_nothing():
    judge = CodeJudge(NEXT, SHORT, turns=Turns(10))
    before = children()

    found = await asyncio.gather(*(judge.judge("import time\ntime.sleep(60)") for _ in range(10)))

    assert {one.outcome for one in found} == {"wrong"}
    assert children() == before


async def test_the_time_for_all_cases_is_bounded():
    program = "import time\ntime.sleep(0.4)\nprint(int(input()) + 1)"

    found = await verdict(program, NEXT, total_s=0.3)

    assert found.outcome == "wrong"
    assert "the time for all (0.3 s) was up" in found.reason


async def test_thirty_cases_are_all_compared():
    cases = [Case(str(i), str(i + 1)) for i in range(30)]

    right = await verdict("print(int(input()) + 1)", pack_cases(cases))
    wrong = await verdict("x = int(input())\nprint(x + (x < 29))", pack_cases(cases))

    assert right.outcome == "right"
    assert wrong.reason == "test 30 of 30: expected '30', printed '29'"


async def test_a_case_knows_nothing_of_the_one_before():
    leaves = "import os\nprint(int(input()) + 1)\nglobals()['n'] = 1\nos.environ['N'] = '1'"
    looks = "import os\nassert 'N' not in os.environ and 'n' not in globals()\n"

    found = await verdict(f"{looks}{leaves}", NEXT)

    assert found.outcome == "right", found.reason


async def test_no_more_programs_run_at_once_than_there_are_turns():
    judge = CodeJudge(NEXT, turns=Turns(1))
    together, before = 0, children()

    async def watch() -> None:
        nonlocal together
        while True:
            together = max(together, len(children() - before))
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    found = await asyncio.gather(*(judge.judge("print(int(input()) + 1)") for _ in range(3)))
    watching.cancel()

    assert {one.outcome for one in found} == {"right"}
    assert together == 1


def test_the_judge_is_made_by_name_and_needs_tests():
    assert judge_from("code", {"tests": NEXT}) == CodeJudge(NEXT)
    with pytest.raises(ConfigError, match="needs the tests of a program"):
        judge_from("code", {"tests": None})


async def test_a_reason_is_never_long():
    shout = "def square(x):\n    raise ValueError('x' * 10**6)"

    found = await verdict(shout, SQUARE)
    printed = await verdict("print('y' * 60000)", NEXT)

    assert len(found.reason) <= 500
    assert len(printed.reason) <= 200


def children() -> set[str]:
    """Processes below this one, zombies too; other judges' checkers among them."""
    lists = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return set(" ".join(path.read_text() for path in lists).split())
