import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.errors import ConfigError
from partbook.train.environment import Outcome, lab_environment
from partbook.train.grpo import build_trainer
from partbook.train.policy import new_net, prompt_text
from partbook.train.preset import load_preset
from partbook.train.recursion import (
    PairedRollouts,
    frozen_first_rounds,
    in_pairs,
    paired_rewards,
)
from partbook.train.row import Row, lab_rows
from partbook.train.scoring import Scoring
from partbook.train.second_look import told_apart
from tests.train.lab_case import RIGHT, ROW, WRONG
from tests.train.small_net import SMALL_NET

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

KEEP = "model_id = []\nsubtasks = []\naccess_list = []"

SMALL = [
    *SMALL_NET,
    "grpo.problems=2",
    "grpo.rollouts=4",
    "grpo.steps=2",
    "grpo.stop_below_valid=0",
    "grpo.evaluate_every=0",
    "max_completion=8",
    "trainer.gradient_accumulation_steps=1",
    "trainer.top_entropy_quantile=1.0",
]


@pytest.mark.parametrize(
    ("first", "second", "roots", "laters"),
    [
        # 0.75 x 0.5 + 0.25 x 1, 0.75 x 1 + 0.25 x 0.5, 0.75 x 0 + 0.25 x 0.5
        ([0.5, 1.0, 0.0], [1.0, 0.5, 0.5], [0.625, 0.875, 0.125], [1.0, 0.5, 0.5]),
        ([1.0, None, 0.5], [None, 1.0, 0.5], [None, None, 0.5], [None, None, 0.5]),
    ],
)
def test_a_first_round_gets_a_quarter_of_what_its_second_brought(first, second, roots, laters):
    assert paired_rewards(first, second, 0.25) == (roots, laters)


async def second_rounds(first, texts):
    environment = lab_environment()
    (before,) = await environment.score([ROW], [first])
    found = await environment.score([ROW] * len(texts), texts, [before.trace] * len(texts))
    return before, found


async def test_a_second_round_is_scored_by_the_answer_that_it_leaves():
    _, found = await second_rounds(WRONG, [RIGHT, WRONG, KEEP, "no lists"])

    assert [(one.reward, one.verdict) for one in found] == [
        (1.0, "right"),
        (0.5, "wrong"),
        (0.5, "wrong"),
        (0.0, "unparsed"),
    ]
    assert [one.kept for one in found] == [False, False, True, False]
    assert [one.valid for one in found] == [True, True, True, False]


async def test_keeping_a_right_answer_is_right():
    _, (kept,) = await second_rounds(RIGHT, [KEEP])

    assert (kept.reward, kept.verdict) == (1.0, "right")


async def test_nothing_of_the_first_round_is_played_again():
    before, (after,) = await second_rounds(WRONG, [RIGHT])

    assert after.trace.run_id == before.trace.run_id
    assert len(after.trace.rounds) == 2
    assert after.trace.rounds[0].steps == before.trace.rounds[0].steps


class Scripted:
    """Writes given texts in the place of TRL's model."""

    def __init__(self, tokenizer, *answers):
        self.tokenizer, self.answers, self.asked = tokenizer, list(answers), []
        self.state = SimpleNamespace(global_step=0)

    def _generate_single_turn(self, prompt_ids, images, fields, generations):
        self.asked.append(self.tokenizer.batch_decode(prompt_ids))
        texts = self.answers.pop(0)
        return [self.tokenizer(text)["input_ids"] for text in texts], None


def paired(*changes):
    preset = load_preset("tiny", ["grpo.recursion=paired", "grpo.rollouts=2", *changes])
    tokenizer = new_net(preset.policy, 0).tokenizer
    environment = lab_environment()
    prompt = prompt_text(tokenizer, "bare", ROW, environment)
    return PairedRollouts(environment, preset, tokenizer, {prompt: ROW}), tokenizer, prompt


def test_second_rounds_see_the_answer_of_their_own_first_round_and_both_are_rewarded():
    rollouts, tokenizer, prompt = paired()
    writer = Scripted(tokenizer, [RIGHT, WRONG], [KEEP, RIGHT])

    found = rollouts.rollouts([prompt] * 4, writer)

    assert found["worth"] == [1.0, 0.75 * 0.5 + 0.25 * 1.0, 1.0, 1.0]
    right, wrong = writer.asked[1]
    assert "answer so far: i worked it out. answer: 5" in right
    assert "answer so far: " in wrong
    assert right != wrong
    assert [len(ids) for ids in found["prompt_ids"]] == [
        len(tokenizer(text)["input_ids"]) for text in (prompt, prompt, right, wrong)
    ]
    completions = tokenizer.batch_decode(found["completion_ids"])
    assert completions == [text.lower() for text in (RIGHT, WRONG, KEEP, RIGHT)]


def test_what_second_rounds_did_is_noted():
    rollouts, tokenizer, prompt = paired()
    noted = {}
    found = rollouts.rollouts([prompt] * 4, Scripted(tokenizer, [RIGHT, WRONG], [KEEP, RIGHT]))

    rewards = asyncio.run(rollouts(["", "", "", ""], found["worth"], noted.__setitem__))

    assert rewards == found["worth"]
    assert (noted["accuracy"], noted["second_accuracy"]) == (0.5, 1.0)
    assert (noted["kept"], noted["mended"], noted["spoiled"]) == (0.5, 1.0, 0.0)


def test_a_first_round_without_an_answer_is_begun_anew():
    rollouts, tokenizer, prompt = paired()
    writer = Scripted(tokenizer, ["no lists", RIGHT], [RIGHT, KEEP])

    found = rollouts.rollouts([prompt] * 4, writer)

    assert writer.asked[1][0] == prompt.lower()
    assert found["worth"] == [0.25, 1.0, 1.0, 1.0]


def test_first_rounds_without_their_second_ones_are_refused():
    rollouts, tokenizer, prompt = paired()

    with pytest.raises(ConfigError, match="2 rollouts are no multiple of 4"):
        rollouts.rollouts([prompt] * 2, Scripted(tokenizer))


def test_rows_stand_in_pairs():
    assert [row.round for row in in_pairs([ROW, ROW])] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("grpo.recursion=deep", "`recursion` must be one of none, paired, frozen; found 'deep'"),
        ("grpo.discount=2", "`discount` must be from 0 to 1"),
        ("grpo.problems=3", "paired recursion needs an even number of `problems`"),
        ("grpo.equal_rewards=true", "and no `equal_rewards`"),
    ],
)
def test_recursion_that_cannot_work_is_refused(change, message):
    with pytest.raises(ConfigError, match=message):
        load_preset("tiny", ["grpo.recursion=paired", change])


def small(recursion):
    torch.set_num_threads(1)
    preset = load_preset("tiny", [*SMALL, f"grpo.recursion={recursion}"])
    return preset, new_net(preset.policy, 0), lab_rows(4)


def test_a_run_of_pairs_trains_both_rounds_of_a_problem(tmp_path):
    preset, net, rows = small("paired")
    logs = []
    built, _ = build_trainer(
        preset, net, in_pairs(rows[:2]), Scoring(lab_environment()), tmp_path, 0,
        lambda step, values: logs.append(values),
    )  # fmt: skip

    built.train()

    assert len(logs) == 2
    # An untrained net writes no workflow, neither at first nor when it begins anew.
    assert [(log["valid"], log["reward"]) for log in logs] == [(0.0, 0.0)] * 2


def test_second_rounds_alone_are_trained_over_first_rounds_that_stay():
    environment = lab_environment()
    (run,) = asyncio.run(environment.score([ROW], [RIGHT]))
    scoring = Scoring(environment, before={run.trace.run_id: run.trace})
    second = Row(ROW.problem, ROW.question, ROW.order, round=1, parent=run.trace.run_id)

    rewards = asyncio.run(scoring([KEEP, WRONG, "no"], [second.to_json()] * 3))

    assert rewards == [1.0, 0.5, 0.0]


def test_a_first_round_without_an_answer_stays_a_first_round():
    preset, net, rows = small("frozen")

    later, runs = frozen_first_rounds(net, preset, lab_environment(), rows, 0)

    assert (later, runs) == (rows, {})  # an untrained net writes no workflow


def outcomes(*verdicts):
    rewards = {"right": 1.0, "wrong": 0.5, "unparsed": 0.0, "worker": None}
    run = SimpleNamespace(status="answered", rounds=(), answer="x")
    return [Outcome(rewards[verdict], verdict, run) for verdict in verdicts]


def test_a_second_look_is_told_apart_by_whether_the_first_was_right():
    found = told_apart(
        outcomes("right", "right", "wrong", "wrong", "wrong", "wrong", "right"),
        outcomes("right", "wrong", "right", "right", "wrong", "worker", "unparsed"),
        outcomes("wrong", "right", "right", "wrong", "wrong", "right", "wrong"),
    )

    assert found.problems == 6
    assert (found.first.right, found.second.right, found.fresh.right) == (3, 4, 2)
    # The answer of a first round stands where the text of the second holds no workflow.
    assert (found.second_where_right.right, found.second_where_right.of) == (2, 3)
    assert (found.second_where_wrong.right, found.second_where_wrong.of) == (2, 3)
    assert (found.fresh_where_wrong.right, found.fresh_where_wrong.of) == (1, 3)
