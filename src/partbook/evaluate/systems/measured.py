"""What the workers did, each alone, on the problems of another split: where routers learn from.

The best single worker is chosen on it, the learned routers are fitted to it, and the label-free one
reads its answers and nothing else. It must not come from the problems that are reported on. A
`Trial` plays and judges one workflow on one of these problems; who pays for it, is its business.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple, Self

from partbook.errors import ConfigError
from partbook.evaluate.posed import Posed
from partbook.evaluate.system import Play
from partbook.evaluate.systems.asking import Given, language_models
from partbook.evaluate.systems.wording import DEFAULT_WORDING, Wording
from partbook.pool import AgentPool
from partbook.workflow import Step, Workflow

__all__ = ["Measured", "Trial", "Tried", "measure", "posed_trial"]


class Tried(NamedTuple):
    """What came of playing a workflow on a problem."""

    right: bool | None
    """None: not judged, because of an outage or a judge that could not say."""
    cost_usd: float
    """Of all calls; 0 where it is unknown."""
    answer: str = ""


Trial = Callable[[int, Workflow], Coroutine[None, None, Tried]]
"""Plays a workflow on the problem of this index, and judges the answer."""


def posed_trial(problems: Sequence[Posed], pool: AgentPool, play: Play) -> Trial:
    """A trial that plays on a pool and asks each problem's own judge.

    A run that did not end by itself is not judged: who is measured here, is a worker, and an
    outage says nothing about it.

    Args:
        problems: of another split than that which is reported on.
        pool: numbers the workers, whatever order a problem has them in.
        play: conducts, under whatever limits there are.
    """

    async def trial(index: int, workflow: Workflow) -> Tried:
        posed = problems[index]
        trace = await play(posed.question, pool, Given(workflow))
        cost_usd, answer = float(trace.cost_usd or 0), trace.answer or ""
        if trace.status != "answered":
            return Tried(None, cost_usd, answer)
        verdict = await posed.judge.judge(answer)
        right = None if verdict.outcome == "not judged" else verdict.outcome == "right"
        return Tried(right, cost_usd, answer)

    return trial


@dataclass(frozen=True, slots=True)
class Measured:
    """Every worker alone on every problem."""

    workers: tuple[str, ...]
    """Names, in the order of the columns."""
    questions: tuple[str, ...]
    """In the order of the rows."""
    right: tuple[tuple[bool | None, ...], ...]
    """Shape (questions, workers); None: not judged."""
    cost_usd: tuple[tuple[float, ...], ...]
    """Likewise."""
    answers: tuple[tuple[str, ...], ...]
    """Likewise."""

    def __post_init__(self) -> None:
        shapes = {len(table) for table in (self.right, self.cost_usd, self.answers)}
        widths = {len(row) for table in (self.right, self.cost_usd, self.answers) for row in table}
        if not self.questions or not self.workers:
            raise ConfigError("nothing was measured: at least one problem and one worker is needed")
        if shapes != {len(self.questions)} or widths != {len(self.workers)}:
            raise ConfigError(
                f"a figure for each of {len(self.questions)} problems and {len(self.workers)} "
                f"workers was expected, found {sorted(shapes)} rows of {sorted(widths)}"
            )

    def accuracy(self, worker: str) -> float:
        """Share of a worker's judged answers that are right; 0 where none was judged."""
        column = self.workers.index(worker)
        judged = [row[column] for row in self.right if row[column] is not None]
        return sum(map(bool, judged)) / max(1, len(judged))

    def best(self) -> str:
        """The worker that is right most often; of equally good ones the cheapest, then the first.

        The best of several on a sample is on average worse than it looks there.
        """
        return min(self.workers, key=lambda name: (-self.accuracy(name), self._spent(name)))

    def check_pool(self, pool: AgentPool) -> None:
        """Refuse figures of other workers than these.

        Raises:
            ConfigError: says which workers differ.
        """
        missing = [name for name in self.workers if name not in pool.names]
        if missing:
            raise ConfigError(
                f"the measured workers {', '.join(missing)} are not in pool {pool.name!r}, whose "
                f"workers are {', '.join(pool.names)}; measure this pool"
            )

    def to_json(self) -> str:
        """As JSON, for `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises:
            ConfigError: it is something else.
        """
        try:
            data = json.loads(text)
            return cls(
                tuple(map(str, data["workers"])),
                tuple(map(str, data["questions"])),
                tuple(tuple(None if x is None else bool(x) for x in row) for row in data["right"]),
                tuple(tuple(map(float, row)) for row in data["cost_usd"]),
                tuple(tuple(map(str, row)) for row in data["answers"]),
            )
        except (ValueError, TypeError, KeyError) as err:
            raise ConfigError(f"this is no table of measured workers: {err}") from err

    def _spent(self, worker: str) -> float:
        column = self.workers.index(worker)
        return sum(row[column] for row in self.cost_usd)


async def measure(
    questions: Sequence[str],
    pool: AgentPool,
    trial: Trial,
    wording: Wording = DEFAULT_WORDING,
    workers: Sequence[str] | None = None,
    concurrency: int = 16,
) -> Measured:
    """Ask every worker every question: one call each.

    Args:
        questions: of the problems that the trial knows by these indices.
        pool: whom the trial plays on.
        trial: plays and judges.
        wording: how a worker is told to answer.
        workers: their names; None: all of the pool that generate text.
        concurrency: trials at once, at least 1.
    """
    if workers is None:
        workers = [pool.names[i] for i in language_models(pool)]
    plans = [Workflow((Step(pool.find(name), wording.answer),)) for name in workers]
    turns = asyncio.Semaphore(concurrency)

    async def one(index: int, plan: Workflow) -> Tried:
        async with turns:
            return await trial(index, plan)

    async with asyncio.TaskGroup() as group:
        rows = [
            [group.create_task(one(index, plan)) for plan in plans]
            for index in range(len(questions))
        ]
    table = [[task.result() for task in row] for row in rows]
    return Measured(
        tuple(workers),
        tuple(questions),
        tuple(tuple(tried.right for tried in row) for row in table),
        tuple(tuple(tried.cost_usd for tried in row) for row in table),
        tuple(tuple(tried.answer for tried in row) for row in table),
    )
