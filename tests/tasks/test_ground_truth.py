import asyncio
from dataclasses import dataclass

from partbook.errors import ConfigError
from partbook.tasks.ground_truth import CONCURRENT, ground_truth
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem
from tests.fakes import Scripted, pool_of


def problem(name, reference="Lima", **change):
    given = {"task": "t", "question": "q", "judge": "short", "format": "short"}
    return Problem(**{"id": name, "reference": reference, **given, **change})


@dataclass
class Saying:
    outcome: str

    async def judge(self, text):
        return Verdict(self.outcome, text, "so it says")


async def test_references_that_pass_make_a_task_sound():
    truth = await ground_truth([problem("1"), problem("2", "42 %")])

    assert (truth.score, truth.sound, truth.without_reference) == (1.0, True, 0)


async def test_wrong_and_not_judged_are_both_offences_and_are_named_in_order():
    says = {"1": "wrong", "2": "right", "3": "not judged"}

    truth = await ground_truth([problem(name) for name in says], lambda p: Saying(says[p.id]))

    assert [(o.problem.id, o.outcome, o.reason) for o in truth.offenders] == [
        ("1", "wrong", "so it says"),
        ("3", "not judged", "so it says"),
    ]
    assert (truth.right, truth.judged, truth.sound) == (1, 3, False)


async def test_a_problem_whose_judge_cannot_be_made_is_an_offence():
    truth = await ground_truth([problem("1", judge="oracle")])

    (offender,) = truth.offenders
    assert offender.outcome == "not judged"
    assert offender.reason.startswith("there is no judge 'oracle'")


async def test_problems_without_a_reference_are_counted_and_not_judged():
    def refuse(_):
        raise ConfigError("not to be asked")

    truth = await ground_truth([problem("1", "", rubric="is polite")], refuse)

    assert (truth.without_reference, truth.score, truth.sound) == (1, None, True)


async def test_many_references_are_judged_at_once_but_not_all():
    now, most = 0, 0

    class Counting:
        async def judge(self, text):
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            return Verdict("right", text, "")

    await ground_truth([problem(str(i)) for i in range(100)], lambda _: Counting())

    assert most == CONCURRENT


async def test_references_that_a_model_judges_name_it():
    rubric = {"judge": "rubric", "format": "open", "rubric": "names a capital"}
    problems = [problem("1", **rubric), problem("2", **rubric), problem("3")]
    grader = pool_of(Scripted(["VERDICT: right"] * 3 + ["VERDICT: wrong"]))[0]

    truth = await ground_truth(problems, lambda one: judge_for(one, grader))

    assert (truth.right, truth.judged_by) == (2, ("scripted",))
    assert [(o.problem.id, o.outcome, o.judged_by) for o in truth.offenders] == [
        ("2", "not judged", "scripted")
    ]
