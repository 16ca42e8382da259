import asyncio

import pytest

from partbook.errors import ConfigError
from partbook.evaluate.posed import lab_posed
from partbook.evaluate.systems.measured import Measured, Tried, measure, posed_trial
from partbook.evaluate.systems.wording import Wording
from partbook.lab import lab_pool, optimum
from partbook.workflow import Step, Workflow
from tests.evaluate.sittings import play
from tests.evaluate.topics import measured
from tests.fakes import Echo, Failing, pool_of


def table(right, cost=None):
    cost = cost or tuple(tuple(0.0 for _ in row) for row in right)
    names = tuple(f"w{i}" for i in range(len(right[0])))
    questions = tuple(f"q{i}" for i in range(len(right)))
    answers = tuple(tuple("" for _ in row) for row in right)
    return Measured(names, questions, right, cost, answers)


def test_the_best_worker_is_right_most_often():
    found = table(((True, False, True), (False, False, True)))

    assert found.best() == "w2"
    assert found.accuracy("w0") == 0.5


def test_of_equally_good_workers_the_cheapest_is_the_best():
    assert table(((True, True),), ((0.2, 0.1),)).best() == "w1"


def test_what_was_not_judged_counts_for_nothing():
    found = table(((True, None), (False, True), (False, None)))

    assert found.accuracy("w1") == 1.0
    assert found.best() == "w1"


def test_a_table_survives_being_written():
    found = table(((True, None), (False, True)))

    assert Measured.from_json(found.to_json()) == found


@pytest.mark.parametrize("text", ["", "[]", '{"workers": ["a"]}', '{"workers": 3}'])
def test_another_file_is_refused(text):
    with pytest.raises(ConfigError, match="no table of measured workers"):
        Measured.from_json(text)


def test_a_table_with_a_hole_is_refused():
    with pytest.raises(ConfigError, match="1 problems and 2 workers was expected"):
        Measured(("a", "b"), ("q",), ((True,),), ((0.0, 0.0),), (("", ""),))
    with pytest.raises(ConfigError, match="nothing was measured"):
        Measured(("a",), (), (), (), ())


def test_figures_of_another_pool_are_refused():
    with pytest.raises(ConfigError, match="w1 are not in pool 'test'"):
        measured().check_pool(pool_of(Echo("a")))


async def test_measuring_asks_every_worker_every_question_once():
    asked = []

    async def trial(index, workflow):
        (step,) = workflow.steps
        asked.append((index, step.worker, step.subtask))
        return Tried(step.worker == 1, 0.5, f"answer {index}")

    wording = Wording("go", "", "")
    found = await measure(["q0", "q1"], pool_of(Echo("a"), Echo("b")), trial, wording)

    assert sorted(asked) == [(0, 0, "go"), (0, 1, "go"), (1, 0, "go"), (1, 1, "go")]
    assert found.right == ((False, True), (False, True))
    assert found.answers == (("answer 0",) * 2, ("answer 1",) * 2)
    assert found.best() == "w1"


async def test_no_more_trials_go_on_at_once_than_are_allowed():
    going = most = 0

    async def trial(index, workflow):
        nonlocal going, most
        going += 1
        most = max(most, going)
        await asyncio.sleep(0)
        going -= 1
        return Tried(True, 0.0, "")

    await measure(["q"] * 9, pool_of(Echo("a"), Echo("b")), trial, concurrency=4)

    assert most == 4


async def test_a_trial_plays_on_its_own_pool_and_asks_the_problems_judge():
    posed = lab_posed(1, "validation", difficulties=(1,))
    pool = lab_pool()
    trial = posed_trial(posed, pool, play)
    best = optimum(posed[0].judge.problem, pool).workflow

    tried = await trial(0, best)
    wrong = await trial(0, Workflow((Step(pool.find("zed"), "Answer the question."),)))

    assert (tried.right, wrong.right) == (True, False)
    assert posed[0].reference in tried.answer.lower()
    assert tried.cost_usd > 0


async def test_an_outage_is_not_judged():
    trial = posed_trial(lab_posed(1, "validation"), pool_of(Failing(), retries=0), play)

    tried = await trial(0, Workflow((Step(0, "go"),)))

    assert tried.right is None
