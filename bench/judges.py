"""What a verdict takes: processor time by judge, verdicts a second, and whether memory stays flat.

Run: python bench/judges.py [VERDICTS]. Choice and short answers run on one thread; patterns on the
one checker and mathematics on the two checkers that the library starts. Numbers need no checker;
of the mix of mathematics two answers of five need algebra. Programs run in the sandbox, where there
is one, a hundredth as many. To compare two states of the source, run
it with each of them in turn as PYTHONPATH: processor time hardly depends on what else runs.
"""

import asyncio
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from figures import keep
from processes import cpu_s, memory_mb

from partbook.errors import ConfigError
from partbook.sandbox import sandbox_available
from partbook.tasks.judges.choice import ChoiceJudge
from partbook.tasks.judges.code import CodeJudge
from partbook.tasks.judges.judge import Judge
from partbook.tasks.judges.maths import MathsJudge
from partbook.tasks.judges.pattern import PatternJudge
from partbook.tasks.judges.short import ShortJudge
from partbook.tasks.programs import Case, SourceTests, pack_cases

REASONING = (
    "Let me work through this. The first term is 3 and each later one is larger by 4, so the sum\n"
    "of the first ten is 10 times the mean of 3 and 39. I check it once more, and it holds.\n"
)
NUMBERS = 6
"""The first of the cases of mathematics, which need no algebra."""


def maths_case(i: int, kinds: int = 10) -> tuple[str, str]:
    """Reference and text; the numbers differ from case to case, so that caches help little."""
    n, m = i % 997 + 2, i % 89 + 3
    return (
        (f"{n}", rf"Hence the sum is \boxed{{{n}}}."),
        (f"{n},500", rf"\boxed{{{n}500}}"),
        (rf"\frac{{{n}}}{{{m}}}", rf"So the answer is $\frac{{{2 * n}}}{{{2 * m}}}$."),
        (rf"{m}\%", rf"\boxed{{{m / 100}}}"),
        (r"\text{(B)}", r"\boxed{\text{B}}"),
        (f"-{n}, {m}", rf"The roots are \boxed{{{m}}} and \boxed{{-{n}}}."),
        (rf"\frac{{{n}\sqrt{{3}}}}{{3}}", rf"\boxed{{\frac{{{n}}}{{\sqrt{{3}}}}}}"),
        (f"x^2+{2 * n}x+{n * n}", rf"\boxed{{(x+{n})^2}}"),
        (rf"({n}, \frac{{\pi}}{{{m}}})", rf"\boxed{{({n}, \frac{{5\pi}}{{{m}}})}}"),
        (rf"{m}x-{n}y+1=0", rf"\boxed{{{2 * m}x-{2 * n}y+2=0}}"),
    )[i % kinds]


OPTIONS = {"A": "Golgi body", "B": "the chloroplast", "C": "cell wall", "D": "cell"}
CHOICE = ["Answer: B", "**ANSWER:** (C)", r"\boxed{\text{D}}", "I would go for A, I think.", "B."]
SHORT = [
    ("9.8 m/s", "The answer is 9.81 m/s."),
    ("Paris", "<answer>paris</answer>"),
    ("15%", "0.15"),
]
ASSERTS = CodeJudge(SourceTests("assert square(3) == 9\nassert square(-2) == 4"))
SQUARE = "```python\ndef square(x):\n    return x * x\n```"
CASES = CodeJudge(pack_cases([Case("4\n", "5\n"), Case("-1", "0"), Case("9", "10")]))
NEXT = "```python\nprint(int(input()) + 1)\n```"


async def main(verdicts: int) -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    rates: dict[str, float] = {}
    short = [(ShortJudge(reference), text) for reference, text in SHORT]
    pattern = PatternJudge(r"\d{4}-\d\d")

    async def measured(
        name: str, count: int, case: Callable[[int], tuple[Judge, str]], at_once: int = 1
    ) -> None:
        await some(range(at_once), case, at_once)  # what is only made once is made here
        start, own, theirs = time.perf_counter(), time.process_time(), checkers_s()
        await some(range(at_once, at_once + count), case, at_once)
        rates[name] = rate = count / (time.perf_counter() - start)
        here, there = (time.process_time() - own) / count, (checkers_s() - theirs) / count
        print(
            f"{name:20} {1e6 * here:8,.1f} us here {1e6 * there:8,.0f} us in checkers "
            f"{rate:9,.0f} verdicts/s {memory_mb(os.getpid()):5.0f} MiB {checkers_mib()}"
        )

    plain, named = ChoiceJudge("B"), ChoiceJudge("B", options=OPTIONS)
    await measured("choice", verdicts, lambda i: (plain, REASONING + CHOICE[i % 5]))
    await measured("choice with options", verdicts, lambda i: (named, REASONING + CHOICE[i % 5]))
    await measured("short", verdicts, lambda i: short[i % 3])
    await measured("pattern", verdicts, lambda i: (pattern, "2026-11"), 100)
    await measured("numbers", verdicts, lambda i: maths(*maths_case(i, NUMBERS)))
    quarter = verdicts // 4
    for part in range(4):
        begin = part * quarter
        await measured("maths", quarter, lambda i, at=begin: maths(*maths_case(at + i)), 100)
    try:
        sandbox_available()
    except ConfigError as missing:
        print(f"no programs: {missing}")
    else:
        programs = max(1, verdicts // 100)
        await measured("asserts", programs, lambda i: (ASSERTS, SQUARE))
        await measured("cases", programs, lambda i: (CASES, NEXT))
    keep(rates)


def maths(reference: str, text: str) -> tuple[Judge, str]:
    return MathsJudge(reference), REASONING + text


async def some(numbers: range, case: Callable[[int], tuple[Judge, str]], at_once: int) -> None:
    for begin in range(numbers.start, numbers.stop, at_once):
        cases = map(case, range(begin, min(begin + at_once, numbers.stop)))
        waiting: list[Awaitable[object]] = [judge.judge(text) for judge, text in cases]
        await (asyncio.gather(*waiting) if len(waiting) > 1 else waiting[0])


def checkers() -> list[int]:
    """Numbers of the processes below this one."""
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return [int(pid) for pid in " ".join(listed).split()]


def checkers_s() -> float:
    """Processor time of all that there were so far."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(map(cpu_s, checkers()))


def checkers_mib() -> str:
    found = [f"{memory_mb(pid):.0f}" for pid in checkers()]
    return f"checkers {' + '.join(found)} MiB" if found else ""


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
