from partbook.cli.live import _Running
from partbook.event import StepRetried, StepStarted
from partbook.message import Usage


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
