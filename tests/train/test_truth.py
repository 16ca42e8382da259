import pytest

from partbook.errors import ConfigError
from partbook.tasks.problem import Problem
from partbook.train.row import lab_rows
from partbook.train.truth import Truth, check_truth, lab_truth, task_truth


def problem(number, **values):
    usual = {"question": "?", "judge": "short", "format": "short", "reference": "5 m"}
    return Problem(id=str(number), task="t", **{**usual, **values})


async def test_the_labs_own_answers_are_right():
    assert await lab_truth(lab_rows(12)) == Truth(10, 10, 0, ())


async def test_a_sample_of_every_task_is_judged():
    problems = {f"t/{i}": problem(i) for i in range(30)}

    assert await task_truth(problems) == Truth(10, 10, 0, ())


async def test_a_problem_without_a_reference_is_not_judged():
    odd = problem(1, judge="pattern", format="exact", pattern="a+", reference="", rubric="x")

    assert await task_truth({"t/1": odd}) == Truth(0, 0, 1, ())


async def test_a_reference_that_is_refused_stops_the_run():
    odd = problem(1, judge="pattern", format="exact", pattern="b+", reference="aa")

    truth = await task_truth({"t/0": problem(0), "t/1": odd})

    with pytest.raises(ConfigError, match=r"only 1 of 2 references .* t/1: wrong: the text does"):
        check_truth(truth)
