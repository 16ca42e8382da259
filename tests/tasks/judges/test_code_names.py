import pytest

from partbook.tasks.judges.code_names import needs_one_process, starting_imports, wanted_names
from partbook.tasks.programs import CaseTests, SourceTests


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        (SourceTests("assert double(2) == 4"), ("double",)),
        (SourceTests("assert abs(root(2) - 1.41) < 0.1"), ("root",)),
        (SourceTests("assert sum(10, 15) == 6"), ("sum",)),
        (SourceTests("assert half(3) == isclose(1, 1)", "from math import isclose"), ("half",)),
        (SourceTests("p = Pair(1, 2)\nassert longest([p], n=1) == 1"), ("Pair", "longest")),
        (SourceTests("def check(candidate):\n    assert candidate(1)", "", "f", "check"), ("f",)),
        (
            SourceTests(
                "def check(candidate):\n    assert poly(candidate(1)) == 0",
                "def poly(x): ...\ndef root(x): ...",
                "root",
                "check",
            ),
            ("root",),
        ),
        (SourceTests("for x in [1]:\n    assert [y for y in f(x)]"), ("f",)),
        (SourceTests("try:\n    f()\nexcept Bad as error:\n    error.args"), ("Bad", "f")),
        (SourceTests("assert 1 == 1"), ()),
        (SourceTests("assert math.isclose(f(1), 2)"), ("f",)),
        (SourceTests("assert copy([1]) == [1]"), ("copy",)),
        (CaseTests("[]"), ()),
        (CaseTests("[]", function="f"), ("f", "Solution")),
    ],
)
def test_the_tests_say_what_the_program_must_define(tests, names):
    assert wanted_names(tests) == names


@pytest.mark.parametrize(
    ("source", "together"),
    [
        ("assert f(1) == 2", False),
        ("import random\nassert f(random.Random(0).random()) == 2", False),
        ("from unittest.mock import patch\nwith patch('os.getcwd'):\n    f()", True),
        ("import random\nrandom.seed(0)\nassert f() == 2", True),
        ("import io, sys\nsys.stdout = io.StringIO()\nf()", True),
        ("import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    f()", True),
        ("import asyncio\nassert asyncio.run(f(1)) == 2", True),
        ("class T:\n    async def test(self):\n        assert await f(1) == 2", True),
        ("assert f('patch') == 2", False),
    ],
)
def test_tests_that_reach_into_the_programs_process_are_told_by_their_words(source, together):
    assert needs_one_process(SourceTests(source)) is together


@pytest.mark.parametrize(
    ("program", "imports"),
    [
        ("def f(xs: List[int]): return Counter(xs)",
         "from collections import Counter\nfrom typing import List"),
        ("def f(x): return math.sqrt(x) + sqrt(x)", "import math\nfrom math import sqrt"),
        ("from math import *\nimport math\ndef f(x): return math.floor(x)", ""),
        ("def gcd(a, b): return a\ndef f(x): return gcd(x, x)", ""),
        ("def f(count): return count", ""),
        ("print(1)", ""),
    ],
)  # fmt: skip
def test_only_what_a_program_uses_and_does_not_bind_is_imported_for_it(program, imports):
    assert starting_imports(program) == imports
