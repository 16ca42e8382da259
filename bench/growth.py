"""How CPU time, memory and connections grow, from 1 to 1,000 workflows at once and 1 to 5 steps.

    python bench/growth.py                    raw aiohttp and ours, three rounds
    python bench/growth.py --engines aiohttp partbook langgraph --rounds 1

Each point is a process of its own that plays on one mock server, and the engines take turns within
a round. Growth is linear where a workflow costs as much CPU time with 1,000 at once as with 10; the
bar allows a fifth more, because more that is alive means more for the garbage collector to look at.
Both are measured as a program has them that imports them, and with the collector set as in
Partbook's commands (`seldom`), which is what the bar is for. A workflow of n steps has n - 1
independent ones and one that reads all of them. Rivals and `seldom` play three steps only.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from figures import keep
from run import BASELINE, OURS, interpreter, is_rival, machine, measure, mock_server, wrong

Row = dict[str, Any]

MOST_GROWTH = 1.2
"""The bar: CPU time of one of 1,000 workflows at once to that of one of 10."""

SELDOM = (f"{BASELINE}-seldom", f"{OURS}-seldom")
"""Both, with the collector as in Partbook's commands."""

CONCURRENCIES = (1, 10, 100, 1000)
STEPS = (1, 2, 3, 4, 5)
USUAL_STEPS = 3
USUAL_CONCURRENCY = 100


class Point(NamedTuple):
    concurrency: int
    steps: int

    @property
    def workflows(self) -> int:
        """How many are played: enough for the clock of CPU time, few enough to wait for."""
        return {1: 100, 10: 800, 100: 1000, 1000: 3000}[self.concurrency]


POINTS = (
    *(Point(concurrency, USUAL_STEPS) for concurrency in CONCURRENCIES),
    *(Point(USUAL_CONCURRENCY, steps) for steps in STEPS if steps != USUAL_STEPS),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Growth of engines.")
    parser.add_argument("--engines", nargs="+", default=[BASELINE, OURS, *SELDOM])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", type=float, default=1.0, help="of the workflows that are played")
    options = parser.parse_args()
    print(", ".join(f"{name} {value}" for name, value in machine().items()), flush=True)
    rows: list[Row] = []
    with mock_server(50) as base_url:
        for round_ in range(options.rounds):
            for row in one_round(options.engines, base_url, options.part):
                rows.append(row | {"round": round_})
                print(line(row), flush=True)
    found = {"engines": {engine: summary(engine, rows) for engine in options.engines}}
    for engine, figures in found["engines"].items():
        if figures["growth"] is not None:
            print(f"{engine}: one of 1,000 takes {figures['growth'][0]:.2f} times as much as of 10")
    keep(found)
    if any("failed" in row or wrong(row) for row in rows):
        sys.exit("some engine failed or gave wrong answers: its figures mean nothing")


def one_round(engines: Sequence[str], base_url: str, part: float) -> Iterator[Row]:
    for point in POINTS:
        for engine in engines:
            if (is_rival(engine) or engine in SELDOM) and point.steps != USUAL_STEPS:
                continue
            workflows = max(point.concurrency, round(point.workflows * part), 4)
            env = {
                "MOCK_BASE": base_url,
                "TOTAL": str(workflows),
                "SEQ": "0",
                "CONC": str(point.concurrency),
                "STEPS": str(point.steps),
            }
            yield {"file": engine, **point._asdict(), **measure(engine, interpreter(engine), env)}


def line(row: Row) -> str:
    where = f"{row['file']:<14}{row['concurrency']:>5} at once, {row['steps']} steps"
    if "failed" in row:
        return f"{where}: FAILED: {row['failed']}"
    return (
        f"{where}: {row['cpu_ms_per_workflow']:.2f} CPU ms a workflow, "
        f"{row['peak_rss_mb']:.0f} MB, {row['connections']} connections, "
        f"{row['workflows_per_s']:.0f} workflows/s"
    )


def summary(engine: str, rows: Sequence[Row]) -> Row:
    """An engine's points, medians over the rounds, and its growth from 10 to 1,000 at once."""
    mine = [row for row in rows if row["file"] == engine and "failed" not in row]
    points = []
    for point in POINTS:
        there = [row for row in mine if (row["concurrency"], row["steps"]) == point]
        if there:
            names = ("cpu_ms_per_workflow", "peak_rss_mb", "connections", "workflows_per_s")
            found = {name: statistics.median(row[name] for row in there) for name in names}
            points.append({**point._asdict(), **found})
    growth = [
        of(rows_of_round, 1000) / of(rows_of_round, 10)
        for rows_of_round in by_round(mine)
        if of(rows_of_round, 10) and of(rows_of_round, 1000)
    ]
    spread = [statistics.median(growth), min(growth), max(growth)] if growth else None
    return {"points": points, "growth": spread, "wrong": sum(map(wrong, mine))}


def by_round(rows: Sequence[Row]) -> list[list[Row]]:
    numbers = sorted({row["round"] for row in rows})
    return [[row for row in rows if row["round"] == number] for number in numbers]


def of(rows: Sequence[Row], concurrency: int) -> float:
    """CPU time of a workflow of the usual size with so many at once; 0: it was not measured."""
    for row in rows:
        if (row["concurrency"], row["steps"]) == (concurrency, USUAL_STEPS):
            return float(row["cpu_ms_per_workflow"])
    return 0.0


if __name__ == "__main__":
    main()
