"""Partbook from Python: ask, evaluate, draw. `import partbook` offers it beside the values.

It opens pools and Conductors as the commands do, and leaves out what belongs to a command: no
output, no journal, no store of runs. What asks is `async`, because a notebook awaits; a script
says `asyncio.run(partbook.ask(...))`. Mistakes that the caller can mend are `ConfigError`, whose
words may name the option of the command that means the same.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from pathlib import Path

from rich.console import Console

from partbook.budget import Limits
from partbook.cli.asking import check_prices
from partbook.cli.choosing import Choice, choose
from partbook.cli.evaluate_run import Evaluation, Settings
from partbook.cli.evaluate_screen import ProgressLine
from partbook.cli.opening import opened_pool
from partbook.cli.score import score
from partbook.conduct import Fixed, Proposer, conduct, plan
from partbook.config import PoolConfig, load_pool
from partbook.errors import ConfigError
from partbook.evaluate.reporting.report import as_markdown
from partbook.evaluate.reporting.summary import Summary, summarise
from partbook.evaluate.running.protocol import Protocol, TaskRequest
from partbook.evaluate.running.runner import Progress
from partbook.evaluate.systems.asking import Given
from partbook.event import OnEvent
from partbook.fixed import FixedWorkflow
from partbook.pool import AgentPool
from partbook.rounds import StopRule
from partbook.trace import Trace
from partbook.workflow import Workflow

__all__ = ["Orchestra", "ask", "draw", "evaluate_systems", "opened", "report"]

AnyPool = str | Path | PoolConfig | AgentPool
"""A pool that comes along by name, a file, what a file says, or one whose workers can be called."""

AnyWorkflow = str | Path | FixedWorkflow | Workflow | None
"""A workflow that comes along by name, a file, what a file says, or steps that number workers."""

WIDTH = 100
"""Columns of a drawing."""


@dataclass(frozen=True, slots=True)
class Orchestra:
    """A pool that can be called, and who settles its workflows."""

    pool: AgentPool
    proposer: Proposer

    async def ask(
        self,
        question: str,
        *,
        limits: Limits | None = None,
        stop: StopRule | None = None,
        on_event: OnEvent | None = None,
    ) -> Trace:
        """Answer a question.

        Args:
            question: not blank.
            limits: what it may spend, and how many rounds it may have.
            stop: when another round follows, where the limits allow one.
            on_event: told of everything as it happens.

        Returns:
            The trace, whatever happened: `trace.answer` is None where there is no answer, and
            `trace.detail` says why.

        Raises:
            ConfigError: the limits do not go with the pool; nobody was called.
        """
        limits = limits or Limits()
        check_prices(self.pool, None, limits, self.proposer)
        return await conduct(
            question, self.pool, self.proposer, limits=limits, on_event=on_event, stop=stop
        )

    async def plan(self, question: str, *, limits: Limits | None = None) -> Workflow:
        """The workflow for a question; no worker is called.

        Raises:
            ParseError: the Conductor's text holds no workflow, and there is none to fall back to.
            WorkerError, BudgetError, ConfigError: it could not be asked.
        """
        return (await plan(question, self.pool, self.proposer, limits=limits)).workflow


@asynccontextmanager
async def opened(
    pool: AnyPool = "embedded", *, workflow: AnyWorkflow = None, conductor: str | None = None
) -> AsyncIterator[Orchestra]:
    """A pool and who settles its workflows, opened once for many questions.

    Args:
        pool: who may be called.
        workflow: played for every question.
        conductor: who writes the workflow instead: a worker of the pool, or as `--conductor` takes
            it. Neither: what the pool's file says.

    Raises:
        ConfigError: something is missing or does not go together; nobody was called.
    """
    config = _config(pool)
    who = _who(config, workflow, conductor)
    async with AsyncExitStack() as stack:
        if isinstance(pool, AgentPool):
            players = pool
        else:
            needed = who.needed(config) if isinstance(who, Choice) else None
            players = await stack.enter_async_context(opened_pool(config, needed))
        if isinstance(who, Choice):
            yield Orchestra(players, await stack.enter_async_context(who.opened(players)))
        else:
            yield Orchestra(players, who)


async def ask(
    question: str,
    pool: AnyPool = "embedded",
    *,
    workflow: AnyWorkflow = None,
    conductor: str | None = None,
    limits: Limits | None = None,
    stop: StopRule | None = None,
    on_event: OnEvent | None = None,
) -> Trace:
    """Answer one question; as `opened`, then `Orchestra.ask`."""
    async with opened(pool, workflow=workflow, conductor=conductor) as orchestra:
        return await orchestra.ask(question, limits=limits, stop=stop, on_event=on_event)


async def evaluate_systems(
    tasks: str | Sequence[str],
    systems: str,
    folder: str | Path,
    *,
    pool: str = "embedded",
    limit: int | None = None,
    split: str = "test",
    conductor: str = "",
    policy: str = "",
    repeats: int = 1,
    seed: int = 0,
    match: str = "",
    max_usd: Decimal | None = None,
    focus: str | None = None,
) -> Summary:
    """Compare systems on the same problems, as `partbook evaluate` does; resumable.

    Args:
        tasks: `lab`, tasks of `partbook task list`, `gym/NAME`, or task files.
        systems: as `--systems` takes them (docs/systems.md).
        folder: where the results are kept; the same call goes on with them and pays nothing twice.
        pool: the workers; the lab has its own.
        limit: most problems of each task.
        split: which problems of each task.
        conductor: who conducts in `prompted`; as `--conductor`.
        policy: who conducts in `trained`; likewise.
        repeats: how often each problem is asked.
        seed: of the problems and of all draws.
        match: what each system may spend on a problem; as `--match`.
        max_usd: what the whole evaluation may cost.
        focus: the system that the others are compared with; None: the first that conducts.

    Returns:
        What was found; `report` shows it. `summary.missing` counts what could not be judged, which
        the same call tries again.

    Raises:
        ConfigError: something only the caller can mend.
    """
    named = (tasks,) if isinstance(tasks, str) else tuple(tasks)
    protocol = Protocol(
        tuple(TaskRequest(name, split, limit) for name in named),
        systems,
        pool,
        conductor=conductor,
        policy=policy,
        repeats=repeats,
        seed=seed,
        match=match,
        max_usd=max_usd,
    )
    evaluation = Evaluation.of(protocol, Settings())
    _, results = await evaluation.run(Path(folder), _Silent())
    return summarise(results, focus)


def draw(played: Trace | Workflow, workers: Sequence[str] = (), width: int = WIDTH) -> str:
    """A workflow as a score, in text: a row per worker, a column per wave, lines for access lists.

    Args:
        played: a run, whose last round is drawn, or a workflow.
        workers: for a workflow, the names of the pool's workers.
        width: columns.

    Returns:
        The drawing; empty for a run that has no workflow.
    """
    if isinstance(played, Trace):
        rounds = [one for one in played.rounds if one.workflow is not None]
        if not rounds or rounds[-1].workflow is None:
            return ""
        drawn = score(rounds[-1].workflow, played.workers, rounds[-1].steps)
    else:
        drawn = score(played, workers)
    paper = Console(file=StringIO(), width=width, color_system=None, force_jupyter=False)
    with paper.capture() as captured:
        paper.print(drawn)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def report(summary: Summary) -> str:
    """What an evaluation found, as Markdown: the table, the comparisons, what may be said."""
    return as_markdown(summary)


def _config(pool: AnyPool) -> PoolConfig:
    if isinstance(pool, AgentPool):
        return PoolConfig(pool.name, "", tuple(worker.spec for worker in pool.workers))
    return pool if isinstance(pool, PoolConfig) else load_pool(str(pool))


def _who(config: PoolConfig, workflow: AnyWorkflow, conductor: str | None) -> Proposer | Choice:
    """Who settles the workflow: known already, or to be opened."""
    if isinstance(workflow, Workflow | FixedWorkflow):
        if conductor is not None:
            raise ConfigError("give a workflow or a conductor, not both")
        if isinstance(workflow, FixedWorkflow):
            return Fixed(workflow)
        workflow.check_workers(len(config.workers))
        return Given(workflow)
    if workflow is None and conductor is None and not (config.workflow or config.conductor):
        raise ConfigError(
            f"pool {config.name!r} says nothing about who settles the workflow; give workflow=... "
            "or conductor=..."
        )
    return choose(config, None if workflow is None else str(workflow), conductor)


class _Silent(ProgressLine):
    """Shows no progress: a library prints nothing."""

    def show(self, progress: Progress) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""
