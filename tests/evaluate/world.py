"""Small systems, problems and judges for the tests of the runner."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from partbook.budget import Limits
from partbook.errors import WorkerError
from partbook.evaluate.posed import Posed
from partbook.evaluate.running.calls import CallLog, wanted_but
from partbook.evaluate.running.cell import key_text
from partbook.evaluate.running.desk import whole_budget
from partbook.evaluate.running.results import Results
from partbook.evaluate.running.runner import Ended, Plan, Progress, run
from partbook.evaluate.system import System
from partbook.evaluate.systems.alone import OneWorker
from partbook.evaluate.systems.plans import FixedPlan
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.pool import AgentPool
from partbook.price import Price
from partbook.store import Store
from partbook.tasks.judges.verdict import Verdict
from tests.fakes import pool_of

A_DOLLAR = Price(Decimal(1_000_000), Decimal(0))
"""A dollar for each token read, nothing for those written."""


@dataclass(frozen=True)
class Says:
    """Judges an answer right that contains a text."""

    text: str

    async def judge(self, text: str) -> Verdict:
        right = self.text in text
        return Verdict("right" if right else "wrong", text[:10], f"{self.text!r} was expected")


@dataclass
class Knows:
    """Answers `yes` to the questions that it knows, else `no`; each call reads one token."""

    known: Sequence[str] = ()
    usage: Usage = field(default_factory=lambda: Usage(1, 0))
    asked: list[str] = field(default_factory=list)
    seeds: list[int | None] = field(default_factory=list)
    down: bool = False

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.asked.append(messages[0].text)
        self.seeds.append(sampling.seed)
        if self.down:
            raise WorkerError("the worker is down", usage=Usage(), kind="auth")
        right = any(text in messages[0].text for text in self.known)
        return Completion("yes" if right else "no", self.usage, "knows")


def posed(count: int, pool: AgentPool) -> list[Posed]:
    """Questions `q0`, `q1`, ... that `yes` answers; difficulty 1 and 2 in turn."""
    return [
        Posed(f"t/{i}", "t", f"q{i}?", str(1 + i % 2), "yes", pool, Says("yes"))
        for i in range(count)
    ]


def alone(worker: str) -> OneWorker:
    return OneWorker(f"worker:{worker}", worker)


def chain(*workers: str) -> FixedPlan:
    """Each worker reads all before it."""
    steps = (FixedStep(name, f"part {i}", tuple(range(i))) for i, name in enumerate(workers))
    return FixedPlan("chain", FixedWorkflow("chain", "", tuple(steps)))


@dataclass
class World:
    """A folder in which an evaluation is run again and again."""

    folder: Path
    systems: Sequence[System]
    problems: Sequence[Posed]
    repeats: int = 1
    each: Limits = field(default_factory=Limits)
    usd: Decimal | None = None
    concurrency: int = 4
    progress: list[Progress] = field(default_factory=list)
    replayed: int = 0

    async def run(self) -> tuple[Ended, Results]:
        with (
            Results.open(self.folder, {"task": "t"}) as results,
            Store.open(self.folder / "runs.db") as store,
        ):
            finished = {key_text(key) for key, cell in results.cells.items() if cell.judged}
            log = CallLog.open(self.folder, wanted_but(finished))
            results.begin([one.name for one in self.systems], self.problems, self.repeats)
            plan = Plan(
                self.systems,
                self.problems,
                self.repeats,
                concurrency=self.concurrency,
                each=self.each,
            )
            whole = whole_budget(Limits(usd=self.usd), log)
            try:
                ended = await run(plan, results, log, store, whole, self.progress.append)
            finally:
                log.close()
            self.replayed = log.replayed
        return ended, results


def world(
    folder: Path, *models: ChatModel, count: int = 4, price: Price = A_DOLLAR, **settings: object
) -> World:
    """Each model alone, and all of them in a chain, on `count` problems."""
    pool = pool_of(*models, price=price, retries=0)
    systems = [*(alone(name) for name in pool.names), chain(*pool.names)]
    return World(folder, systems, posed(count, pool), **settings)  # type: ignore[arg-type]
