"""Which systems one prompt is put to, and how they answer it at once within one limit.

A system is one worker alone, a fixed workflow, or a Conductor. All of them share the opened pool,
and a budget in which the worst case of each call is held before it is made, so that systems that
run at the same time cannot exceed `--max-usd` together. Each run is kept as a run of its own.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from partbook.budget import Budget, Budgeted, Limits
from partbook.cli.asking import check_prices
from partbook.cli.choosing import Choice, choose
from partbook.cli.opening import closed_pool, opened_pool
from partbook.cli.selecting import EVERYBODY, Selection
from partbook.conduct import Conductor, Proposer, conduct
from partbook.config import PoolConfig, load_workflow, workflow_names
from partbook.errors import ConfigError, PartbookError, StoreError
from partbook.event import Event
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.pool import AgentPool, Worker
from partbook.store import Store, Tags
from partbook.trace import Trace, TraceBuilder

__all__ = ["Room", "System", "opened_room", "usual_systems", "wished_systems"]

_FORMS = "single:WORKER, workflow:NAME (or a .toml file), conductor, conductor:WHO"

ALONE = "Answer the question."
"""The part of a worker alone: the words of the workflow `single`."""

OnSystem = Callable[[int, Event], None]
"""Hears an event of the system with this number."""


@dataclass(frozen=True, slots=True)
class System:
    """Something that answers a prompt."""

    name: str
    """As it is asked for: `single:gpt-5`, `workflow:panel`, `conductor`."""
    choice: Choice


def wished_systems(
    wishes: Sequence[str], whole: PoolConfig, selection: Selection = EVERYBODY
) -> list[System]:
    """Read `--systems`.

    Args:
        wishes: lists separated by commas.
        whole: what the pool file says.
        selection: who may be called.

    Raises:
        ConfigError: one of them is unknown or cannot be played on the pool, one is named twice, or
            there are fewer than two.
    """
    names = [name.strip() for wish in wishes for name in wish.split(",") if name.strip()]
    systems = [_system(name, whole, selection) for name in names]
    if len({system.name for system in systems}) < len(systems):
        raise ConfigError(f"--systems: each system once was expected, found {', '.join(names)}")
    if len(systems) < 2:
        raise ConfigError(f"--systems: at least two were expected, of {_FORMS}")
    return systems


def usual_systems(whole: PoolConfig, selection: Selection = EVERYBODY) -> list[System]:
    """The first worker for anything alone, beside what the pool does where nothing is asked for.

    Where the pool itself asks one worker, the second is the first workflow of several steps that
    comes along and that the pool can play.

    Raises:
        ConfigError: the pool has no language model, or nothing to hold it against.
    """
    config = selection.of(whole)
    single = _system(f"single:{_first_worker(config)}", whole, selection)
    if config.conductor:
        return [single, _system("conductor", whole, selection)]
    names = [*([config.workflow] if config.workflow else []), "chain", *workflow_names()]
    pool = closed_pool(config)
    for name in names:
        workflow = load_workflow(name)
        if len(workflow.steps) > 1 and workflow.fits(pool):
            return [single, _system(f"workflow:{name}", whole, selection)]
    raise ConfigError(
        f"pool {config.name!r} can play no workflow of several steps that comes along; say what to "
        f"compare with --systems, of {_FORMS}"
    )


def _first_worker(config: PoolConfig) -> str:
    models = [spec for spec in config.workers if spec.is_model]
    if not models:
        raise ConfigError(f"pool {config.name!r} has no language model that could answer alone")
    return next((spec for spec in models if "general" in spec.roles), models[0]).name


def _system(name: str, whole: PoolConfig, selection: Selection) -> System:
    kind, _, who = name.partition(":")
    match kind:
        case "single" if who:
            config = selection.of(whole)
            worker = config.workers[closed_pool(config).find(who)].name
            fixed = FixedWorkflow("single", "One worker answers.", (FixedStep(worker, ALONE),))
            choice = Choice(fixed, "", None, None, config.show_names)
            name = f"single:{worker}"
        case "workflow" if who:
            choice = choose(whole, who, None, selection)
        case "conductor":
            choice = choose(whole, None, who or _conductor_of(whole), selection)
        case _:
            raise ConfigError(f"--systems: one of {_FORMS} was expected, found {name!r}")
    choice.needed(selection.of(whole))  # refuses roles that nobody has
    return System(name, choice)


def _conductor_of(whole: PoolConfig) -> str:
    if not whole.conductor:
        raise ConfigError(
            f"--systems: pool {whole.name!r} names no Conductor; say who: conductor:WHO"
        )
    return whole.conductor


@dataclass(frozen=True, slots=True)
class Room:
    """An opened pool, and the systems that answer on it."""

    pool: AgentPool
    systems: Sequence[System]
    proposers: Sequence[Proposer]
    limits: Limits
    """Of each system and prompt."""
    budget: Budget
    """Of everything together, what judges take included."""
    store: Store

    async def play(
        self,
        question: str,
        *,
        at_once: bool = True,
        on_event: OnSystem | None = None,
    ) -> list[Trace]:
        """Put a prompt to every system, and keep the runs.

        Returns:
            A trace for each system, whatever came of it.

        Raises:
            ConfigError: the pool and a system do not go together.
            StoreError: a run cannot be kept.
        """
        if not at_once:
            return [await self._one(i, question, on_event) for i in range(len(self.systems))]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._one(i, question, on_event))
                    for i in range(len(self.systems))
                ]
        except BaseExceptionGroup as failed:
            if isinstance(first := failed.exceptions[0], PartbookError):
                raise first from failed
            raise
        return [task.result() for task in tasks]

    async def _one(self, i: int, question: str, on_event: OnSystem | None) -> Trace:
        so_far = TraceBuilder()
        journal = self.store.journal()

        def hear(event: Event) -> None:
            so_far.add(event)
            if on_event is not None:
                on_event(i, event)

        try:
            trace = await conduct(
                question,
                self.pool,
                self.proposers[i],
                limits=self.limits,
                on_event=hear,
                journal=journal.add,
            )
        except (asyncio.CancelledError, ConfigError, StoreError):
            if so_far.started is not None:
                self._keep(i, so_far.build())
                journal.discard()
            raise
        self._keep(i, trace)
        journal.discard()
        return trace

    def _keep(self, i: int, trace: Trace) -> None:
        self.store.save(trace, Tags(label=self.systems[i].name))


@asynccontextmanager
async def opened_room(
    config: PoolConfig,
    systems: Sequence[System],
    limits: Limits,
    store: Store,
    *,
    judge: str | None = None,
    prices: Path | None = None,
) -> AsyncIterator[Room]:
    """Open whatever the systems call.

    Args:
        config: those of the pool who may be called.
        systems: who answers.
        limits: dollars are those of everything together, all else is for each system and prompt.
        store: where the runs are kept.
        judge: the name of a worker that is called, too.
        prices: the file of one's own prices.

    Raises:
        ConfigError: a key, a model, a package or a price is missing; nobody was called.
    """
    needed = _needed(config, systems, judge)
    budget = Budget(Limits(usd=limits.usd, assumed_price=limits.assumed_price))
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(opened_pool(config, needed, prices=prices))
        pool = AgentPool(opened.name, tuple(_counted(worker, budget) for worker in opened.workers))
        proposers = []
        for system in systems:
            proposer = await stack.enter_async_context(system.choice.opened(pool, prices=prices))
            check_prices(pool, needed, limits, proposer)
            if isinstance(proposer, Conductor) and system.choice.outside is not None:
                # One from the pool is counted already.
                model = Budgeted(proposer.model, budget, proposer.price)
                proposer = replace(proposer, model=model)
            proposers.append(proposer)
        yield Room(pool, systems, proposers, replace(limits, usd=None), budget, store)


def _needed(config: PoolConfig, systems: Sequence[System], judge: str | None) -> set[str] | None:
    needed: set[str] = set() if judge is None else {judge}
    for system in systems:
        called = system.choice.needed(config)
        if called is None:
            return None
        needed |= called
    return needed


def _counted(worker: Worker, budget: Budget) -> Worker:
    spec = worker.spec
    return replace(worker, model=Budgeted(worker.model, budget, spec.price, spec.is_tool))
