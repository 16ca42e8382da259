import random

from partbook.evaluate.systems.plans import FixedPlan, RandomPlan, random_workflow
from partbook.evaluate.systems.wording import LAB_WORDING, Wording
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.lab import lab_pool
from tests.evaluate.sittings import LAB_QUESTION, calls_of, sitting
from tests.fakes import Echo, pool_of


async def test_a_fixed_plan_is_played_as_it_was_written():
    steps = (FixedStep("w1", "draft"), FixedStep("w0", "mend", (0,)))
    sat = sitting(pool_of(Echo("a"), Echo("b")))

    answer = await FixedPlan("workflow:two", FixedWorkflow("two", "", steps)).answer(sat)

    assert answer == "a(mend)"
    assert calls_of(sat) == 2


def test_random_workflows_have_all_lengths_and_workers_and_no_step_reflects_on_nothing():
    pool, wording = lab_pool(), Wording("answer", "reflect", "merge")
    rng = random.Random(0)
    plans = [random_workflow(pool, wording, 5, rng) for _ in range(300)]

    assert {len(plan.steps) for plan in plans} == {1, 2, 3, 4, 5}
    assert {worker for plan in plans for worker in plan.workers} == set(range(8))
    assert all(step.access for plan in plans for step in plan.steps if step.subtask == "reflect")


async def test_a_random_plan_depends_on_the_sitting_alone():
    plans = []
    for seed in (1, 1, 2, 3, 4):
        sat = sitting(lab_pool(), LAB_QUESTION, seed)
        await RandomPlan("random", LAB_WORDING).answer(sat)
        plans.append(sat.traces[0].rounds[0].workflow)

    assert plans[0] == plans[1]
    assert len(set(plans)) > 2
