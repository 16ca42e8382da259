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
    StepRetried,
    StepStarted,
)
from partbook.message import Usage
from partbook.rounds import (
    LOST,
    doubts,
    failed_workers,
    present,
    question_of,
    reads,
    standing,
    turns_before,
)
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace, TraceBuilder
from partbook.trace_json import trace_from_dict, trace_to_dict
from partbook.workflow import Step, Workflow
from tests.fakes import Echo, pool_of

POOL = pool_of(Echo("a"), Echo("b"), Echo("c"), card="does things")


def step(index: int, answer: str | None = "7", **more: object) -> StepTrace:
    usual = {"worker": "w0", "finished_s": 1.0, "answered_by": "w0"}
    return StepTrace(index, messages=(), started_s=0.0, answer=answer, **(usual | more))  # type: ignore[arg-type]


def round_of(*steps: StepTrace, tasks: str = "abcde", **more: object) -> RoundTrace:
    workflow = Workflow(tuple(Step(0, tasks[done.step]) for done in steps))
    return RoundTrace((), workflow, "conductor", "", steps, **more)  # type: ignore[arg-type]


def trace_of(*rounds: RoundTrace) -> Trace:
    return Trace("r", "q", "p", ("w0", "w1", "w2"), 0.0, 1.0, "answered", rounds)


def test_a_plain_round_leaves_no_doubt():
    assert doubts(round_of(step(0), step(1, "8"))) == []


@pytest.mark.parametrize(
    ("steps", "doubt"),
    [
        ([step(0, " \n")], "the answer of step 0 is blank"),
        ([step(0, finish_reason="length")], "the answer of step 0 was cut off"),
        ([step(0, answered_by="w1")], "another worker answered in step 0"),
    ],
)
def test_what_went_less_than_well_is_a_doubt(steps, doubt):
    assert doubts(round_of(*steps)) == [doubt]


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("It is 1,024.", "2 + 2 is 4, so 1024", True),
        ("It is 7.", "7, or rather 8", False),
        ("Because.\nYes.", "yes", True),
        ("Yes.", "No.", False),
        ("", "No.", False),
    ],
)
def test_workers_with_the_same_subtask_agree_in_their_last_number_or_line(one, other, agree):
    same = doubts(round_of(step(0, one or "?"), step(1, other), tasks="aa"))
    others = doubts(round_of(step(0, one or "?"), step(1, other), tasks="ab"))

    assert (same == []) is agree
    assert others == []


def test_the_standing_answer_is_that_of_the_last_round_with_one():
    trace = trace_of(
        round_of(step(0), answer="seven"),
        round_of(step(0, None), unanswered="worker"),
        round_of(step(0), answer="eight"),
    )

    assert standing(trace, 0) is None
    assert [standing(trace, i).answer for i in (1, 2, 3)] == ["seven", "seven", "eight"]


def test_a_worker_that_failed_and_its_fallbacks_are_gone_and_one_that_was_lost_is_not():
    tried = (
        StepRetried(0, 0, 0, "w1", "busy", "server", 0.0, None, None),
        StepRetried(0, 0, 1, "w2", LOST, "unknown", 0.0, None, None),
        StepRetried(0, 0, 2, "w0", "cut", "truncated", 0.0, None, None),
    )
    trace = trace_of(
        round_of(step(0, attempts=tried), answer="7"),
        round_of(step(0, None, error="down", fault="auth", answered_by=""), unanswered="worker"),
        round_of(step(0, None, error="no calls are left", answered_by=""), unanswered="calls"),
    )

    assert failed_workers(trace, 0, POOL) == {}
    assert failed_workers(trace, 1, POOL) == {"w1": "busy"}
    assert failed_workers(trace, 3, POOL) == {"w1": "busy", "w0": "down"}
    assert present(trace, 3, POOL) == [2]


def test_what_a_step_reads_of_the_round_before_comes_first():
    before = round_of(step(0), answer="7")
    workflow = Workflow((Step(0, "x", (), True), Step(1, "y", (0,)), Step(2, "z", (0, 1), True)))
    later = RoundTrace((), workflow, "conductor", "", (step(0, "X"), step(1, "Y")))

    trace = trace_of(before, later)

    assert reads(trace, 1, 0) == [("a", "7")]
    assert reads(trace, 1, 1) == [("x", "X")]
    assert reads(trace, 1, 2) == [("a", "7"), ("x", "X"), ("y", "Y")]


def test_the_question_of_a_part_holds_its_subtask_and_what_it_reads():
    whole = RoundTrace(
        (), Workflow((Step(0, "x"), Step(2, "the rest", (0,)))), "conductor", "", (step(0, "X"),)
    )

    trace = trace_of(whole, RoundTrace(parent=(0, 1)))

    assert question_of(trace, 0) == "q"
    for text in ("q", "the rest", "X"):
        assert text in question_of(trace, 1)


def test_a_turn_tells_what_was_played_what_came_of_it_and_who_left():
    workflow = Workflow((Step(0, "a"), Step(1, "b", (0,))))
    down = step(1, None, worker="w1", error="worker 'w1': down", fault="auth", answered_by="")
    fallback = RoundTrace((), workflow, "fallback", "single", (step(0), down))

    (turn,) = turns_before(trace_of(fallback), 1, POOL)

    assert turn.text == 'model_id = [0, 1]\nsubtasks = ["a", "b"]\naccess_list = [[], [0]]'
    assert (turn.answer, turn.is_renumbered) == (None, True)
    assert turn.remarks == (
        "What speaks against it: no text held a workflow, another one was played.",
        "A worker failed and is not there any more (does things): down",
    )


def test_a_trace_of_several_rounds_is_read_back_as_it_was_written():
    builder = TraceBuilder()
    later = Workflow((Step(1, "x", (), True), Step(2, "y")))
    for event in (
        RunStarted("r", "q", "p", ("w0", "w1", "w2"), 1.0, 3),
        RoundStarted(0),
        Planned(0, Workflow((Step(2, "a"),)), "conductor"),
        StepStarted(0, 0, "w2", (), 0.0),
        RoundStarted(1, (0, 0)),
        Planned(1, Workflow((Step(0, "b"),)), "conductor"),
        RoundFinished(1, "7"),
        StepFinished(0, 0, 1.0, "7", None, "", Usage(), None, "stop", calls=0),
        RoundFinished(0, "7"),
        AnswerChecked(0, "w1", "DISAGREE", False, "m", Usage(3, 1), None, 0.5),
        RoundStarted(2),
        Proposed(2, "text", "m", Usage(2, 2), None, 0.25, None),
        Planned(2, later, "conductor"),
        RoundUnanswered(2, "worker", "w1 is down"),
        RunFinished("answered", 2.0, None, "w1 is down; the answer of round 0 stands"),
    ):
        builder.add(event)
    trace = builder.build()

    assert trace_from_dict(trace_to_dict(trace)) == trace
    assert (trace.answer, trace.calls, trace.usage) == ("7", 2, Usage(5, 3))
    assert (trace.most_rounds, trace.rounds[1].parent) == (3, (0, 0))
    assert trace.rounds[2].workflow.steps[0].before
