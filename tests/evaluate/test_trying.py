from partbook.evaluate.posed import lab_posed
from partbook.evaluate.trying import posed_trial
from partbook.lab import lab_pool, optimum
from partbook.workflow import Step, Workflow
from tests.evaluate.sittings import play
from tests.fakes import Failing, pool_of


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
