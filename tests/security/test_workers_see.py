"""A worker hears what its access list names, whatever happens, and nothing else."""

import asyncio
import json
import random
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.budget import Budget, Limits
from partbook.conduct import Conductor, conduct
from partbook.errors import WorkerError
from partbook.event import Event, StepFinished, StepRetried, StepStarted
from partbook.execute import play
from partbook.message import Message, Sampling, Usage
from partbook.models.cached import Cached, CompletionCache
from partbook.models.recorded import CALLS, Recording, described
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.rounds import StopRule
from partbook.stage import Stage
from partbook.store import Store
from partbook.trace import TraceBuilder
from partbook.workflow import Step, Workflow
from tests.cut_short import Killed, killed_after
from tests.fakes import Scripted
from tests.security.tellers import (
    TROUBLES,
    Drawn,
    Heard,
    Troupe,
    marks,
    may_know,
    plans,
    secrets_in,
)

CONTEXTS = ("turns", "tagged", "plain")


async def no_wait(_: float) -> None:
    """Waits for nothing."""


def all_marks(workflows: Sequence[Workflow]) -> list[str]:
    return [f"{r}-{i}" for r, workflow in enumerate(workflows) for i in range(len(workflow.steps))]


def assert_only_what_is_named(
    heard: Sequence[Heard], workflows: Sequence[Workflow], repeats: frozenset[str]
) -> None:
    """Every call: the secrets and subtasks that its access list names, its own, and no more."""
    known = may_know(workflows, repeats)
    tasks = {
        f"{r}-{i}": {f"{r}-{j}" for j in step.access}
        | ({f"{r - 1}-{len(workflows[r - 1].steps) - 1}"} if step.before and r else set())
        for r, workflow in enumerate(workflows)
        for i, step in enumerate(workflow.steps)
    }
    for call in heard:
        may = known[call.mark]
        # One that goes on with its own answer hears that, too.
        assert call.secrets <= may | {call.mark}, call
        if call.number == 0:
            assert call.secrets == may, call
        assert call.tasks <= tasks[call.mark] | {call.mark}, call
        assert call.private <= {call.worker}, call


@settings(max_examples=30, deadline=None)
@given(st.data(), plans(), st.booleans())
def test_in_any_workflow_with_any_trouble_a_worker_hears_what_its_list_names(data, drawn, stream):
    (workflow,) = drawn
    names = all_marks(drawn)
    repeats = data.draw(st.sets(st.sampled_from(names)).map(frozenset))
    trouble = data.draw(st.fixed_dictionaries({m: st.sampled_from(TROUBLES) for m in names}))
    troupe, events = Troupe(repeats, trouble), list[Event]()
    pool = troupe.pool(*data.draw(st.permutations(CONTEXTS)))
    stage = Stage(
        *("What?", pool, Budget(Limits()), events.append, lambda: 0.0, stream),
        rng=random.Random(0),
        sleep=no_wait,
    )

    asyncio.run(play(workflow, stage))

    assert {call.mark for call in troupe.heard} == set(names)
    assert_only_what_is_named(troupe.heard, drawn, repeats)
    known = may_know(drawn, repeats)
    for event in events:
        mark = f"0-{getattr(event, 'step', '')}"
        if isinstance(event, StepStarted):
            assert marks(event.messages) == known[mark]
        elif isinstance(event, StepFinished):
            assert marks(event.messages or ()) <= known[mark]
            assert secrets_in(event.answer or "") <= known[mark] | {mark}
        elif isinstance(event, StepRetried):
            assert secrets_in(event.error) == frozenset()


async def cut_short(pool: AgentPool, workflows, events: int) -> TraceBuilder | None:
    """Play until so many events are kept; None where it was over before."""
    kept, journal = killed_after(events)
    limits = Limits(rounds=len(workflows))
    try:
        await conduct("What?", pool, Drawn(workflows), limits=limits, journal=journal)
    except (Killed, BaseExceptionGroup):
        return kept
    return None


@settings(max_examples=25, deadline=None)
@given(st.data(), plans(3), st.integers(2, 40))
def test_over_rounds_and_after_a_kill_a_worker_hears_what_its_list_names(data, drawn, events):
    names = all_marks(drawn)
    repeats = data.draw(st.sets(st.sampled_from(names)).map(frozenset))
    # Without those that are waited for, and that leave a later round without a worker.
    trouble = data.draw(st.fixed_dictionaries({m: st.sampled_from(("", "cut")) for m in names}))
    troupe = Troupe(repeats, trouble)
    pool = troupe.pool(*CONTEXTS)

    async def both() -> None:
        kept = await cut_short(pool, drawn, events)
        if kept is not None:
            limits = Limits(rounds=len(drawn))
            trace = await conduct("What?", pool, Drawn(drawn), limits=limits, earlier=kept.build())
            assert trace.status == "answered"

    asyncio.run(both())

    assert {call.mark for call in troupe.heard} == set(names)
    assert_only_what_is_named(troupe.heard, drawn, repeats)


async def test_a_worker_that_failed_and_left_does_not_open_a_list_of_a_later_round():
    first = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1"), Step(2, "TASK-0-2", (1,))))
    second = Workflow((Step(0, "TASK-1-0"), Step(1, "TASK-1-1", (0,), True)))
    troupe = Troupe(trouble={"0-1": "fallback"})

    trace = await conduct(
        "What?", troupe.pool(*CONTEXTS), Drawn((first, second)), limits=Limits(rounds=2)
    )

    heard = {call.mark: call.secrets for call in troupe.heard}
    assert trace.status == "answered"
    assert {step.answered_by for step in trace.rounds[1].steps} <= {"w0", "w2"}
    assert (heard["1-0"], heard["1-1"]) == (set(), {"1-0", "0-2"})


async def test_a_conductor_sees_the_last_answer_of_a_round_and_of_no_other_step():
    texts = [
        'model_id = [0, 1]\nsubtasks = ["TASK-0-0", "TASK-0-1"]\naccess_list = [[], []]',
        'model_id = [2]\nsubtasks = ["TASK-1-0"]\naccess_list = [[]]',
    ]
    troupe, model = Troupe(), Scripted(texts)

    trace = await conduct(
        "What?", troupe.pool(*CONTEXTS), Conductor(model), limits=Limits(rounds=2)
    )

    assert trace.status == "answered"
    assert [marks(messages) for messages in model.heard] == [set(), {"0-1"}]
    assert marks(model.heard[1], "PRIVATE") == set()


async def test_a_checker_hears_the_last_answer_of_a_round_and_of_no_other_step():
    workflow = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1")))
    troupe, checker = Troupe(), Scripted(["AGREE"])
    spec = WorkerSpec("judge", "http", price=FREE)
    pool = troupe.pool("tagged", "tagged")
    pool = AgentPool("checked", (*pool.workers, Worker(spec, checker)))

    await conduct(
        *("What?", pool, Drawn((workflow, workflow))),
        limits=Limits(rounds=2),
        stop=StopRule("checker", "judge"),
    )

    assert [marks(messages) for messages in checker.heard] == [{"0-1"}]


async def test_inside_a_step_of_the_conductor_nobody_hears_more_than_the_step_may():
    outer = Workflow(
        (
            Step(0, "TASK-0-0"),
            Step(1, "TASK-0-1"),
            Step(3, "TASK-0-2", (1,)),  # the Conductor itself
            Step(2, "TASK-0-3", (2,)),
        )
    )
    inner = Workflow((Step(0, "TASK-1-0"), Step(1, "TASK-1-1"), Step(2, "TASK-1-2", (0,))))
    troupe = Troupe()

    trace = await conduct("What?", troupe.pool(*CONTEXTS, conductor=True), Drawn((outer, inner)))

    heard = {call.mark: call.secrets for call in troupe.heard}
    assert trace.status == "answered"
    assert heard == {
        "0-0": set(),
        "0-1": set(),
        # What the step may read is a part of the question of its own round.
        "1-0": {"0-1"},
        "1-1": {"0-1"},
        "1-2": {"0-1", "1-0"},
        # Of the round inside, its answer alone comes out.
        "0-3": {"1-2"},
    }


async def test_a_recording_has_for_each_call_what_was_heard_and_its_owner_alone_reads_it(tmp_path):
    workflow = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1"), Step(2, "TASK-0-2", (1,))))
    troupe = Troupe(trouble={"0-2": "cut"})
    pool = troupe.pool(*CONTEXTS)
    who = described(worker.spec for worker in pool.workers)
    recording = Recording.open(tmp_path / "kept", "troupe", who)
    recorded = AgentPool(
        "troupe",
        tuple(Worker(w.spec, recording.of(w.name, w.model)) for w in pool.workers),
    )

    await conduct("What?", recorded, Drawn((workflow,)))
    recording.close()

    lines = (tmp_path / "kept" / CALLS).read_text().splitlines()
    written = [
        (call["worker"], secrets_in(json.dumps(call["messages"])))
        for call in map(json.loads, lines)
    ]
    assert written == [(call.worker, call.secrets) for call in troupe.heard]
    assert ("w2", frozenset({"0-1"})) in written
    for path in (tmp_path / "kept", tmp_path / "kept" / CALLS):
        assert path.stat().st_mode & 0o077 == 0


async def test_a_kept_answer_is_given_only_to_who_may_read_the_same(tmp_path):
    told = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1", (0,)), Step(2, "TASK-0-2", (1,))))
    untold = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1"), Step(2, "TASK-0-2", (1,))))
    # Step 1 repeats what it hears, so its answer of the first run holds the secret of step 0.
    troupe = Troupe(frozenset({"0-1"}))
    pool = troupe.pool("tagged", "tagged", "tagged")
    cache = CompletionCache(tmp_path / "kept")
    cached = AgentPool(
        "troupe",
        tuple(Worker(w.spec, Cached(w.model, cache, {"model": w.name})) for w in pool.workers),
    )

    first = await conduct("What?", cached, Drawn((told,)))
    second = await conduct("What?", cached, Drawn((untold,)))

    assert secrets_in(first.rounds[0].steps[1].answer or "") == {"0-0", "0-1"}
    assert secrets_in(second.rounds[0].steps[1].answer or "") == {"0-1"}
    last = [call.secrets for call in troupe.heard if call.mark == "0-2"]
    assert last == [{"0-0", "0-1"}, {"0-1"}]
    # The first step is the same call; what it was asked is not in the file.
    assert second.rounds[0].steps[0].cached
    for path in (tmp_path / "kept").rglob("*.json"):
        assert b"TASK-" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0


async def test_a_journal_and_a_store_are_their_owners_alone(tmp_path):
    workflow = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1")))
    troupe = Troupe()
    with Store.open(tmp_path / "data" / "runs.db") as store:
        journal = store.journal("{}")

        trace = await conduct(
            "What?", troupe.pool("turns", "turns"), Drawn((workflow,)), journal=journal.add
        )

        store.save(trace)
        written = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
        holding = [path for path in written if b"SECRET-0-0" in path.read_bytes()]
        open_to_others = [path for path in holding if path.stat().st_mode & 0o077]

    assert holding
    assert open_to_others == []


async def test_what_a_failing_worker_says_reaches_no_other_worker():
    """Its words go to the owner, and a short piece of them to the Conductor."""

    class Hostile:
        async def chat(self, messages: Sequence[Message], sampling: Sampling, on_text=None):
            raise WorkerError(f"SECRET-9-9 {'x' * 5000}", usage=Usage(), kind="auth")

    troupe = Troupe()
    fallback = troupe.pool("tagged", "tagged")
    spec = WorkerSpec("bad", "http", price=FREE, fallbacks=("w0",))
    pool = AgentPool("mixed", (Worker(spec, Hostile()), *fallback.workers))
    workflow = Workflow((Step(0, "TASK-0-0"), Step(2, "TASK-0-1", (0,))))

    trace = await conduct("What?", pool, Drawn((workflow,)))

    assert trace.status == "answered"
    assert [call.secrets for call in troupe.heard] == [set(), {"0-0"}]


async def test_the_search_would_find_a_leak():
    """A worker that is shown all answers is noticed."""
    workflow = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1"), Step(2, "TASK-0-2", (1,))))
    leaking = Workflow((Step(0, "TASK-0-0"), Step(1, "TASK-0-1", (0,)), Step(2, "TASK-0-2", (1,))))
    troupe = Troupe()

    await conduct("What?", troupe.pool(*CONTEXTS), Drawn((leaking,)))

    found = False
    try:
        assert_only_what_is_named(troupe.heard, (workflow,), frozenset())
    except AssertionError:
        found = True
    assert found
