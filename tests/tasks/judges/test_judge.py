import pytest

from partbook.errors import ConfigError
from partbook.tasks.judges.judge import JUDGES, MODEL_JUDGES, judge_from
from tests.fakes import Scripted, pool_of

ROWS = {
    "maths": ({"reference": r"\frac{1}{2}"}, r"\boxed{0.5}", r"\boxed{5}"),
    "choice": ({"reference": "B", "letters": ["A", "B"]}, "Answer: B", "Answer: A"),
    "short": ({"reference": "Paris"}, "paris", "London"),
    "exact": ({"reference": "Paris"}, "Paris", "paris"),
    "pattern": ({"pattern": "P.*s"}, "Paris", "London"),
}


@pytest.mark.parametrize("kind", ROWS)
async def test_every_judge_is_made_by_name_from_a_row(kind):
    row, right, wrong = ROWS[kind]
    judge = judge_from(kind, row)

    assert kind in JUDGES
    assert (await judge.judge(right)).right
    assert (await judge.judge(wrong)).outcome == "wrong"


@pytest.mark.parametrize(
    ("kind", "row", "message"),
    [
        ("math", {"reference": "1"}, "there is no judge 'math'"),
        ("maths", {"gold": "1"}, "has no field 'gold'"),
        ("maths", {}, "field 'reference' must be text"),
        ("maths", {"reference": 1}, "field 'reference' must be text"),
        ("choice", {"reference": "A", "letters": "ABCD"}, "must be a list of letters"),
        ("choice", {"reference": "A", "options": ["x"]}, "must be a table"),
        ("choice", {"reference": "E"}, "which is none of the options"),
        ("pattern", {"pattern": "("}, "is no regular expression"),
        ("pattern", {"pattern": "a", "whole": 1}, "must be true or false"),
        ("short", {"reference": " "}, "needs a reference"),
    ],
)
def test_a_row_that_makes_no_judge_is_a_users_mistake(kind, row, message):
    with pytest.raises(ConfigError, match=message):
        judge_from(kind, row)


async def test_a_judge_that_is_a_model_is_made_with_a_worker_and_not_without():
    (kind,) = MODEL_JUDGES
    grader = pool_of(Scripted(["VERDICT: right"] * 2))[0]
    row = {"question": "Which metal?", "rubric": "names a metal"}

    verdict = await judge_from(kind, row, grader).judge("Iron.")

    assert verdict.right
    with pytest.raises(ConfigError, match=r"'rubric' is a model, and none was given; .*--grader"):
        judge_from(kind, row)
    with pytest.raises(ConfigError, match="field 'rubric' must be text"):
        judge_from(kind, {"question": "Which metal?"}, grader)


async def test_a_rule_calls_no_model():
    model = Scripted([])

    verdict = await judge_from("short", {"reference": "Paris"}, pool_of(model)[0]).judge("Paris")

    assert (verdict.right, verdict.judged_by, model.heard) == (True, "", [])
