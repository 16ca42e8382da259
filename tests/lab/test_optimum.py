import random
from collections import Counter
from decimal import Decimal
from statistics import fmean

import pytest

from partbook.budget import Budget
from partbook.event import StepFinished
from partbook.execute import play
from partbook.lab.optimum import CHECK, expected_accuracy, optimum, parts_workflow, perform
from partbook.lab.pool import lab_pool
from partbook.lab.problem import LabProblem, Part, lab_problem, lab_problems
from partbook.lab.table import WHOLE, random_plan
from partbook.stage import Stage
from partbook.workflow import Step, Workflow

POOL = lab_pool()
PROBLEMS = lab_problems(200, "test")
ADA, BO, CY, DEE, GUS, TIM, VAL, ZED = range(8)


def made(question, answer, *parts):
    return LabProblem("made", "train", question, answer, tuple(Part(*part) for part in parts))


LETTERS = made(
    "Reverse the word lantern, then write it twice.",
    "nretnalnretnal",
    ("reverse", "letters", "reverse the word lantern", ()),
    ("twice", "letters", "write it twice", (0,)),
)
ONE_DATE = made(
    "Find the weekday of 2024-03-05.",
    "tuesday",
    ("weekday", "dates", "find the weekday of 2024-03-05", ()),
)


@pytest.mark.parametrize(
    ("steps", "accuracy"),
    [
        ([Step(DEE, "find the weekday of 2024-03-05")], 0.75),
        ([Step(DEE, WHOLE)], 0.75),
        ([Step(GUS, WHOLE)], 0.65),
        ([Step(ZED, WHOLE)], 0.03),
        # 0.75 × 0.96 + 0.25 × 0.75
        ([Step(DEE, WHOLE), Step(VAL, CHECK, (0,))], 0.9075),
        ([Step(DEE, WHOLE), Step(VAL, CHECK)], 0.0),
        ([Step(DEE, WHOLE), Step(ZED, CHECK, (0,))], 0.075),
        # The same worker with the same words slips in the same places.
        ([Step(DEE, WHOLE), Step(DEE, WHOLE, (0,))], 0.75),
        # A second check of a check judges nothing.
        ([Step(DEE, WHOLE), Step(VAL, CHECK, (0,)), Step(VAL, CHECK, (0, 1))], 0.9075),
        # What the last step does not read makes no difference.
        ([Step(ZED, WHOLE), Step(DEE, WHOLE)], 0.75),
    ],
)
def test_the_expected_accuracy_of_a_workflow_is_computed(steps, accuracy):
    found = expected_accuracy(Workflow(tuple(steps)), ONE_DATE, POOL)

    assert found == pytest.approx(accuracy)


@pytest.mark.parametrize(
    ("second", "accuracy"),
    [
        (Step(BO, "write it twice", (0,)), 0.96 * 0.96),
        (Step(BO, "write it twice"), 0.0),
        (Step(ADA, "write it twice", (0,)), 0.96 * 0.1),
        (Step(BO, "write the word lantern twice", (0,)), 0.0),
    ],
)
def test_wrong_access_a_wrong_specialist_or_a_wrong_subtask_costs_the_answer(second, accuracy):
    workflow = Workflow((Step(BO, "reverse the word lantern"), second))

    assert expected_accuracy(workflow, LETTERS, POOL) == pytest.approx(accuracy)


def test_computed_and_simulated_accuracy_agree():
    rng = random.Random(1)
    attempts = 400
    for problem in PROBLEMS[:24]:
        plans = [optimum(problem, POOL).workflow, random_plan(problem, POOL, rng)]
        plans.append(parts_workflow(problem.parts, [GUS] * len(problem.parts)))
        for plan in plans:
            right = sum(
                problem.is_right(perform(plan, problem.question, POOL, n).answer)
                for n in range(attempts)
            )
            computed = expected_accuracy(plan, problem, POOL)
            spread = (computed * (1 - computed) / attempts) ** 0.5
            assert abs(right / attempts - computed) < 4 * spread + 0.005


def test_the_optimum_is_what_its_workflow_reaches():
    for problem in PROBLEMS[:80]:
        best = optimum(problem, POOL)
        assert expected_accuracy(best.workflow, problem, POOL) == pytest.approx(
            best.accuracy, abs=0.004
        )


def test_no_change_of_the_optimum_is_better_by_more_than_a_tie():
    rng = random.Random(2)
    for problem in PROBLEMS[:40]:
        best = optimum(problem, POOL)
        for _ in range(6):
            steps = list(best.workflow.steps)
            i = rng.randrange(len(steps))
            access = tuple(range(i)) if rng.random() < 0.5 else steps[i].access
            steps[i] = Step(rng.randrange(8), steps[i].subtask, access)
            if len(steps) < 5 and rng.random() < 0.5:
                steps.append(Step(VAL, CHECK, tuple(range(len(steps)))))
            found = expected_accuracy(Workflow(tuple(steps)), problem, POOL)
            assert found <= best.accuracy + 0.006


def test_no_random_plan_is_better_than_the_optimum():
    rng = random.Random(3)
    for problem in PROBLEMS[:60]:
        best = optimum(problem, POOL).accuracy
        for _ in range(5):
            assert expected_accuracy(random_plan(problem, POOL, rng), problem, POOL) < best + 0.006


def test_the_optimum_checks_what_nobody_does_well_and_nothing_else():
    best = optimum(ONE_DATE, POOL)

    assert best.accuracy == pytest.approx(0.9075)
    assert best.workflow == Workflow(
        (Step(DEE, "find the weekday of 2024-03-05"), Step(VAL, CHECK, (0,)))
    )
    for problem in PROBLEMS:
        dates = any(part.skill == "dates" for part in problem.parts)
        assert (VAL in optimum(problem, POOL).workflow.workers) == dates


def test_the_optimum_lets_one_worker_do_neighbouring_parts_in_one_step():
    best = optimum(LETTERS, POOL)

    assert best.workflow == Workflow((Step(BO, "reverse the word lantern, then write it twice"),))
    # 16 words read at a dollar a million, 6 written at four.
    assert best.cost_usd == Decimal("0.00004")


def test_two_steps_are_no_better_than_one_where_one_skill_is_needed():
    for problem in lab_problems(60, "test", difficulties=(1,)):
        (part,) = problem.parts
        if part.skill != "dates":
            worker = optimum(problem, POOL).workflow.workers[0]
            checked = parts_workflow(problem.parts, [worker], [VAL])
            assert len(optimum(problem, POOL).workflow.steps) == 1
            assert expected_accuracy(checked, problem, POOL) < 0.96


def test_the_optimum_takes_more_steps_for_harder_problems():
    steps = {
        level: fmean(
            len(optimum(problem, POOL).workflow.steps)
            for problem in PROBLEMS
            if problem.difficulty == level
        )
        for level in (1, 2, 3, 4)
    }

    assert steps[1] < 1.3 < steps[2] < 2.3 < steps[3] < 2.9 < steps[4]


def test_every_worker_but_the_distractors_has_its_place():
    used = Counter(w for problem in PROBLEMS for w in optimum(problem, POOL).workflow.workers)

    assert set(used) == {ADA, BO, CY, DEE, VAL}


def test_a_smaller_pool_has_its_own_optimum():
    pool = lab_pool(order=("tim", "val", "gus"))
    best = optimum(lab_problem(0, 1), pool)

    # 0.65 × 0.96 + 0.35 × 0.75
    assert best.accuracy == pytest.approx(0.8865)
    assert [pool[w].name for w in best.workflow.workers] == ["gus", "val"]


def test_too_many_coins_are_tossed_instead_of_followed():
    problem = lab_problem(3, 4)
    parts = parts_workflow(problem.parts, [GUS] * 4)
    plan = Workflow((*parts.steps, Step(GUS, WHOLE, (0, 1, 2, 3))))
    five = Workflow(tuple(Step(w, WHOLE, tuple(range(w))) for w in range(5)))

    assert expected_accuracy(plan, problem, POOL) == pytest.approx(0.65**4, abs=0.005)
    # Twenty coins: an estimate.
    assert expected_accuracy(five, problem, POOL) == pytest.approx(0.65**4, abs=0.04)


async def test_the_real_executor_gives_the_same_answers():
    for problem in PROBLEMS[:20]:
        workflow = optimum(problem, POOL).workflow
        events = []
        stage = Stage(problem.question, POOL, Budget(), events.append, lambda: 0.0)

        answer = await play(workflow, stage)

        played = perform(workflow, problem.question, POOL)
        assert answer == played.answer
        costs = [event.cost_usd for event in events if isinstance(event, StepFinished)]
        assert sum(costs) == played.cost_usd
