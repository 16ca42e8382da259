"""Ways in which training runs of other projects were misled, each with what is right."""

import math

import pytest

from partbook.reward import without_lost_groups
from partbook.tasks.judging import judge_for
from partbook.tasks.problem import Problem
from partbook.train.environment import Outcome, lab_environment
from partbook.train.row import Row
from partbook.train.scoring import Scoring, step_metrics

ROW = Row("train-1-0", "Please find the smallest of 154, 138, 63 and 167.", ("cy", "ada"))
LISTS = 'model_id = [0]\nsubtasks = ["Add 2 and 2."]\naccess_list = [[]]'


async def outcome(text):
    (found,) = await lab_environment().score([ROW], [text])
    return found


@pytest.mark.parametrize(
    "text",
    [
        "<think> a </think>\n<think> b </think>\n<answer> 1 </answer>\n<answer> 2 </answer>",
        'Model 1: geometry. Model 4: unknown.\n[0, 1, 2] ["think", "solve"] [[], [0]]',
        "",
        "model_id = [0]",
    ],
    ids=["blocks twice", "lists without names", "nothing", "one list of three"],
)
async def test_what_only_looks_like_a_workflow_earns_nothing_and_calls_nobody(text):
    found = await outcome(text)

    assert found.reward == 0.0
    assert found.trace.rounds == () or found.trace.rounds[-1].steps == ()


async def test_reasoning_whose_opening_tag_is_in_the_prompt_is_no_fault():
    found = await outcome(f"2 plus 2.\n</think>\n{LISTS}")

    assert found.valid
    assert found.reward in (0.5, 1.0)


@pytest.mark.parametrize(
    ("answer", "right"),
    [("", False), ("beagle", True), ("a beagle or a pug or a boxer", False)],
)
async def test_neither_an_empty_answer_nor_a_list_of_guesses_is_paid(answer, right):
    problem = Problem("t-1", "t", "Which dog?", "short", "short", reference="beagle")

    verdict = await judge_for(problem).judge(answer)

    assert bool(verdict.right) is right


async def test_every_rollout_is_played_once_and_judged_once():
    judged = []

    async def judge(row, answer):
        judged.append(answer)
        return True

    lab = lab_environment()
    environment = type(lab)(lab.pool_of, judge, lab.limits)

    outcomes = await environment.score([ROW] * 64, [LISTS] * 64)

    assert len(judged) == 64
    assert [len(one.trace.rounds[-1].steps) for one in outcomes] == [1] * 64


async def test_rewards_are_only_ever_three_numbers_or_none():
    rewards = await Scoring(lab_environment())([LISTS, "no", LISTS], [ROW.to_json()] * 3)

    assert set(rewards) <= {0.0, 0.5, 1.0, None}


def test_what_could_not_be_judged_does_not_move_the_means():
    judged = [Outcome(1.0, "right"), Outcome(0.5, "wrong")]
    skipped = [Outcome(None, "not judged")] * 4

    alone, beside = step_metrics([ROW] * 2, judged), step_metrics([ROW] * 6, judged + skipped)

    assert alone["accuracy"] == beside["accuracy"] == 0.5
    assert not any(math.isnan(value) for value in beside.values())


def test_dropping_a_group_leaves_the_rewards_in_their_rows():
    assert without_lost_groups([1, 0, None, 0, 1, 1], 2) == [1, 0, None, None, 1, 1]
