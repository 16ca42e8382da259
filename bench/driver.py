"""Measures one engine on the mock server, and prints what it found as one line of JSON.

An engine is a module with `async def setup(base_url, limit)` that returns `async def run(i)`, which
plays the workflow once and returns its final text; it ends in `main(NAME, setup)`. `limit` is the
number of workflows that will run at once.

The workflow is the same for all: `P1` to model `w1` and `P2` to model `w2`, independent of each
other, then `last_prompt(a, b)` to model `w3`. With 50 ms a call it cannot take less than 100 ms.
Engines that look at `STEPS` also play a workflow of another size: `PARTS`, independent of each
other, then one step more that reads all their answers.

Environment: `MOCK_BASE` (base URL of the mock server), `TOTAL` (workflows of the concurrent part),
`SEQ` (of the sequential part, which may be 0), `CONC` (workflows at once), `STEPS` (1 to 5),
`COLLECT` (`seldom`: the garbage collector is set as in Partbook's commands).
"""

import asyncio
import json
import os
import resource
import statistics
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

Run = Callable[[int], Awaitable[str]]
Setup = Callable[[str, int], Awaitable[Run]]

BASE = os.environ.get("MOCK_BASE", "http://127.0.0.1:18080/v1")

STEPS = int(os.environ.get("STEPS", "3"))

P1 = "Subtask 1: compute the first part of the problem. Problem: " + "x" * 400
P2 = "Subtask 2: compute the second part of the problem. Problem: " + "y" * 400
P3 = "Subtask 3: combine the earlier answers into a final one."

PARTS = tuple((f"w{i + 1}", (P1, P2)[i % 2]) for i in range(STEPS - 1))
"""Model and prompt of each step but the last."""

LAST = f"w{STEPS}"
"""The model of the last step."""

SHORTEST_MS = 100
"""Two calls of 50 ms one after the other: what no engine can beat."""

WARM_UP = 4
"""Workflows played before anything is measured."""


def last_prompt(*answers: str) -> str:
    """The last step's prompt: its subtask and all earlier answers."""
    return P3 + "".join(f"\n<answer id={i}>{text}</answer>" for i, text in enumerate(answers, 1))


def oai(base_url: str) -> Any:
    """A client of the openai SDK; with `AIOHTTP=1` on its aiohttp transport."""
    import openai  # noqa: PLC0415 - only the engines that use it have it installed

    options: dict[str, Any] = {}
    if os.environ.get("AIOHTTP"):
        options["http_client"] = openai.DefaultAioHttpClient()
    return openai.AsyncOpenAI(base_url=base_url, api_key="x", max_retries=2, timeout=60, **options)


def main(name: str, setup: Setup) -> None:
    """Measure an engine."""
    if os.environ.get("AIOHTTP"):
        name += " [aiohttp transport]"
    total, seq, conc = (
        int(os.environ.get(key, default))
        for key, default in (("TOTAL", "2000"), ("SEQ", "40"), ("CONC", "200"))
    )
    if os.environ.get("COLLECT") == "seldom":
        from partbook.collector import collect_seldom  # noqa: PLC0415 - rivals do not have it

        collect_seldom()
        name += ", garbage collected seldom"
    allow_connections()
    asyncio.run(bench(name, setup, total, seq, conc))


def allow_connections() -> None:
    """Let this process have as many open connections as the system lets it have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def bench(name: str, setup: Setup, total: int, seq: int, conc: int) -> None:
    run = await setup(BASE, conc)
    for i in range(WARM_UP):
        text = await run(i)
        assert "42" in text, f"wrong answer: {text!r}"

    cpu_s = _cpu_s()
    latencies_ms = []
    for i in range(seq):
        begun = time.perf_counter()
        await run(i)
        latencies_ms.append((time.perf_counter() - begun) * 1000)
    seq_cpu_ms = (_cpu_s() - cpu_s) / max(seq, 1) * 1000
    median_ms = statistics.median(latencies_ms) if latencies_ms else 0.0

    _ask(f"/reset?answers={STEPS - 1}")
    cpu_s, begun = _cpu_s(), time.perf_counter()
    errors = await _run_at_once(run, total, conc)
    wall_s, cpu_s = time.perf_counter() - begun, _cpu_s() - cpu_s
    stats = _ask("/stats")
    print(
        json.dumps(
            {
                "engine": name,
                "seq_median_ms": round(median_ms, 2),
                "seq_overhead_ms": round(median_ms - SHORTEST_MS, 2),
                "seq_cpu_ms_per_workflow": round(seq_cpu_ms, 3),
                "cpu_ms_per_workflow": round(cpu_s / total * 1000, 3),
                "workflows_per_s": round(total / wall_s, 1),
                "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
                "errors": len(errors),
                "first_error": repr(errors[0])[:300] if errors else None,
                "requests_missing": STEPS * total - stats["requests"],
                "last_steps_blind": total - stats["saw_all"],
                "peak_in_flight": stats["peak_in_flight"],
                "connections": stats["connections"],
            }
        ),
        flush=True,
    )


async def _run_at_once(run: Run, total: int, conc: int) -> list[BaseException]:
    """Play `total` workflows, at most `conc` at once.

    A lane ends at its first error, so that no wrapper around every workflow is needed and measured;
    new lanes then play what is left.
    """
    numbers = iter(range(total))
    errors: list[BaseException] = []
    while True:
        lanes = [asyncio.create_task(_lane(run, numbers)) for _ in range(conc)]
        await asyncio.wait(lanes)
        failed = [error for lane in lanes if (error := lane.exception())]
        errors += failed
        if not failed:
            return errors


async def _lane(run: Run, numbers: Iterator[int]) -> None:
    for i in numbers:
        await run(i)


def _ask(path: str) -> dict[str, int]:
    with urllib.request.urlopen(BASE.removesuffix("/v1") + path) as reply:
        return json.load(reply)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
