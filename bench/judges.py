"""How many verdicts a second the judges give, and whether memory stays flat over many of them.

Run: python bench/judges.py [VERDICTS]. Choice and short answers run on one thread; mathematics on a
mix in which two answers of five need algebra, with the two checkers that the library starts.
"""

import asyncio
import os
import resource
import sys
import time
from pathlib import Path

from figures import keep

from partbook.tasks.judges.choice import ChoiceJudge
from partbook.tasks.judges.maths import MathsJudge
from partbook.tasks.judges.short import ShortJudge

REASONING = (
    "Let me work through this. The first term is 3 and each later one is larger by 4, so the sum\n"
    "of the first ten is 10 times the mean of 3 and 39. I check it once more, and it holds.\n"
)


def maths_case(i: int) -> tuple[str, str]:
    """Reference and text; the numbers differ from case to case, so that no cache can help."""
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
    )[i % 10]


CHOICE = ["Answer: B", "**ANSWER:** (C)", r"\boxed{\text{D}}", "I would go for A, I think.", "B."]
SHORT = [
    ("9.8 m/s", "The answer is 9.81 m/s."),
    ("Paris", "<answer>paris</answer>"),
    ("15%", "0.15"),
]


async def main(verdicts: int) -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    rates = {}
    choice = ChoiceJudge("B")
    start = time.perf_counter()
    for i in range(verdicts):
        await choice.judge(REASONING + CHOICE[i % len(CHOICE)])
    rates["choice"] = report("choice", verdicts, start)

    short = [(ShortJudge(reference), text) for reference, text in SHORT]
    start = time.perf_counter()
    for i in range(verdicts):
        judge, text = short[i % len(short)]
        await judge.judge(text)
    rates["short"] = report("short", verdicts, start)

    await asyncio.gather(*(judge_maths(i) for i in range(100)))
    for part in range(4):
        start = time.perf_counter()
        for begin in range(part * verdicts // 4, (part + 1) * verdicts // 4, 100):
            await asyncio.gather(*(judge_maths(i) for i in range(begin, begin + 100)))
        rates["maths"] = report("maths", verdicts // 4, start)
    keep(rates)


async def judge_maths(i: int) -> None:
    reference, text = maths_case(i)
    await MathsJudge(reference).judge(REASONING + text)


def report(name: str, verdicts: int, start: float) -> float:
    rate = verdicts / (time.perf_counter() - start)
    print(f"{name:8} {rate:10,.0f} verdicts/s   {memory_mib():5.0f} MiB   {children_mib()}")
    return rate


def memory_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def children_mib() -> str:
    found = []
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    for pid in " ".join(listed).split():
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        found.append(f"{pages * resource.getpagesize() / 2**20:.0f}")
    return f"checkers {' + '.join(found)} MiB" if found else ""


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
