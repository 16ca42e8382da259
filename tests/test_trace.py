from decimal import Decimal

import pytest

from partbook.event import (
    Planned,
    ProposalText,
    Proposed,
    RoundFinished,
    RoundStarted,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    StepText,
)
from partbook.message import Message, Usage
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace, TraceBuilder
from partbook.workflow import Step, Workflow
from tests.traces import QUESTION, WORKERS, WORKFLOW, a_trace, events


def folded(*taken: object) -> TraceBuilder:
    builder = TraceBuilder()
    for event in taken:
        builder.add(event)  # type: ignore[arg-type]
    return builder


def finished(step: int, *, round_: int = 0, answer: str | None = "a", cost: str | None = "0.1"):
    money = None if cost is None else Decimal(cost)
    error = None if answer is not None else "the worker is down"
    return StepFinished(round_, step, 2.0, answer, error, "m", Usage(10, 5), money, "stop")


START = RunStarted("r", "q", "p", ("a", "b"), 100.0)
TWO_STEPS = Workflow((Step(0, "first"), Step(1, "second", (0,))))


def test_a_whole_run_becomes_its_trace():
    trace = a_trace()

    asked = (Message("user", QUESTION),)
    assert trace == Trace(
        run_id="run-1",
        question=QUESTION,
        pool="demo",
        workers=WORKERS,
        started_at=1_764_000_000.0,
        seconds=2.5,
        status="answered",
        rounds=(
            RoundTrace(
                proposals=(
                    Proposed(
                        0,
                        "model_id = [0, 1, 2]",
                        "c-7b",
                        Usage(800, 120),
                        Decimal("0.0002"),
                        0.5,
                        None,
                    ),
                ),
                workflow=WORKFLOW,
                source="conductor",
                workflow_name="",
                steps=(
                    StepTrace(
                        0, "coder", asked, 0.5, 1.75, "115", None, "m-0", Usage(50, 30),
                        Decimal("0.0001"), "stop",
                    ),
                    StepTrace(
                        1, "thinker", asked, 0.5, 1.5, "116", None, "m-1", Usage(60, 40, 10, 5),
                        Decimal("0.0003"), "stop",
                    ),
                    StepTrace(
                        2, "checker", (*asked, Message("assistant", "115")), 1.75, 2.5, "115",
                        None, "m-2", Usage(90, 10), Decimal("0.0004"), "stop",
                    ),
                ),
                answer="115",
            ),
        ),
    )  # fmt: skip


def test_calls_tokens_and_money_are_those_of_conductor_and_workers():
    trace = a_trace()

    assert trace.calls == 4
    assert trace.usage == Usage(1000, 200, 10, 5)
    assert trace.cost_usd == Decimal("0.0010")


@pytest.mark.parametrize("length", range(1, 12))
def test_a_run_that_is_not_over_is_an_interrupted_one_after_any_event(length):
    trace = folded(*events()[:length]).build()

    steps = [step for round_ in trace.rounds for step in round_.steps]
    assert trace.status == "stopped"
    assert trace.reason == "interrupted"
    assert [step.step for step in steps] == sorted(step.step for step in steps)
    assert len(steps) == sum(isinstance(e, StepStarted) for e in events()[:length])
    assert all((step.finished_s is None) == (step.answer is None) for step in steps)


def test_a_step_that_was_cut_off_has_no_end_and_no_answer():
    builder = folded(*events()[:5])

    (step,) = builder.build().rounds[0].steps

    assert step == StepTrace(0, "coder", (Message("user", QUESTION),), 0.5)
    assert step.finished_s is None


def test_an_interrupted_run_is_as_long_as_its_latest_step():
    assert folded(*events()[:5]).build().seconds == 0.5
    assert folded(*events()[:8]).build().seconds == 1.75


def test_a_step_whose_call_a_limit_forbade_counts_no_call():
    forbidden = StepFinished(0, 0, 0.0, None, "2 calls are the limit", "", None, None, None, 0)

    trace = folded(
        START,
        RoundStarted(0),
        Planned(0, TWO_STEPS, "fixed"),
        StepStarted(0, 0, "a", (), 0.0),
        forbidden,
        RunFinished("stopped", 0.0, "calls"),
    ).build()

    assert trace.calls == 0
    assert trace.rounds[0].steps[0].error == "2 calls are the limit"


def test_building_does_not_end_the_folding():
    builder = folded(*events()[:6])
    builder.build()

    for event in events()[6:]:
        builder.add(event)

    assert builder.build() == a_trace()


def test_a_failed_worker_is_a_field_of_its_step():
    builder = folded(
        START,
        RoundStarted(0),
        Planned(0, TWO_STEPS, "fixed", "pair"),
        StepStarted(0, 0, "a", (), 0.0),
        finished(0, answer=None),
        RunFinished("failed", 2.0, "worker", "step 0: the worker is down"),
    )

    trace = builder.build()

    assert (trace.status, trace.reason, trace.seconds) == ("failed", "worker", 2.0)
    assert trace.detail == "step 0: the worker is down"
    assert trace.rounds[0].steps[0].error == "the worker is down"
    assert trace.rounds[0].workflow_name == "pair"
    assert trace.answer is None
    assert trace.calls == 1


def test_both_texts_of_a_conductor_that_was_asked_twice_are_kept():
    first = Proposed(0, "no lists", "c", Usage(5, 5), Decimal(1), 0.1, "there are no lists")
    second = Proposed(0, "lists", "c", Usage(6, 6), Decimal(2), 0.1, None)

    trace = folded(START, RoundStarted(0), first, second, Planned(0, TWO_STEPS, "retry")).build()

    assert trace.rounds[0].proposals == (first, second)
    assert trace.rounds[0].source == "retry"
    assert trace.cost_usd == 3


def test_pieces_of_text_change_nothing():
    pieces = [ProposalText(0, "mod"), StepText(0, 0, "11")]
    every = events()

    trace = folded(*every[:5], *pieces, *every[5:]).build()

    assert trace == a_trace()


def test_a_second_round_does_not_touch_the_first():
    play = [Planned(0, TWO_STEPS, "conductor"), StepStarted(0, 0, "a", (), 0.0), finished(0)]
    again = [Planned(1, TWO_STEPS, "conductor"), StepStarted(1, 0, "a", (), 3.0)]

    trace = folded(
        START, RoundStarted(0), *play, RoundFinished(0, "first"), RoundStarted(1), *again
    ).build()

    assert [len(round_.steps) for round_ in trace.rounds] == [1, 1]
    assert trace.rounds[0].answer == "first"
    assert trace.rounds[1].answer is None


def test_the_answer_of_the_last_whole_round_is_better_than_a_step_of_a_broken_one():
    rounds = (
        RoundTrace(answer="whole"),
        RoundTrace(steps=(StepTrace(0, "a", (), 0.0, 1.0, "half"),)),
    )

    trace = Trace("r", "q", "p", ("a",), 0.0, 1.0, "stopped", rounds, "calls")

    assert trace.answer == "whole"


def test_without_a_whole_round_the_last_step_with_an_answer_is_the_answer():
    steps = (
        StepTrace(0, "a", (), 0.0, 1.0, "early"),
        StepTrace(1, "b", (), 0.0, 1.0, "late"),
        StepTrace(2, "a", (), 1.0),
    )

    trace = Trace("r", "q", "p", ("a", "b"), 0.0, 1.0, "stopped", (RoundTrace(steps=steps),))

    assert trace.answer == "late"


def test_an_empty_answer_is_an_answer():
    trace = Trace("r", "q", "p", ("a",), 0.0, 1.0, "answered", (RoundTrace(answer=""),))

    assert trace.answer == ""


def test_the_price_of_a_run_is_unknown_as_soon_as_one_price_is():
    trace = folded(
        START,
        RoundStarted(0),
        Planned(0, TWO_STEPS, "fixed"),
        StepStarted(0, 0, "a", (), 0.0),
        finished(0),
        StepStarted(0, 1, "b", (), 2.0),
        finished(1, cost=None),
    ).build()

    assert trace.cost_usd is None
    assert trace.usage == Usage(20, 10)


def test_a_run_without_calls_costs_nothing():
    trace = folded(START).build()

    assert trace.cost_usd == 0
    assert trace.usage == Usage()
    assert trace.answer is None


def test_a_trace_needs_the_start_of_a_run():
    with pytest.raises(ValueError, match="RunStarted"):
        TraceBuilder().build()


SPENT = Usage(10, 5)


def tried(number: int, usage: Usage | None = SPENT, calls: int = 1) -> StepRetried:
    cost = None if usage is None else Decimal("0.1")
    return StepRetried(0, 0, number, "a", "busy", "server", 0.5, usage, cost, calls=calls)


def test_failed_tries_stand_beside_the_last_and_are_in_the_sums():
    begun = StepStarted(0, 0, "a", (), 1.0)

    trace = folded(
        START, RoundStarted(0), begun, tried(0), tried(1, Usage(), calls=0), finished(0)
    ).build()

    (step,) = trace.rounds[0].steps
    assert [attempt.attempt for attempt in step.attempts] == [0, 1]
    assert step.usage == Usage(10, 5)
    assert (step.calls, trace.calls) == (2, 2)
    assert trace.usage == Usage(20, 10)
    assert trace.cost_usd == Decimal("0.3")


def test_a_try_of_unknown_price_makes_the_price_unknown():
    begun = StepStarted(0, 0, "a", (), 1.0)

    trace = folded(START, RoundStarted(0), begun, tried(0, None), finished(0)).build()

    assert trace.cost_usd is None
    assert trace.usage == Usage(10, 5)


def test_the_tries_of_a_step_that_is_cut_off_are_kept():
    begun = StepStarted(0, 0, "a", (), 1.0)

    trace = folded(START, RoundStarted(0), begun, tried(0)).build()

    assert trace.usage == Usage(10, 5)
    assert trace.calls == 2


def test_a_call_of_the_conductor_that_was_not_made_is_none():
    not_made = Proposed(0, "", "", Usage(), Decimal(0), 0.0, "left alone", fault="unavailable")

    assert folded(START, RoundStarted(0), not_made).build().calls == 0
