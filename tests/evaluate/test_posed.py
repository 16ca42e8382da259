"""Problems as they are posed."""

import pytest

from partbook.evaluate.posed import drawn, lab_posed, lab_workers, task_posed
from partbook.lab import lab_problems
from partbook.tasks.problem import Problem
from partbook.train.row import lab_rows
from tests.evaluate.world import Knows
from tests.fakes import pool_of


def problems(count: int) -> list[Problem]:
    return [
        Problem(str(i), "t", f"q{i}?", "short", "short", reference="yes", level="3")
        for i in range(count)
    ]


def test_the_lab_poses_the_problems_and_orders_of_a_training_run():
    found = lab_posed(8, "test", 3)

    rows = lab_rows(8, "test", 3)
    assert [posed.question for posed in found] == [row.question for row in rows]
    assert [posed.pool.names for posed in found] == [row.order for row in rows]
    assert [posed.reference for posed in found] == [p.answer for p in lab_problems(8, "test", 3)]
    assert [posed.difficulty for posed in found] == ["1", "2", "3", "4"] * 2


async def test_the_lab_judges_by_the_stated_value():
    posed = lab_posed(1)[0]

    right = await posed.judge.judge(f"I think so. Answer: {posed.reference.upper()}.")
    wrong = await posed.judge.judge("Answer: nothing")

    assert (right.outcome, wrong.outcome, wrong.answer) == ("right", "wrong", "nothing")


def test_the_labs_workers_have_the_roles_that_fixed_workflows_ask_for():
    pool = lab_workers(order=["zed", "gus", "val"])

    assert pool.names == ("zed", "gus", "val")
    assert (pool.find("general"), pool.find("check")) == (1, 2)


def test_a_larger_limit_keeps_what_a_smaller_one_has_taken():
    all_of_them = problems(50)

    few, more = drawn(all_of_them, 5, 0), drawn(all_of_them, 20, 0)

    assert few == more[:5]
    assert few != all_of_them[:5]
    assert few != drawn(all_of_them, 5, 1)
    assert drawn(all_of_them, None, 0) == all_of_them


def test_a_task_is_posed_as_a_worker_sees_it():
    pool = pool_of(Knows())

    posed = task_posed(problems(1), pool)[0]

    assert posed.id == "t/0"
    assert posed.question.startswith("q0?\n\nReason step by step first")
    assert (posed.difficulty, posed.reference) == ("3", "yes")


def test_a_task_that_is_asked_bare_has_no_words_on_the_answers_form():
    posed = task_posed(problems(1), pool_of(Knows()), bare=True)[0]

    assert posed.question == "q0?"


@pytest.mark.parametrize("change", ["question", "workers"])
def test_the_digest_tells_other_words_and_other_workers_apart(change):
    one, two = pool_of(Knows()), pool_of(Knows(), Knows())
    before = task_posed(problems(2), one)

    after = before[1] if change == "question" else task_posed(problems(1), two)[0]

    assert before[0].digest != after.digest
    assert before[0].digest == task_posed(problems(1), one)[0].digest
