import pytest

from partbook.errors import ConfigError
from partbook.tasks.judges.judge import JUDGES, judge_from

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
