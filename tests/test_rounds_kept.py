"""Runs of several rounds, cut short after every single event, go on from their journal's file."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor, conduct
from partbook.event import Event, RunStarted
from partbook.message import Completion, Usage
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.rounds import StopRule
from partbook.store import Store
from partbook.trace import Trace
from tests.cut_short import Killed
from tests.fakes import Echo, Failing, pool_of

FIRST = 'model_id = [0, 1]\nsubtasks = ["count", "double"]\naccess_list = [[], [0]]'
SECOND = 'model_id = [1, 0]\nsubtasks = ["look", "mend"]\naccess_list = [["all"], [0]]'
OUTER = 'model_id = [0, 3, 1]\nsubtasks = ["count", "part", "end"]\naccess_list = [[], [0], [1]]'
INNER = 'model_id = [1, 0]\nsubtasks = ["x", "y"]\naccess_list = [[], [0]]'
BROKEN = 'model_id = [2]\nsubtasks = ["break"]\naccess_list = [[]]'


@dataclass
class Says:
    """Answers by what the last message holds, and counts what it was asked."""

    answers: dict[str, str]
    asked: int = 0

    async def chat(self, messages, sampling, on_text=None):
        self.asked += 1
        whole = "\n".join(message.text for message in messages)
        text = next(answer for part, answer in self.answers.items() if part in whole)
        return Completion(text, Usage(10, 5), "m")


@dataclass
class World:
    """Models that count, and how they are conducted."""

    conductor: Says
    checker: Says
    pool: AgentPool
    models: tuple[Echo, ...]
    limits: Limits
    stop: StopRule

    def calls(self) -> int:
        return self.conductor.asked + self.checker.asked + sum(len(m.heard) for m in self.models)

    async def play(self, journal: Callable[[Event], None], earlier: Trace | None = None) -> Trace:
        return await conduct(
            "q",
            self.pool,
            Conductor(self.conductor),
            limits=self.limits,
            stop=self.stop,
            journal=journal,
            earlier=earlier,
        )


def world(kind: str) -> World:
    texts = {
        "checked": {"did not agree": SECOND, "": FIRST},
        "inner": {"<your_part>": INNER, "": OUTER},
        "left": {"not there any more": FIRST, "": BROKEN},
        "kept": {"answer so far": "model_id=[]\nsubtasks=[]\naccess_list=[]", "": FIRST},
    }[kind]
    a, b, checker = Echo("a"), Echo("b"), Says({"": "DISAGREE\nIt is wrong."})
    third = Failing() if kind == "left" else checker
    pool = pool_of(a, b, third)
    itself = Worker(WorkerSpec("myself", "conductor"), Failing())
    stop = StopRule("checker", "w2") if kind == "checked" else StopRule()
    rounds = 1 if kind == "inner" else 2
    pool = AgentPool("p", (*pool.workers, itself))
    return World(Says(texts), checker, pool, (a, b), Limits(rounds=rounds), stop)


ANSWERS = {"checked": "a(mend)", "inner": "b(end)", "left": "b(double)", "kept": "b(double)"}
CALLS = {"checked": 7, "inner": 6, "left": 4, "kept": 4}
"""Calls of a whole run, without the one that fails."""


@pytest.mark.parametrize("kind", list(ANSWERS))
async def test_after_whatever_event_a_run_is_cut_short_it_goes_on_without_paying_twice(
    kind, tmp_path
):
    over: Trace | None = None
    cuts = 1  # the first line is written with the second event
    with Store.open(tmp_path / "runs.db") as store:
        while over is None:
            cuts += 1
            here = world(kind)
            over = await cut_short(here, store, cuts, run_ids := [])
            if over is not None:
                break
            reopened = store.reopen(run_ids[0])
            kept, before = _kept(reopened.trace), here.calls()
            trace = reopened.trace
            if reopened.journal is not None:
                trace = await here.play(reopened.journal.add, reopened.trace)
                reopened.journal.discard()

            assert (trace.status, trace.answer) == ("answered", ANSWERS[kind]), cuts
            assert here.calls() - before == CALLS[kind] - kept, cuts
            assert trace.calls >= CALLS[kind]

    assert cuts > 10
    assert (over.answer, here.calls()) == (ANSWERS[kind], CALLS[kind])


async def cut_short(here: World, store: Store, events: int, run_ids: list[str]) -> Trace | None:
    """Play until so many events are kept; the trace where it is over before."""
    journal = store.journal("{}")
    seen = 0

    def add(event: Event) -> None:
        nonlocal seen
        if isinstance(event, RunStarted):
            run_ids.append(event.run_id)
        journal.add(event)
        seen += 1
        if seen >= events:
            raise Killed

    over = None
    with suppress(Killed, BaseExceptionGroup):
        over = await here.play(add)
    journal.close()
    return over


def _kept(trace: Trace) -> int:
    """Calls of the models that count whose answer is kept."""
    inner = {round_.parent for round_ in trace.rounds}
    return sum(
        sum(text.fault is None for text in round_.proposals)
        + sum(check.fault is None for check in round_.checks)
        + sum(step.answer is not None and (i, step.step) not in inner for step in round_.steps)
        for i, round_ in enumerate(trace.rounds)
    )
