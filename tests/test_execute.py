import asyncio
from dataclasses import replace

import pytest

from partbook.budget import Budget, Limits
from partbook.errors import BudgetError, WorkerError, WorkflowError
from partbook.event import Event, StepFinished, StepStarted, StepText
from partbook.execute import play
from partbook.message import Message
from partbook.pool import AgentPool
from partbook.stage import Stage
from partbook.workflow import Step, Workflow
from tests.fakes import Echo, Failing, Gate, Meeting, Scripted, pool_of


def stage_of(
    pool: AgentPool, *, limits: Limits | None = None, stream: bool = False
) -> tuple[Stage, list[Event]]:
    events: list[Event] = []
    budget = Budget(limits or Limits())
    return Stage("q", pool, budget, events.append, lambda: 0.0, stream), events


async def test_a_worker_reads_only_what_its_access_list_names():
    models = [Echo("a"), Echo("b"), Echo("c")]
    stage, _ = stage_of(pool_of(*models))
    workflow = Workflow((Step(0, "x"), Step(1, "y"), Step(2, "z", (1,))))

    answer = await play(workflow, stage)

    assert answer == "c(z)"
    assert models[2].heard == [
        [
            Message("user", "q"),
            Message("user", "y"),
            Message("assistant", "b(y)"),
            Message("user", "z"),
        ]
    ]


async def test_steps_that_read_nothing_run_at_the_same_time():
    stage, _ = stage_of(pool_of(Meeting(3)))
    workflow = Workflow((Step(0, "x"), Step(0, "y"), Step(0, "z")))

    async with asyncio.timeout(5):
        assert await play(workflow, stage) == "met"


async def test_a_step_starts_as_soon_as_what_it_reads_is_there():
    gate, late = Gate(), Echo("late")
    stage, events = stage_of(pool_of(gate, Echo("early"), late))
    # Step 2 reads step 1 only, so it must not wait for step 0.
    workflow = Workflow((Step(0, "slow"), Step(1, "x"), Step(2, "y", (1,)), Step(1, "z", (0, 2))))

    playing = asyncio.create_task(play(workflow, stage))
    async with asyncio.timeout(5):
        while not late.heard:
            await gate.reached.wait()
            await asyncio.sleep(0)
    finished = [e.step for e in events if isinstance(e, StepFinished)]
    gate.opened.set()
    await playing

    assert finished == [1, 2]


async def test_a_failing_step_cancels_the_others_and_waits_for_them():
    gate = Gate()
    stage, events = stage_of(pool_of(gate, Failing()))
    workflow = Workflow((Step(0, "slow"), Step(1, "x"), Step(0, "y", (0, 1))))

    with pytest.raises(WorkerError, match="the worker is down"):
        await play(workflow, stage)

    assert (gate.waiting, gate.cancelled) == (1, 1)
    assert [e.error for e in events if isinstance(e, StepFinished)] == [
        "worker 'w1': the worker is down"
    ]


async def test_cancelling_the_run_cancels_every_worker():
    gate = Gate()
    stage, _ = stage_of(pool_of(gate))
    playing = asyncio.create_task(play(Workflow((Step(0, "x"), Step(0, "y"))), stage))
    await gate.reached.wait()
    await asyncio.sleep(0)

    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing

    assert (gate.waiting, gate.cancelled) == (2, 2)


async def test_a_blank_answer_is_the_workers_failure():
    stage, events = stage_of(pool_of(Scripted([" \n"]), retries=0))

    with pytest.raises(WorkerError, match="worker 'w0': answered nothing"):
        await play(Workflow((Step(0, "x"),)), stage)

    (done,) = [e for e in events if isinstance(e, StepFinished)]
    assert done.answer is None
    assert done.usage is not None
    assert done.usage.total_tokens == 15


async def test_a_call_that_a_limit_forbids_is_not_made_and_not_counted():
    model = Echo("a")
    stage, events = stage_of(pool_of(model), limits=Limits(calls=1))
    workflow = Workflow((Step(0, "x"), Step(0, "y", (0,))))

    with pytest.raises(BudgetError):
        await play(workflow, stage)

    assert len(model.heard) == 1
    assert [e.calls for e in events if isinstance(e, StepFinished)] == [1, 0]


async def test_a_worker_outside_the_pool_is_refused_before_anybody_is_called():
    model = Echo("a")
    stage, events = stage_of(pool_of(model))

    with pytest.raises(WorkflowError, match="worker 1 does not exist"):
        await play(Workflow((Step(0, "x"), Step(1, "y"))), stage)

    assert (model.heard, events) == ([], [])


async def test_text_arrives_piece_by_piece_between_start_and_end_of_its_step():
    stage, events = stage_of(pool_of(Scripted(["one two"])), stream=True)

    await play(Workflow((Step(0, "x"),)), stage)

    assert [type(e) for e in events] == [StepStarted, StepText, StepText, StepFinished]


async def test_a_bug_in_a_model_is_not_hidden():
    class Broken:
        async def chat(self, messages, sampling, on_text=None):
            raise ZeroDivisionError

    stage, _ = stage_of(pool_of(Broken()))

    with pytest.raises(ExceptionGroup) as raised:
        await play(Workflow((Step(0, "x"),)), stage)

    assert raised.group_contains(ZeroDivisionError)


async def test_the_last_step_is_carried_out_by_the_pools_workers_for_it():
    usual, closing = [Echo("a"), Echo("b")], [Echo("A"), Echo("B")]
    stage, _ = stage_of(replace(pool_of(*usual), last=pool_of(*closing)))

    answer = await play(Workflow((Step(0, "x"), Step(0, "y"), Step(1, "z", (0, 1)))), stage)

    assert answer == "B(z)"
    assert (len(usual[0].heard), len(usual[1].heard)) == (2, 0)
