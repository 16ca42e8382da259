"""Plays workflows on a pool whose models share one core, judges the answers, keeps every result.

Conversations are computed in one batch, several at once: on one core a batch of six takes two to
three times as long as a single one. A result is a line of JSON, written when it is there and never
computed again. Answers of models are kept in the package's cache of completions as well.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partbook.conduct import Proposer, conduct
from partbook.config import load_pool
from partbook.models.cached import Cached, CompletionCache, completions_dir
from partbook.models.calculator import Calculator
from partbook.models.local import LocalModels, LocalSpec
from partbook.models.program import PythonRunner
from partbook.models.registry import model_path
from partbook.pool import AgentPool, Worker
from partbook.price import FREE
from partbook.sandbox import run_program
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem
from partbook.trace import Trace

__all__ = ["Played", "Results", "opened", "play_all"]

SLOTS = 6
CONTEXT = 2048
"""Tokens of one conversation."""


@asynccontextmanager
async def opened(pool_name: str, threads: int = 1) -> AsyncIterator[AgentPool]:
    """A pool of the package with its models opened on few threads."""
    cache = CompletionCache(completions_dir())
    async with LocalModels() as models:
        workers = []
        for spec in load_pool(pool_name).workers:
            spec = replace(spec, price=FREE, timeout_s=3600.0)
            if spec.kind == "local":
                local = models.get(LocalSpec(model_path(spec.model), CONTEXT, SLOTS, threads))
                who = {"kind": spec.kind, "endpoint": spec.endpoint, "model": spec.model}
                worker = Worker(replace(spec, context_window=CONTEXT), Cached(local, cache, who))
            elif spec.kind == "python":
                worker = Worker(spec, PythonRunner(run_program))
            else:
                worker = Worker(spec, Calculator())
            workers.append(worker)
        yield AgentPool(pool_name, tuple(workers))


class Results:
    """A file of results, one a line; each has a key and is there once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[tuple[str, str], dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.rows[row["system"], row["problem"]] = row

    def add(self, row: dict[str, Any]) -> None:
        """Keep a result."""
        self.rows[row["system"], row["problem"]] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class Played:
    """What is to be played: a system on a problem."""

    system: str
    problem: Problem
    proposer: Proposer
    pool: AgentPool


def key_of(problem: Problem) -> str:
    """Names a problem among those of all tasks."""
    return f"{problem.task.removeprefix('gym/')}/{problem.id}"


async def play_all(jobs: Sequence[Played], results: Results, at_once: int = SLOTS) -> None:
    """Play what is not there yet, several at once."""
    gate = asyncio.Semaphore(at_once)
    waiting = [job for job in jobs if (job.system, key_of(job.problem)) not in results.rows]
    done = 0
    began = time.monotonic()

    async def one(job: Played) -> None:
        nonlocal done
        async with gate:
            start = time.monotonic()
            trace = await conduct(job.problem.question.strip(), job.pool, job.proposer)
            row = await _row(job, trace)
            row["wall_s"] = round(time.monotonic() - start, 2)
            results.add(row)
            done += 1
            if done % 10 == 0:
                rate = (time.monotonic() - began) / done
                print(f"{done}/{len(waiting)} {job.system} {rate:.2f} s each", flush=True)

    await asyncio.gather(*(one(job) for job in waiting))


async def _row(job: Played, trace: Trace) -> dict[str, Any]:
    verdict, detail = "failed", trace.detail
    if trace.status == "answered":
        found = await judge_for(job.problem).judge(trace.answer or "")
        verdict, detail = found.outcome, found.reason
    planned = trace.rounds[-1] if trace.rounds else None
    workflow = planned.workflow if planned else None
    steps = planned.steps if planned else ()
    kinds = {worker.name: worker.spec.is_tool for worker in job.pool.workers}
    return {
        "system": job.system,
        "problem": key_of(job.problem),
        "verdict": verdict,
        "detail": detail[:120],
        "answer": (trace.answer or "")[:200],
        "workflow": [[job.pool.names[s.worker], s.subtask, list(s.access)] for s in workflow.steps]
        if workflow
        else None,
        "source": planned.source if planned else None,
        "calls": sum(not kinds[step.worker] for step in steps),
        "finish": [step.finish_reason for step in steps],
        "texts": [(step.answer or "")[:600] for step in steps],
    }
