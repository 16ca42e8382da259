from partbook.cli.live import LiveView, _Running
from partbook.event import (
    Planned,
    RoundStarted,
    RoundUnanswered,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    StepText,
)
from partbook.message import Usage
from partbook.workflow import Step, Workflow


def retried(kept_chars: int = 0) -> StepRetried:
    return StepRetried(0, 0, 0, "w", "busy", "server", 0.5, Usage(), None, kept_chars)


def running(*pieces: str) -> _Running:
    step = _Running(StepStarted(0, 0, "w", (), 0.0))
    for piece in pieces:
        step.add(piece)
    return step


def test_a_try_that_failed_takes_its_text_with_it():
    step = running("abc")

    step.restart(retried())
    step.add("abcdef")

    assert step.text == "abcdef"


def test_a_text_that_is_continued_stays():
    step = running("The ans")

    step.restart(retried(7))
    step.add("wer w")
    step.restart(retried(7))
    step.add("wer is 12.")

    assert step.text == "The answer is 12."


def test_of_a_long_text_that_is_continued_the_tail_stays():
    step = running("a" * 3000, "b" * 10)

    step.restart(retried(3005))
    step.add("c")

    assert step.text == "a" * 1990 + "b" * 5 + "c"


def test_a_round_that_carries_out_a_step_runs_beside_it(capsys):
    view = LiveView()
    whole, part = Workflow((Step(1, "a"),)), Workflow((Step(0, "b"), Step(0, "c", (0,))))
    for event in (
        RunStarted("r", "q", "p", ("w", "myself"), 0.0, 2),
        RoundStarted(0),
        Planned(0, whole, "conductor"),
        StepStarted(0, 0, "myself", (), 0.0),
        RoundStarted(1, (0, 0)),
        Planned(1, part, "conductor"),
        StepStarted(1, 0, "w", (), 0.0),
        StepText(1, 0, "x"),
        StepFinished(1, 0, 1.0, "inner answer", None, "m", Usage(), None, "stop"),
        StepStarted(1, 1, "w", (), 0.0),
        RoundUnanswered(0, "timeout", "the limit of 1 s is reached"),
        RoundStarted(2),
        RoundUnanswered(2, "kept", "the Conductor kept the answer"),
    ):
        view.add(event)
    view.close()

    shown = capsys.readouterr().out
    places = [
        shown.index(text)
        for text in (
            "round 1 for step 0 of round 0",
            "inner answer",
            "the limit of 1 s is reached",
            "round 2",
            "the Conductor kept the answer",
        )
    ]
    assert places == sorted(places)
    assert view._running == {}
