import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.train.environment import lab_environment
from partbook.train.grpo import build_trainer
from partbook.train.policy import new_net
from partbook.train.preset import load_preset
from partbook.train.row import Row, lab_rows
from partbook.train.scoring import Scoring
from tests.train.small_net import SMALL_NET

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

CHANGES = [
    *SMALL_NET,
    "grpo.problems=2",
    "grpo.rollouts=2",
    "grpo.steps=1",
    "grpo.stop_below_valid=0",
    "grpo.evaluate_every=0",
    "max_completion=4",
    "trainer.gradient_accumulation_steps=1",
]


class Given(Scoring):
    """Hands out rewards that a test has written down, and notes which row got which."""

    def __init__(self, rewards):
        super().__init__(lab_environment())
        self.given, self.rows = rewards, []

    async def __call__(self, completions, row, log_metric=None, **others):
        self.rows = [Row.from_json(text).problem for text in row]
        return self.given[: len(completions)]


def advantages(tmp_path, rewards):
    torch.set_num_threads(1)
    preset = load_preset("tiny", CHANGES)
    scoring, net = Given(rewards), new_net(preset.policy, 0)
    rows = lab_rows(2, "train", 0, (1,))
    trainer, _ = build_trainer(preset, net, rows, scoring, tmp_path, 0, lambda step, logs: None)
    seen = []
    compute = trainer._compute_loss

    def noting(model, inputs):
        seen.extend(inputs["advantages"].tolist())
        return compute(model, inputs)

    trainer._compute_loss = noting
    trainer.train()
    return scoring.rows, seen


def test_a_hard_problem_is_compared_with_itself_and_not_with_an_easy_one(tmp_path):
    rows, found = advantages(tmp_path, [1.0, 0.5, 0.5, 0.0])

    assert rows[0] == rows[1] != rows[2] == rows[3]
    # The batch is shuffled before the update: two advantages up, two down, and nothing between.
    assert sorted(round(value, 1) for value in found) == [-0.7, -0.7, 0.7, 0.7]


def test_one_rollout_without_a_reward_leaves_the_others_finite(tmp_path):
    _, found = advantages(tmp_path, [1.0, None, 1.0, 0.0])

    assert sorted(round(value, 1) for value in found) == [-0.7, 0.0, 0.0, 0.7]


@pytest.mark.parametrize("reward", [float("nan"), float("inf"), -0.5, 1.5])
def test_what_is_no_reward_is_not_learned_from(tmp_path, reward):
    _, found = advantages(tmp_path, [1.0, reward, 1.0, 0.0])

    assert sorted(round(value, 1) for value in found) == [-0.7, 0.0, 0.0, 0.7]
