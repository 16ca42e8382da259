from dataclasses import replace
from decimal import Decimal

from partbook.evaluate.running.cell import Cell, Played, PlayedStep, Spent
from partbook.event import StepRetried
from partbook.message import Usage
from partbook.simulate.figures import Call, Plan, PlannedRound, PlannedStep
from partbook.simulate.measured import Measurement
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Step, Workflow
from tests.traces import a_trace

USAGE = Usage(100, 10)


def a_run(at_s: float, seconds: float, usage: Usage | None = USAGE, **more) -> Trace:
    step = StepTrace(0, "w", (), 0.0, seconds, "yes", usage=usage, answered_by="w", **more)
    rounds = (RoundTrace((), Workflow((Step(0, "do"),)), "fixed", "single", (step,), "yes"),)
    return Trace(f"r{at_s}", "q", "p", ("w",), at_s, seconds, "answered", rounds)


def test_calls_and_workflows_are_read_off_a_run():
    measured = Measurement("the store")
    measured.add(a_trace())

    coder = measured.calls_of("coder", 8)
    assert coder is not None
    assert coder.calls == (Call(1.25, Usage(50, 30)),)
    conductor = measured.calls_of("(conductor)", 1)
    assert conductor is not None
    assert conductor.calls == (Call(0.5, Usage(800, 120)),)
    mix = measured.mix()
    assert mix is not None
    steps = (PlannedStep("coder"), PlannedStep("thinker"), PlannedStep("checker", (0, 1)))
    assert mix.plans == (Plan((PlannedRound(1, steps),)),)
    assert mix.source == "the store: 1 run, 1 different"


def test_calls_that_may_have_waited_for_a_turn_are_left_out():
    measured = Measurement("the store")
    for at_s, seconds in ((0.0, 4.0), (1.0, 4.0), (2.0, 6.0), (100.0, 4.0)):
        measured.add(a_run(at_s, seconds))

    found = measured.calls_of("w", at_once=2)

    assert found is not None
    assert [call.seconds for call in found.calls] == [4.0, 4.0, 4.0]
    assert found.source == "the store: 3 calls (1 more may have waited)"


def test_where_every_call_may_have_waited_they_are_taken_and_it_is_said():
    measured = Measurement("the store")
    measured.add(a_run(0.0, 4.0))

    found = measured.calls_of("w", at_once=0)

    assert found is not None
    assert found.source == "the store: 1 call (waits for a turn included)"


def test_kept_answers_unknown_usages_and_steps_with_tries_tell_nothing_of_a_call():
    measured = Measurement("the store")
    retried = StepRetried(0, 0, 0, "w", "busy", "overloaded", 0.5, Usage(), Decimal(0))
    for run in (
        a_run(0.0, 1.0, cached=True),
        a_run(1.0, 1.0, usage=None),
        a_run(2.0, 9.0, attempts=(retried,), calls=2),
        a_run(3.0, 2.0),
    ):
        measured.add(run)

    found = measured.calls_of("w", 8)

    assert found is not None
    assert [call.seconds for call in found.calls] == [2.0]
    assert found.source == "the store: 1 call (2 not used)"
    assert measured.faults_of("w") == {"overloaded": 0.25}


def test_an_answer_that_was_continued_is_several_calls_of_its_step():
    measured = Measurement("the store")
    cut = StepRetried(0, 0, 0, "w", "cut off", "truncated", 0.0, USAGE, Decimal(0))
    measured.add(a_run(0.0, 2.0, attempts=(cut,), calls=2))

    mix = measured.mix()

    assert mix is not None
    assert mix.plans[0].rounds[0].steps == (PlannedStep("w", (), 2),)
    assert measured.faults_of("w") == {}


def test_workflows_of_runs_without_an_answer_are_left_out():
    measured = Measurement("the store")
    measured.add(replace(a_run(0.0, 1.0), status="stopped", reason="timeout"))

    assert measured.mix() is None
    assert measured.calls_of("w", 8) is not None
    assert measured.calls_of("somebody", 8) is None


def test_a_cell_of_an_evaluation_tells_its_call_and_its_workflow():
    alone = Cell(
        "worker:w",
        "p",
        0,
        "right",
        "",
        "a",
        None,
        "",
        Spent(1, 0, 100, 10, None, {"w": 1}),
        3.5,
        (Played("fixed", "w", (PlayedStep("w", "do", (), "a"),), False, False),),
        ("r",),
    )
    steps = (PlayedStep("w", "do", (), "a"), PlayedStep("v", "do", (0,), "a"))
    trained = replace(
        alone,
        system="trained",
        spent=Spent(4, 2, 300, 30, None, {"w": 1, "v": 1}),
        played=(Played("retry", "", steps, True, False),),
    )
    measured = Measurement("an evaluation")
    for cell in (alone, trained):
        measured.add_cell(cell, "trained")

    calls, mix = measured.calls_of("w", 1), measured.mix()
    assert calls is not None
    assert calls.calls == (Call(3.5, Usage(100, 10)),)
    assert mix is not None
    assert mix.plans == (Plan((PlannedRound(2, (PlannedStep("w"), PlannedStep("v", (0,)))),)),)
