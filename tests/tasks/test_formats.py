import pytest

from partbook.tasks.formats import FORMAT_OF, INSTRUCTIONS, reference_text, shown
from partbook.tasks.judges.judge import judge_names
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem


def problem(**change):
    given = {"id": "1", "task": "t", "question": "q?", "judge": "short", "format": "short"}
    return Problem(**{**given, "reference": "Lima", **change})


def test_question_choices_and_format_stand_in_this_order():
    text = shown(problem(judge="choice", format="letter", choices=("x", "y"), reference="B"))

    assert text == "q?\n\nA. x\nB. y\n\n" + INSTRUCTIONS["letter"]


def test_an_open_question_is_shown_alone():
    assert shown(problem(format="open", rubric="names the capital")) == "q?"


def test_every_judge_has_a_format():
    assert set(judge_names()) <= set(FORMAT_OF)


@pytest.mark.parametrize(
    ("judge", "reference"),
    [("maths", r"\frac{1}{2}"), ("maths", "-7, 7"), ("short", "4.2 m/s"), ("exact", "Yes, it is.")],
)
async def test_an_answer_in_the_format_passes_and_another_one_does_not(judge, reference):
    asked = problem(judge=judge, format=FORMAT_OF[judge], reference=reference)
    other = problem(judge=judge, format=FORMAT_OF[judge], reference="12345")

    right = await judge_for(asked).judge("So it is.\n" * (judge != "exact") + reference_text(asked))
    wrong = await judge_for(asked).judge(reference_text(other))

    assert (right.outcome, wrong.outcome) == ("right", "wrong")
