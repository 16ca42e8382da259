import asyncio
import inspect
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("datasets")

import torch
from datasets import Dataset

from partbook.budget import Limits
from partbook.cli.verl_reward import compute_score
from partbook.errors import ConfigError
from partbook.lab import lab_pool
from partbook.train.environment import Environment, lab_environment, lab_judge
from partbook.train.preset import load_preset
from partbook.train.row import Row, lab_rows
from partbook.train.verl import (
    advantages_of_whole_groups,
    read_verl_run,
    score_rollout,
    verl_rows,
    write_verl_data,
)
from partbook.train.verl_launch import launch_command
from tests.train.lab_case import RIGHT, ROW, WRONG

INFO = {"row": ROW.to_json()}
CHANGES = ["grpo.steps=2", "grpo.problems=2", "data.tasks=[]", "data.pool=''"]
KEYS = {"score", "acc", "valid", "lost", "steps", "calls"}


@pytest.mark.parametrize(
    ("text", "score", "valid"),
    [(RIGHT, 1.0, 1.0), (WRONG, 0.5, 1.0), ("no lists", 0.0, 0.0)],
)
async def test_a_rollout_gets_the_reward_of_the_paper(text, score, valid):
    found = await score_rollout(lab_environment(), text, INFO)

    assert set(found) == KEYS
    assert (found["score"], found["valid"], found["lost"]) == (score, valid, 0.0)


async def test_a_rollout_without_a_verdict_is_no_number():
    broken = Environment(
        lambda row: lab_pool(row.world, row.order), lab_judge, Limits(calls=0, timeout_s=5.0)
    )

    found = await score_rollout(broken, RIGHT, INFO)

    assert set(found) == KEYS
    assert math.isnan(found["score"])
    assert found["lost"] == 1.0


async def test_a_data_row_of_somebody_else_is_refused():
    with pytest.raises(ConfigError, match="no `row` in its extra_info"):
        await score_rollout(lab_environment(), RIGHT, {})


def test_a_group_that_lost_a_member_has_no_advantage():
    rewards = torch.tensor([[0.0, 1.0], [0.0, 0.5], [0.0, math.nan], [1.0, 0.0]])
    mask = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]])

    advantages, returns = advantages_of_whole_groups(rewards, mask, ["a", "a", "b", "b"])

    assert torch.equal(advantages, returns)
    expected = [[0.7071, 0.7071], [-0.7071, -0.7071], [0.0, 0.0], [0.0, 0.0]]
    assert torch.allclose(advantages, torch.tensor(expected), atol=1e-4)


def test_a_group_is_found_by_its_name_and_not_by_its_place():
    rewards = torch.tensor([[1.0], [0.5], [0.5], [1.0]])

    advantages, _ = advantages_of_whole_groups(rewards, torch.ones(4, 1), ["a", "b", "a", "b"])

    assert torch.sign(advantages[:, 0]).tolist() == [1.0, -1.0, -1.0, 1.0]


def test_a_group_without_spread_and_a_group_of_one_have_no_advantage():
    rewards = torch.tensor([[0.5], [0.5], [1.0]])

    advantages, _ = advantages_of_whole_groups(rewards, torch.ones(3, 1), ["a", "a", "b"])

    assert advantages[:, 0].tolist() == [0.0, 0.0, 0.0]


def test_the_data_holds_the_prompt_and_no_answer(tmp_path):
    rows = lab_rows(4)
    write_verl_data("smollm2", CHANGES, rows, lab_environment(), 0, tmp_path)

    table = Dataset.from_parquet(str(tmp_path / "train.parquet"), cache_dir=str(tmp_path / "c"))
    assert table.column_names == [
        "data_source", "prompt", "ability", "reward_model", "extra_info",
    ]  # fmt: skip
    assert [Row.from_json(one["extra_info"]["row"]) for one in table] == rows
    assert table[0]["extra_info"]["index"] == 0
    assert table[0]["prompt"][-1]["role"] == "user"
    assert rows[0].question in table[0]["prompt"][-1]["content"]
    assert table[0]["reward_model"] == {"style": "rule", "ground_truth": rows[0].problem}
    assert read_verl_run(tmp_path)[0] == load_preset("smollm2", CHANGES)


def test_verl_calls_a_coroutine_and_gets_the_score_of_the_run(tmp_path):
    write_verl_data("smollm2", CHANGES, [ROW], lab_environment(), 0, tmp_path)
    info = {**INFO, "run": str(tmp_path), "num_turns": 2}

    async def both():
        calls = [
            compute_score(
                data_source="partbook", solution_str=text, ground_truth="", extra_info=info
            )
            for text in (RIGHT, "no lists")
        ]
        return await asyncio.gather(*calls)

    assert inspect.iscoroutinefunction(compute_score)
    assert [found["score"] for found in asyncio.run(both())] == [1.0, 0.0]


async def test_data_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigError, match="no data of train verl in"):
        await compute_score("partbook", RIGHT, "", {**INFO, "run": str(tmp_path)})
    with pytest.raises(ConfigError, match="no `run` in its extra_info"):
        await compute_score("partbook", RIGHT, "", INFO)


def test_a_bare_prompt_is_no_chat(tmp_path):
    with pytest.raises(ConfigError, match="prompt_style must be paper"):
        verl_rows([ROW], load_preset("tiny"), lab_environment(), tmp_path)


def test_the_command_has_the_papers_values(tmp_path):
    words = launch_command(load_preset("paper-7b-2xh100"), tmp_path, 2, 8, 0)

    assert words[:3] == ["python3", "-m", "verl.trainer.main_ppo"]
    values = dict(word.split("=", 1) for word in words[3:])
    assert values["algorithm.adv_estimator"] == "partbook_grpo"
    assert values["algorithm.use_kl_in_reward"] == "False"
    assert values["actor_rollout_ref.actor.use_kl_loss"] == "False"
    assert values["actor_rollout_ref.rollout.n"] == "64"
    assert values["data.train_batch_size"] == "4"
    assert values["data.max_prompt_length"] == "8192"
    assert values["actor_rollout_ref.actor.optim.lr"] == "1e-06"
    assert values["actor_rollout_ref.actor.optim.lr_scheduler_type"] == "cosine"
    assert values["trainer.total_training_steps"] == "200"
    assert values["data.train_files"] == str(tmp_path / "train.parquet")
    assert json.loads(values["trainer.nnodes"]) == 2


def test_adapters_are_adapters_with_verl_too(tmp_path):
    words = launch_command(load_preset("qwen-3b-lora"), tmp_path, 1, 1, 0)

    values = dict(word.split("=", 1) for word in words[3:])
    rank = load_preset("qwen-3b-lora").policy.lora_rank
    assert int(values["actor_rollout_ref.model.lora_rank"]) == rank > 0
    assert int(values["actor_rollout_ref.model.lora_alpha"]) == 2 * rank
    assert values["actor_rollout_ref.actor.optim.lr_warmup_steps_ratio"] == "0.03"


def test_steps_of_warm_up_are_no_share_of_them(tmp_path):
    preset = load_preset("smollm2", ["trainer.warmup_steps=10", "trainer.adam_beta2=0.95"])

    values = dict(word.split("=", 1) for word in launch_command(preset, tmp_path, 1, 1, 0)[3:])
    assert values["actor_rollout_ref.actor.optim.lr_warmup_steps"] == "10"
    assert "actor_rollout_ref.actor.optim.lr_warmup_steps_ratio" not in values
    assert values["actor_rollout_ref.actor.optim.betas"] == "[0.9,0.95]"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("trainer.lr_scheduler_type=linear", "verl knows the schedules constant and cosine"),
        ("grpo.recursion=paired", "there are neither second rounds nor the control"),
        ("grpo.recursion=frozen", "there are neither second rounds nor the control"),
        ("grpo.equal_rewards=true", "there are neither second rounds nor the control"),
    ],
)
def test_what_verl_has_not_is_refused(tmp_path, change, message):
    with pytest.raises(ConfigError, match=message):
        launch_command(load_preset("smollm2", [change]), tmp_path, 1, 1, 0)


KEYS_OF_VERL = Path(__file__).parent / "data/verl-0.9.1-keys.txt"
"""Names of the keys in the configuration of verl 0.9.1; `make verl-check` asks verl itself."""


def test_rollouts_that_gpus_cannot_share_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="256 rollouts of a step evenly over 3 x 5 GPUs"):
        launch_command(load_preset("paper-7b-2xh100"), tmp_path, 3, 5, 0)


@pytest.mark.parametrize("name", ["paper-7b-2xh100", "qwen-3b-lora", "smollm2"])
def test_verl_has_every_key_of_the_command(tmp_path, name):
    known = set(KEYS_OF_VERL.read_text().split())

    words = launch_command(load_preset(name), tmp_path, 2, 8, 0)

    assert {word.partition("=")[0] for word in words[3:]} <= known


def test_the_plugin_tells_verl_about_the_estimator(tmp_path):
    place = tmp_path / "verl" / "trainer" / "ppo"
    place.mkdir(parents=True)
    # As verl's own registry: a function that is called with a name and then with the estimator.
    (place / "core_algos.py").write_text(
        "KNOWN = {}\n\n\ndef register_adv_est(name):\n"
        "    return lambda estimator: KNOWN.setdefault(name, estimator)\n"
    )
    program = (
        "import partbook.train.verl_plugin\nfrom verl.trainer.ppo.core_algos import KNOWN\n"
        "print([(name, estimator.__name__) for name, estimator in KNOWN.items()])"
    )

    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout.strip() == "[('partbook_grpo', 'advantages_of_whole_groups')]"
