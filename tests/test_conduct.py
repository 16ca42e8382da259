import asyncio
from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor, Fixed, conduct, plan
from partbook.errors import ConfigError, ParseError
from partbook.event import Event, RunFinished
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Message
from partbook.price import Price
from partbook.trace import TraceBuilder
from tests.fakes import Echo, Failing, Gate, Scripted, pool_of
from tests.schedules import in_virtual_time

TWO_STEPS = """Count, then double.
model_id = [0, 1]
subtasks = ["count", "double"]
access_list = [[], [0]]"""
SINGLE = FixedWorkflow("single", "", (FixedStep("w0", "answer"),))


async def test_the_conductors_workflow_is_played_and_the_last_answer_is_the_answer():
    pool = pool_of(Echo("a"), Echo("b"))

    trace = await conduct("How many?", pool, Conductor(Scripted([TWO_STEPS])))

    assert (trace.status, trace.answer) == ("answered", "b(double)")
    assert trace.rounds[0].source == "conductor"
    assert [step.answer for step in trace.rounds[0].steps] == ["a(count)", "b(double)"]
    assert trace.calls == 3
    assert trace.usage.total_tokens == 45


async def test_a_text_without_a_workflow_is_sent_back_once_with_its_error():
    model = Scripted(["I would ask worker 3.", TWO_STEPS])

    trace = await conduct("q", pool_of(Echo("a"), Echo("b")), Conductor(model))

    assert (trace.status, trace.rounds[0].source) == ("answered", "retry")
    assert [p.error is None for p in trace.rounds[0].proposals] == [False, True]
    assert model.heard[1][1] == Message("assistant", "I would ask worker 3.")
    assert trace.rounds[0].proposals[0].error in model.heard[1][2].text


async def test_after_two_texts_without_a_workflow_the_fallback_is_played():
    conductor = Conductor(Scripted(["no", "still no"]), fallback=SINGLE)

    trace = await conduct("q", pool_of(Echo("a")), conductor)

    assert (trace.status, trace.answer) == ("answered", "a(answer)")
    assert (trace.rounds[0].source, trace.rounds[0].workflow_name) == ("fallback", "single")
    assert trace.calls == 3


async def test_without_a_fallback_the_run_fails_as_data():
    trace = await conduct("q", pool_of(Echo("a")), Conductor(Scripted(["no", "still no"])))

    assert (trace.status, trace.reason, trace.answer) == ("failed", "workflow", None)


async def test_a_fixed_workflow_asks_no_conductor():
    trace = await conduct("q", pool_of(Echo("a")), Fixed(SINGLE))

    assert (trace.answer, trace.calls) == ("a(answer)", 1)
    assert (trace.rounds[0].source, trace.rounds[0].workflow_name) == ("fixed", "single")


async def test_a_limit_on_calls_keeps_the_best_answer_so_far_and_says_why():
    pool = pool_of(Echo("a"), Echo("b"))

    trace = await conduct("q", pool, Conductor(Scripted([TWO_STEPS])), limits=Limits(calls=2))

    assert (trace.status, trace.reason) == ("stopped", "calls")
    assert trace.answer == "a(count)"
    assert trace.calls == 2


async def test_the_conductors_own_call_is_part_of_the_budget():
    trace = await conduct(
        "q", pool_of(Echo("a"), Echo("b")), Conductor(Scripted([TWO_STEPS])), limits=Limits(calls=0)
    )

    assert (trace.status, trace.reason, trace.calls) == ("stopped", "calls", 0)


async def test_a_limit_in_dollars_with_an_unknown_price_is_refused():
    conductor = Conductor(Scripted([TWO_STEPS]))

    with pytest.raises(ConfigError, match="needs the price of every worker"):
        await conduct("q", pool_of(Echo("a")), conductor, limits=Limits(usd=Decimal(1)))


async def test_the_bill_holds_the_conductors_share():
    price = Price(Decimal(1_000_000), Decimal(1_000_000))
    pool = pool_of(Echo("a"), Echo("b"), price=price)

    trace = await conduct("q", pool, Conductor(Scripted([TWO_STEPS]), price=price))

    assert trace.cost_usd == Decimal(45)


async def test_one_unknown_price_makes_the_total_unknown():
    trace = await conduct("q", pool_of(Echo("a"), price=None), Fixed(SINGLE))

    assert trace.cost_usd is None


def test_a_deadline_ends_the_run_with_what_there_is():
    workflow = FixedWorkflow("two", "", (FixedStep("w0", "x"), FixedStep("w1", "y", (0,))))
    gate = Gate()

    trace = in_virtual_time(
        conduct("q", pool_of(Echo("a"), gate), Fixed(workflow), limits=Limits(timeout_s=60))
    )

    assert (trace.status, trace.reason, trace.answer) == ("stopped", "timeout", "a(x)")
    assert gate.cancelled == 1
    assert trace.rounds[0].steps[1].finished_s is None


async def test_a_workers_failure_is_a_trace():
    trace = await conduct("q", pool_of(Failing()), Fixed(SINGLE))

    assert (trace.status, trace.reason) == ("failed", "worker")
    assert trace.detail == "worker 'w0': the worker is down"


async def test_an_interrupted_run_has_told_all_that_happened():
    gate, recorder = Gate(), TraceBuilder()
    workflow = FixedWorkflow("two", "", (FixedStep("w0", "x"), FixedStep("w1", "y", (0,))))
    running = asyncio.create_task(
        conduct("q", pool_of(Echo("a"), gate), Fixed(workflow), on_event=recorder.add)
    )
    await gate.reached.wait()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    trace = recorder.build()

    assert (trace.status, trace.reason, trace.answer) == ("stopped", "interrupted", "a(x)")


async def test_the_last_event_always_says_how_it_ended():
    events: list[Event] = []

    await conduct("q", pool_of(Failing()), Fixed(SINGLE), on_event=events.append)

    assert isinstance(events[-1], RunFinished)


async def test_planning_calls_no_worker():
    worker = Echo("a")

    planned = await plan("q", pool_of(worker, Echo("b")), Conductor(Scripted([TWO_STEPS])))

    assert [step.subtask for step in planned.workflow.steps] == ["count", "double"]
    assert worker.heard == []


async def test_planning_without_a_workflow_is_an_error():
    with pytest.raises(ParseError):
        await plan("q", pool_of(Echo("a")), Conductor(Scripted(["no", "no"])))


async def test_a_blank_question_is_refused():
    with pytest.raises(ConfigError, match="a question was expected"):
        await conduct(" \n", pool_of(Echo("a")), Fixed(SINGLE))


async def test_a_small_local_conductor_is_held_to_the_format():
    model = Scripted([TWO_STEPS])

    await plan("q", pool_of(Echo("a"), Echo("b")), Conductor(model, constrain=True))

    assert model.asked[0].grammar is not None
    assert "plan5" in model.asked[0].grammar


@pytest.mark.parametrize("style", ["bare", "cards"])
async def test_a_policy_that_was_trained_on_one_message_is_asked_once(style):
    model = Scripted(["no", TWO_STEPS])
    conductor = Conductor(model, fallback=SINGLE, style=style)

    trace = await conduct("How many?", pool_of(Echo("a"), Echo("b")), conductor)

    assert (trace.rounds[0].source, trace.calls) == ("fallback", 2)
    assert model.heard == [
        [Message("user", "a language model (0)\na language model (1)\nQuestion: How many?\n")]
    ]
