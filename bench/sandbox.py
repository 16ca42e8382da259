"""What judging a program costs beyond the program itself, in milliseconds of computing.

Run: python bench/sandbox.py [REPEATS]. A judgment is compared with the same program run by the
bare interpreter, once for each case. The bar is 100 ms a judgment; the exit status is 1 above it.
The rate is of judgments with as many at once as there are cores.
"""

import asyncio
import os
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from statistics import median

from figures import keep

from partbook.sandbox import run_program
from partbook.sandbox.host import find_host
from partbook.tasks.judges.code import CodeJudge
from partbook.tasks.programs import Case, SourceTests, Tests, pack_cases

BAR_MS = 100.0
WHOLE = "print(int(input()) + 1)"
FUNCTION = "def square(x):\n    return x * x"
TEST_CASE = (
    "import unittest\nclass TestCases(unittest.TestCase):\n"
    "    def test_three(self):\n        self.assertEqual(square(3), 9)\n"
)
KINDS: dict[str, tuple[str, Tests, int]] = {
    "stdin, 1 case": (WHOLE, pack_cases([Case("1", "2")]), 1),
    "stdin, 30 cases": (WHOLE, pack_cases([Case(str(i), str(i + 1)) for i in range(30)]), 30),
    "function, 30 cases": (
        FUNCTION,
        pack_cases([Case(str(i), str(i * i)) for i in range(30)], "square"),
        30,
    ),
    "asserts": (FUNCTION, SourceTests("assert square(3) == 9\nassert square(-2) == 4"), 1),
    "check": (
        FUNCTION,
        SourceTests("def check(f):\n    assert f(3) == 9", "", "square", "check"),
        1,
    ),
    "unittest": (FUNCTION, SourceTests(TEST_CASE, "", "square", "unittest"), 1),
    "unittest with patches": (
        FUNCTION,
        SourceTests(f"from unittest.mock import patch\n{TEST_CASE}", "", "square", "unittest"),
        1,
    ),
}
"""Program, tests, and how often the bare interpreter runs to do the same."""


async def main(repeats: int) -> int:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {find_host().python}")
    bare = {program: bare_ms(program, repeats) for program in (WHOLE, FUNCTION)}
    alone = await cpu_ms(lambda: run_program(WHOLE, stdin="1"), repeats)
    print(f"{'sandbox alone':24}{alone - bare[WHOLE]:8.1f} ms over {bare[WHOLE]:.1f} ms")
    worst = 0.0
    for name, (program, tests, runs) in KINDS.items():
        judge, text = CodeJudge(tests), f"```python\n{program}\n```"
        found = await judge.judge(text)
        if not found.right:
            sys.exit(f"{name}: {found.outcome}: {found.reason}")
        over = await cpu_ms(lambda judge=judge, text=text: judge.judge(text), repeats)
        over -= bare[program] * runs
        worst = max(worst, over)
        start = time.perf_counter()
        await asyncio.gather(*(judge.judge(text) for _ in range(repeats)))
        rate = repeats / (time.perf_counter() - start)
        print(
            f"{name:24}{over:8.1f} ms over {runs} x {bare[program]:.1f} ms{rate:8.1f} judgments/s"
        )
    keep({"worst_ms": worst, "bar_ms": BAR_MS})
    print(f"bar {BAR_MS:g} ms: {'held' if worst <= BAR_MS else 'BROKEN'}")
    return int(worst > BAR_MS)


def bare_ms(program: str, repeats: int) -> float:
    found = []
    for _ in range(repeats):
        start = used_ms()
        command = [find_host().python, "-E", "-s", "-X", "utf8", "-c", program]
        subprocess.run(command, input=b"1", capture_output=True, check=True)
        found.append(used_ms() - start)
    return median(found)


async def cpu_ms(act: Callable[[], Awaitable[object]], repeats: int) -> float:
    found = []
    for _ in range(repeats):
        start = used_ms()
        await act()
        found.append(used_ms() - start)
    return median(found)


def used_ms() -> float:
    whole = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1000 * sum(one.ru_utime + one.ru_stime for one in whole)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)))
