"""The budget under adversarial schedules: requests that share one budget, in virtual time.

The long form plays as many schedules as `BUDGET_SCHEDULES` says, with fresh randomness:
`make budget-test`.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partbook.budget import Limits
from partbook.conduct import Conductor, conduct
from partbook.errors import FaultKind, PartbookError
from partbook.event import Event
from partbook.execute import play
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Sampling
from partbook.models.limited import Limited
from partbook.perform import GO_ON
from partbook.pool import AgentPool, OnOverflow, OnTruncated, Worker, WorkerSpec
from partbook.price import Price
from partbook.resume import MOST_TO_GO_ON, can_go_on
from partbook.stage import Stage
from partbook.store.journal import Journal
from partbook.store.slots import Slots
from partbook.store.unfinished import claim, unfinished_runs
from partbook.trace import Trace
from tests.cut_short import Killed
from tests.schedules import Call, Kind, Provider, Watched, World, in_virtual_time

LONG = int(os.environ.get("BUDGET_SCHEDULES", "0"))
SHORT = 250
ROUND = 2000
"""Examples of one search: it remembers all of them, and memory has an end."""
SEARCH = settings(
    max_examples=min(LONG, ROUND) or SHORT,
    derandomize=not LONG,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def searched(search: Callable[[], None]) -> None:
    """Search once, or as often as the long form asks."""
    for _ in range(max(LONG // ROUND, 1)):
        search()


FALLBACK = FixedWorkflow("single", "", (FixedStep("w0", "answer"),))
WORKERS = 3


@dataclass(frozen=True)
class Request:
    """One question: its workflow, how often it is conducted, and when its caller gives up."""

    plan: str
    """What the Conductor writes."""
    rounds: int
    starts: int
    """Virtual seconds."""
    gives_up: int | None
    cancelled: bool
    """Whether giving up is a cancellation, else a deadline."""


@dataclass(frozen=True)
class Schedule:
    """Everything that is decided beforehand."""

    limits: Limits
    prices: tuple[Price, ...]
    max_tokens: tuple[int, ...]
    turns: tuple[int, ...]
    """Calls of a worker at once."""
    calls: tuple[Call, ...]
    requests: tuple[Request, ...]
    patience: tuple[tuple[int, OnTruncated, OnOverflow, tuple[str, ...]], ...]
    """Of each worker: retries, what it does about cut and long texts, and its fallbacks."""
    seed: int
    """Of the jitter between tries."""
    kills: tuple[tuple[int, bool], ...] = ()
    """After how many events each life of the process ends, and whether the last is kept."""


def few(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


def dollars(high: int) -> st.SearchStrategy[Decimal]:
    return st.integers(0, high).map(lambda cents: Decimal(cents) / 100)


PRICES = st.builds(
    Price,
    # The last one has more digits than a sum in Python's usual context keeps.
    input_usd=st.sampled_from([Decimal(0), Decimal("0.15"), Decimal(3), Decimal(1).exp()]),
    output_usd=st.sampled_from([Decimal(0), Decimal("0.6"), Decimal(15)]),
    cached_usd=st.sampled_from([None, Decimal(0), Decimal("0.075"), Decimal(7)]),
)


@st.composite
def plans(draw: st.DrawFn) -> str:
    size = draw(few(0, 4))
    if size == 0:
        return "no workflow at all"
    workers = [draw(few(0, WORKERS - 1)) for _ in range(size)]
    access = [sorted(draw(st.sets(few(0, i - 1), max_size=i)) if i else set()) for i in range(size)]
    return f"model_id = {workers}\nsubtasks = {['do it'] * size}\naccess_list = {access}"


def calls(kinds: tuple[Kind, ...], low: int) -> st.SearchStrategy[tuple[Call, ...]]:
    call = st.builds(
        Call,
        kind=st.sampled_from(kinds),
        delay=few(0, 4),
        prompt=few(low, 4),
        cached=few(0, 4),
        completion=few(low, 4),
        fault=st.sampled_from(sorted(set(get_args(FaultKind)) - {"unavailable"})),
        retry_after_s=st.none() | st.sampled_from([0.0, 2.0, 90.0]),
        cut=st.booleans(),
    )
    return st.lists(call, min_size=1, max_size=14).map(tuple)


def schedules(kinds: tuple[Kind, ...], low: int = 0) -> st.SearchStrategy[Schedule]:
    def each(of: st.SearchStrategy) -> st.SearchStrategy:
        return st.tuples(*[of] * (WORKERS + 1))

    request = st.builds(
        Request,
        plan=plans(),
        rounds=few(1, 3),
        starts=few(0, 3),
        gives_up=st.none() | few(0, 12),
        cancelled=st.booleans(),
    )
    limits = st.builds(
        Limits,
        usd=st.none() | dollars(25),
        calls=st.none() | few(0, 12),
        tokens=st.none() | few(0, 40_000),
    )
    patience = st.tuples(
        few(0, 3),
        st.sampled_from(get_args(OnTruncated)),
        st.sampled_from(get_args(OnOverflow)),
        st.lists(st.sampled_from(["w0", "w1", "w2"]), max_size=2, unique=True).map(tuple),
    )
    return st.builds(
        Schedule,
        patience=each(patience),
        seed=few(0, 9),
        kills=st.lists(st.tuples(few(0, 12), st.booleans()), max_size=2).map(tuple),
        limits=limits,
        prices=each(PRICES),
        max_tokens=each(few(1, 500)),
        turns=each(few(1, 3)),
        calls=calls(kinds, low),
        requests=st.lists(request, min_size=1, max_size=3).map(tuple),
    )


def pool_of(schedule: Schedule, world: World) -> AgentPool:
    """The workers; the Conductor, the last of the lists, is not among them."""
    workers = []
    for i in range(WORKERS):
        retries, on_truncated, on_overflow, fallbacks = schedule.patience[i]
        spec = WorkerSpec(
            name=f"w{i}",
            kind="http",
            retries=retries,
            on_truncated=on_truncated,
            on_overflow=on_overflow,
            fallbacks=tuple(name for name in fallbacks if name != f"w{i}"),
            sampling=Sampling(max_tokens=schedule.max_tokens[i]),
            price=schedule.prices[i],
        )
        model = Limited(Provider(world, schedule.prices[i]), schedule.turns[i])
        workers.append(Worker(spec, model))
    return AgentPool("test", tuple(workers))


def conductor_of(request: Request, schedule: Schedule, world: World) -> Conductor:
    return Conductor(
        Limited(Provider(world, schedule.prices[-1], request.plan), schedule.turns[-1]),
        Sampling(max_tokens=schedule.max_tokens[-1]),
        schedule.prices[-1],
        fallback=FALLBACK,
        retries=schedule.patience[-1][0],
    )


async def conducted(request: Request, stage: Stage, schedule: Schedule, world: World) -> str:
    """One request, as `conduct` would play it, round after round on one budget."""
    conductor = conductor_of(request, schedule, world)
    await asyncio.sleep(request.starts)
    deadline = None if request.cancelled else request.gives_up
    try:
        async with asyncio.timeout(deadline):
            for round_index in range(request.rounds):
                planned = await conductor.propose(stage, round_index)
                await play(planned.workflow, stage, round_index)
        return "answered"
    except (PartbookError, TimeoutError, RuntimeError, ExceptionGroup) as err:
        return type(err).__name__


async def all_of(schedule: Schedule, budget: Watched, world: World) -> list[str]:
    pool = pool_of(schedule, world)
    loop = asyncio.get_running_loop()
    rng = random.Random(schedule.seed)
    stage = Stage("q", pool, budget, lambda event: None, loop.time, rng=rng)
    tasks = []
    for request in schedule.requests:
        task = asyncio.create_task(conducted(request, stage, schedule, world))
        tasks.append(task)
        if request.cancelled and request.gives_up is not None:
            loop.call_later(request.gives_up, task.cancel)
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return [end if isinstance(end, str) else type(end).__name__ for end in ends]


def played(schedule: Schedule) -> tuple[Watched, World, list[str]]:
    world = World(schedule.calls)
    budget = Watched(schedule.limits, world=world)
    return budget, world, in_virtual_time(all_of(schedule, budget, world))


EVERY_END = {"answered", "BudgetError", "WorkerError", "TimeoutError", "CancelledError"}


def test_no_schedule_exceeds_a_limit_or_leaves_anything_reserved():
    ends: Counter[str] = Counter()

    @SEARCH
    @given(schedules(tuple(kind for kind in get_args(Kind) if kind != "overruns")))
    def search(schedule: Schedule) -> None:
        # `Watched` checks limits and sums after every movement.
        budget, world, end = played(schedule)
        ends.update(end)

        assert not budget.open
        assert budget.settled == budget.granted
        assert world.arrived <= budget.granted, "a refusal makes no call"
        # What is really billed, known to us or not, is within what is booked: so in the limits.
        limits = schedule.limits
        if limits.tokens is not None or limits.usd is not None:
            assert world.billed_tokens <= budget.tokens
            assert world.billed_usd <= Fraction(budget.usd)

    searched(search)
    print(f"{ends.total()} requests: {dict(ends)}")  # noqa: T201
    assert set(ends) >= EVERY_END, "a search that never gets there finds nothing"


def test_what_a_provider_writes_beyond_its_limit_is_booked_and_then_nothing_is_granted():
    @SEARCH
    @given(schedules(get_args(Kind)))
    def search(schedule: Schedule) -> None:
        # `Watched` checks after every grant that the limits still hold.
        budget, world, _ = played(schedule)

        limits = schedule.limits
        assert not budget.open
        if limits.tokens is not None:
            assert world.billed_tokens - world.secret_tokens <= budget.tokens
            assert budget.tokens <= limits.tokens + world.excess_tokens
        if limits.usd is not None:
            assert Fraction(budget.usd) <= Fraction(limits.usd) + world.excess_usd

    searched(search)


async def one_life(
    schedule: Schedule,
    world: World,
    journal: Journal,
    earlier: Trace | None,
    kill: tuple[int, bool] | None,
) -> None:
    """One life of a process that plays a run and writes its journal."""
    seen = 0

    def write(event: Event) -> None:
        nonlocal seen
        if world.is_dead:
            raise Killed
        if kill is not None and seen == kill[0]:
            world.is_dead = True
            if kill[1]:
                journal.add(event)
            raise Killed
        seen += 1
        journal.add(event)

    world.is_dead = False
    request = schedule.requests[0]
    conductor = conductor_of(request, schedule, world)
    limits = replace(schedule.limits, timeout_s=request.gives_up)
    pool = pool_of(schedule, world)
    with suppress(Killed, RuntimeError, BaseExceptionGroup):
        await conduct("q", pool, conductor, limits=limits, journal=write, earlier=earlier)


def played_with_kills(schedule: Schedule, folder: Path) -> tuple[World, Trace | None, int]:
    """One run in several lives; what the providers saw, its trace, and how many lives it had."""
    world = World(schedule.calls)
    earlier: Trace | None = None
    lives = 0
    for kill in (*schedule.kills, None):
        slots = Slots(str(folder))
        claimed = None if earlier is None else claim(slots, earlier.run_id)
        journal = Journal(slots) if claimed is None else claimed[0]
        in_virtual_time(one_life(schedule, world, journal, earlier, kill))
        journal.close()
        lives += 1
        found = list(unfinished_runs(str(folder)))
        earlier = found[0].trace if found else None
        if earlier is not None and not can_go_on(earlier):
            break
    return world, earlier, lives


def test_the_request_to_go_on_fits_into_what_is_counted_for_it():
    assert len(GO_ON.encode()) <= MOST_TO_GO_ON


def test_a_run_that_is_killed_and_resumed_keeps_its_limits_over_all_its_lives():
    lives: Counter[int] = Counter()

    @SEARCH
    @given(schedules(("answers", "says_nothing_of_usage", "blank", "fails_late", "hangs"), low=3))
    def search(schedule: Schedule) -> None:
        with TemporaryDirectory() as folder:
            world, _, lived = played_with_kills(schedule, Path(folder))
        lives[lived] += 1

        limits = schedule.limits
        assert limits.calls is None or world.asked <= limits.calls
        assert limits.tokens is None or world.billed_tokens <= limits.tokens
        assert limits.usd is None or world.billed_usd <= Fraction(limits.usd)

    searched(search)
    assert set(lives) >= {1, 2, 3}
