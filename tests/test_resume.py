from decimal import Decimal

import pytest

from partbook.budget import Budget, Limits
from partbook.conduct import Conductor, Fixed, conduct
from partbook.errors import StoreError
from partbook.event import (
    Event,
    Proposed,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
)
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Sampling, Usage
from partbook.price import FREE, Price
from partbook.resume import can_go_on, count_earlier
from partbook.rounds import LOST
from partbook.trace import Trace, TraceBuilder
from tests.cut_short import Killed, killed_after
from tests.fakes import Echo, Failing, Scripted, pool_of

CHAIN = FixedWorkflow("chain", "", (FixedStep("w0", "first"), FixedStep("w1", "second", (0,))))
PLAN = 'model_id = [0, 1]\nsubtasks = ["count", "double"]\naccess_list = [[], [0]]'
PRICE = Price(Decimal(1), Decimal(10))
"""A million tokens read cost a dollar, written ten."""


async def cut_short(proposer, pool, *, after: type[Event], times: int = 1, limits=None) -> Trace:
    """What is kept of a run whose process ends right after so many events of a kind."""
    kept, journal = killed_after(times, after)
    with pytest.raises((Killed, BaseExceptionGroup)):
        await conduct("q", pool, proposer, journal=journal, limits=limits)
    return kept.build()


async def test_an_answer_that_came_is_taken_and_its_worker_is_not_asked_again():
    first, second = Echo("a"), Echo("b")
    earlier = await cut_short(Fixed(CHAIN), pool_of(first, second), after=StepFinished)

    trace = await conduct("q", pool_of(first, second), Fixed(CHAIN), earlier=earlier)

    assert (trace.status, trace.answer, trace.run_id) == ("answered", "b(second)", earlier.run_id)
    assert [step.answer for step in trace.rounds[0].steps] == ["a(first)", "b(second)"]
    assert len(first.heard) == 1
    assert [message.text for message in second.heard[0]][-3:] == ["first", "a(first)", "second"]
    assert trace.calls == 2
    assert trace.usage == Usage(20, 10)


async def test_a_call_that_was_in_flight_is_made_again_and_counted_at_an_unknown_price():
    first = Echo("a")
    pool = pool_of(first, Echo("b"), price=PRICE)
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepStarted)

    trace = await conduct("q", pool, Fixed(CHAIN), earlier=earlier)
    step = trace.rounds[0].steps[0]

    assert (trace.answer, trace.calls, step.calls) == ("b(second)", 3, 2)
    assert [(tried.error, tried.usage, tried.cost_usd) for tried in step.attempts] == [
        (LOST, None, None)
    ]
    assert trace.cost_usd is None


async def test_a_lost_call_of_a_worker_on_this_machine_costs_nothing():
    pool = pool_of(Echo("a"), Echo("b"), price=FREE)
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepStarted)

    trace = await conduct("q", pool, Fixed(CHAIN), earlier=earlier)

    assert trace.cost_usd == 0


async def test_the_conductors_texts_are_taken_and_its_model_is_not_asked_again():
    conductor = Scripted(["no workflow here", PLAN])
    pool = pool_of(Echo("a"), Echo("b"))
    earlier = await cut_short(Conductor(conductor), pool, after=StepStarted)

    trace = await conduct("q", pool, Conductor(conductor), earlier=earlier)

    assert (trace.status, trace.rounds[0].source) == ("answered", "retry")
    assert [text.text for text in trace.rounds[0].proposals] == ["no workflow here", PLAN]


async def test_a_first_text_without_a_workflow_is_not_asked_for_again():
    conductor = Scripted(["no workflow here", PLAN])
    pool = pool_of(Echo("a"), Echo("b"))
    earlier = await cut_short(Conductor(conductor), pool, after=Proposed)

    second = Scripted([PLAN])
    trace = await conduct("q", pool, Conductor(second), earlier=earlier)

    assert (trace.status, trace.rounds[0].source) == ("answered", "retry")
    assert second.heard[0][1].text == "no workflow here"
    assert [(text.text, text.error == LOST) for text in trace.rounds[0].proposals] == [
        ("no workflow here", False),
        ("", True),  # it may have been in flight
        (PLAN, False),
    ]
    assert trace.calls == 5


async def test_a_step_that_failed_is_tried_again_and_what_it_cost_stays():
    pool = pool_of(Echo("a"), Failing(Usage(100, 0)), price=PRICE)
    failed = await conduct("q", pool, Fixed(CHAIN))
    assert can_go_on(failed)

    trace = await conduct(
        "q", pool_of(Echo("a"), Echo("b"), price=PRICE), Fixed(CHAIN), earlier=failed
    )

    assert (trace.status, trace.answer, trace.calls) == ("answered", "b(second)", 3)
    assert trace.usage == Usage(120, 10)
    assert trace.cost_usd == Decimal("0.00022")


async def test_limits_go_on_from_what_was_spent():
    pool = pool_of(Echo("a"), Echo("b"), price=PRICE)
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepStarted)

    trace = await conduct("q", pool, Fixed(CHAIN), earlier=earlier, limits=Limits(calls=2))

    assert (trace.status, trace.reason, trace.answer) == ("stopped", "calls", "a(first)")


async def test_seconds_go_on_from_what_was_spent():
    pool = pool_of(Echo("a"), Echo("b"))
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepFinished)
    late = Trace(
        earlier.run_id, "q", "test", earlier.workers, 0.0, 99.0, "stopped", earlier.rounds,
        "interrupted",
    )  # fmt: skip

    trace = await conduct("q", pool, Fixed(CHAIN), earlier=late, limits=Limits(timeout_s=100.0))
    stopped = await conduct("q", pool, Fixed(CHAIN), earlier=late, limits=Limits(timeout_s=99.0))

    assert trace.status == "answered"
    assert 99.0 <= trace.seconds < 100.0
    assert (stopped.status, stopped.reason) == ("stopped", "timeout")


async def test_what_is_unknown_counts_at_its_worst_case():
    pool = pool_of(Echo("a", None), Echo("b"), price=PRICE)
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepFinished)
    budget = Budget(Limits())

    count_earlier(earlier, pool, budget)
    step = earlier.rounds[0].steps[0]
    prompt = sum(len(message.text) + 16 for message in step.messages)

    assert budget.calls == 1
    assert budget.tokens == prompt + Sampling().max_tokens
    assert budget.usd == Decimal(prompt + 10 * Sampling().max_tokens) / 1_000_000


async def test_an_observer_is_told_the_whole_run_and_the_journal_only_what_is_new():
    pool = pool_of(Echo("a"), Echo("b"))
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepFinished)
    told: list[Event] = []
    kept: list[Event] = []

    trace = await conduct(
        "q", pool, Fixed(CHAIN), earlier=earlier, on_event=told.append, journal=kept.append
    )
    builder = TraceBuilder()
    for event in told:
        builder.add(event)

    assert builder.build() == trace
    assert isinstance(told[0], RunStarted)
    assert [type(event).__name__ for event in kept] == [
        "StepStarted",
        "StepFinished",
        "RoundFinished",
        "RunFinished",
    ]


async def test_a_lost_call_is_journalled_before_it_is_made_again():
    pool = pool_of(Echo("a"), Echo("b"))
    earlier = await cut_short(Fixed(CHAIN), pool, after=StepStarted)
    kept: list[Event] = []

    await conduct("q", pool, Fixed(CHAIN), earlier=earlier, journal=kept.append)

    assert isinstance(kept[0], StepRetried)
    assert isinstance(kept[1], StepStarted)


async def test_a_journal_that_fails_ends_the_run_and_nobody_else_is_called():
    second = Echo("b")
    told: list[Event] = []

    def journal(event: Event) -> None:
        if isinstance(event, StepFinished):
            raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="the disk is full"):
        await conduct(
            "q", pool_of(Echo("a"), second), Fixed(CHAIN), journal=journal, on_event=told.append
        )

    assert second.heard == []
    assert told[-1] == RunFinished("failed", told[-1].seconds, "setup", "the disk is full")


@pytest.mark.parametrize(
    ("status", "reason", "open_"),
    [
        ("answered", None, False),
        ("stopped", "interrupted", True),
        ("stopped", "calls", False),
        ("stopped", "timeout", False),
        ("failed", "worker", True),
        ("failed", "setup", True),
        ("failed", "workflow", False),
    ],
)
def test_only_what_was_cut_short_from_outside_goes_on(status, reason, open_):
    trace = Trace("r", "q", "p", ("w",), 0.0, 1.0, status, reason=reason)

    assert can_go_on(trace) is open_
