"""A journal of several rounds says what a trace of the same events would."""

import pytest

from partbook.event import (
    AnswerChecked,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from partbook.message import Usage
from partbook.store import Store
from partbook.trace import TraceBuilder
from partbook.workflow import Step, Workflow

LATER = Workflow((Step(1, "x", (), True), Step(0, "y", (0,))))


def finished(round_: int, step: int, answer: str | None, error: str | None = None) -> StepFinished:
    fault = None if error is None else "auth"
    usage = Usage(3, 1)
    return StepFinished(round_, step, 1.0, answer, error, "m", usage, None, "stop", fault=fault)


EVENTS = [
    RunStarted("run-1", "q", "p", ("w0", "w1"), 1.0, 3),
    RoundStarted(0),
    Planned(0, Workflow((Step(0, "a"),)), "fixed", "single"),
    StepStarted(0, 0, "w0", (), 0.0),
    RoundStarted(1, (0, 0)),
    Planned(1, Workflow((Step(0, "b"),)), "conductor"),
    StepStarted(1, 0, "w0", (), 0.0),
    finished(1, 0, "7"),
    RoundFinished(1, "7"),
    finished(0, 0, "7"),
    RoundFinished(0, "7"),
    AnswerChecked(0, "w1", "DISAGREE", False, "m", Usage(3, 1), None, 0.5),
    RoundStarted(2),
    Proposed(2, "text", "m", Usage(2, 2), None, 0.25, None),
    Planned(2, LATER, "conductor"),
    StepStarted(2, 0, "w1", (), 1.0),
    finished(2, 0, None, "w1 is down"),
    RoundUnanswered(2, "worker", "w1 is down"),
    RoundStarted(3),
    Proposed(3, "keep", "m", Usage(2, 2), None, 0.25, None),
    RoundUnanswered(3, "kept", "the Conductor kept the answer"),
    RunFinished("answered", 2.0),
]


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "runs.db") as opened:
        yield opened


def reopened(store: Store, until: int):
    journal = store.journal('{"pool":"p"}')
    for event in EVENTS[:until]:
        journal.add(event)
    journal.close()
    found = store.reopen("run-1")
    if found.journal is not None:
        found.journal.close()
    return found.trace


def test_a_run_whose_last_round_said_that_it_was_the_last_is_over(store):
    builder = TraceBuilder()
    for event in EVENTS:
        builder.add(event)

    assert reopened(store, len(EVENTS)) == builder.build()


@pytest.mark.parametrize("until", [11, 12, 14, 18, 21])
def test_a_run_that_may_have_had_another_round_is_not_over(store, until):
    trace = reopened(store, until)

    assert (trace.status, trace.reason, trace.answer) == ("stopped", "interrupted", "7")
    assert trace.most_rounds == 3
    assert trace.rounds[1].parent == (0, 0)


def test_what_a_failed_round_would_have_begun_is_not_in_flight(store):
    failed = reopened(store, 18).rounds[2]

    assert (failed.unanswered, failed.detail) == ("worker", "w1 is down")
    assert [step.step for step in failed.steps] == [0]
    assert failed.workflow == LATER


def test_a_step_that_was_cut_off_with_its_round_is_kept_as_begun(store):
    trace = reopened(store, 16)
    journal = store.journal()
    other = [RunStarted("run-2", "q", "p", ("w0", "w1"), 1.0, 3), *EVENTS[1:4]]
    for event in (*other, RoundUnanswered(0, "timeout", "late")):
        journal.add(event)
    journal.close()
    cut = store.reopen("run-2")
    cut.journal.close()

    assert [step.finished_s for step in trace.rounds[2].steps] == [None]
    assert [(step.step, step.finished_s) for step in cut.trace.rounds[0].steps] == [(0, None)]
    assert cut.trace.rounds[0].unanswered == "timeout"
