import json
import threading

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("tensorboard")

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from transformers import TrainerCallback

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.lab import lab_pool
from partbook.train.environment import Environment, lab_environment, lab_judge
from partbook.train.grpo import build_trainer, newest_checkpoint
from partbook.train.options import trainer_config
from partbook.train.playing_loop import playing_loop
from partbook.train.policy import new_net
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows
from partbook.train.scoring import Scoring
from tests.train.small_net import SMALL_NET

# The libraries warn about each other's coming versions.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

SMALL = [
    *SMALL_NET,
    "grpo.problems=2",
    "grpo.rollouts=4",
    "grpo.steps=4",
    "grpo.stop_below_valid=0",
    "grpo.evaluate_every=0",
    "max_completion=8",
    "trainer.save_steps=2",
    "trainer.per_device_train_batch_size=8",
    "trainer.gradient_accumulation_steps=1",
    "trainer.learning_rate=1e-2",
    "trainer.top_entropy_quantile=1.0",
]


class Weights(TrainerCallback):
    """Notes the weights after every step."""

    def __init__(self, seen):
        self.seen = seen

    def on_step_end(self, args, state, control, model=None, **others):
        self.seen.append(torch.cat([w.detach().flatten().clone() for w in model.parameters()]))


class StopAt(TrainerCallback):
    """Stops as a run that is killed: after a step, without a checkpoint."""

    def __init__(self, step):
        self.step = step

    def on_step_end(self, args, state, control, **others):
        control.should_training_stop = state.global_step >= self.step


class ByText(Scoring):
    """Rewards texts by their first letter, so that an untrained net earns different rewards."""

    def __init__(self, lost=()):
        super().__init__(lab_environment())
        self.lost = lost
        self.scored = []

    async def __call__(self, completions, row, log_metric=None, **others):
        call = len(self.scored)
        rewards = [1.0 if text[:1] < "k" else 0.5 for text in completions]
        if call in self.lost:
            rewards = [None] * len(rewards) if self.lost[call] == "all" else [None, *rewards[1:]]
        self.scored.append(list(completions))
        return rewards


def trainer(folder, scoring, seed=0, changes=()):
    torch.set_num_threads(1)
    preset = load_preset("tiny", [*SMALL, *changes])
    net = new_net(preset.policy, 0)
    logs = []
    rows = lab_rows(preset.grpo.steps * preset.grpo.problems)
    built, alarm = build_trainer(
        preset, net, rows, scoring, folder, seed, lambda step, values: logs.append(values)
    )
    return built, alarm, logs


def weights(built):
    return torch.cat([weight.detach().flatten() for weight in built.model.parameters()])


def test_every_completion_is_scored_once_and_the_weights_move(tmp_path):
    scoring = ByText()
    built, _, logs = trainer(tmp_path, scoring, changes=["grpo.steps=2"])
    before = weights(built).clone()

    built.train()

    assert [len(texts) for texts in scoring.scored] == [8, 8]
    assert len(logs) == 2
    assert not torch.equal(before, weights(built))


def test_equal_rewards_move_nothing(tmp_path):
    built, _, logs = trainer(
        tmp_path, Scoring(lab_environment(), equal_rewards=True), changes=["grpo.steps=2"]
    )
    before = weights(built).clone()

    built.train()

    assert [values["frac_reward_zero_std"] for values in logs] == [1.0, 1.0]
    assert torch.equal(before, weights(built))


def test_a_group_that_lost_a_member_is_dropped_and_the_run_goes_on(tmp_path):
    scoring = ByText(lost={0: "one"})
    built, alarm, logs = trainer(tmp_path, scoring, changes=["grpo.steps=2"])

    built.train()

    assert len(logs) == 2
    assert alarm.stopped == ""
    first = [1.0 if text[:1] < "k" else 0.5 for text in scoring.scored[0][4:]]
    assert logs[0]["reward"] == pytest.approx(sum(first) / 4)


def test_a_correlated_outage_stops_with_a_checkpoint_and_moves_nothing(tmp_path):
    built, alarm, _ = trainer(tmp_path, ByText(lost={1: "all"}))
    seen = []
    built.add_callback(Weights(seen))

    built.train()

    assert "100% of the rollouts of step 2 have no reward" in alarm.stopped
    assert len(seen) == 2
    assert torch.equal(seen[0], seen[1])
    assert newest_checkpoint(tmp_path) == tmp_path / "checkpoint-2"


def test_a_resumed_run_is_the_unbroken_run(tmp_path):
    whole, broken, resumed = ByText(), ByText(), ByText()
    unbroken, _, logs = trainer(tmp_path / "a", whole)
    unbroken.train()
    first, _, _ = trainer(tmp_path / "b", broken)
    first.add_callback(StopAt(3))
    first.train()
    checkpoint = tmp_path / "b" / "checkpoint-2"
    second, _, again = trainer(tmp_path / "b", resumed)

    second.train(resume_from_checkpoint=str(checkpoint))

    assert len(broken.scored) == 3
    assert resumed.scored == whole.scored[2:]
    assert [values["reward"] for values in again] == [values["reward"] for values in logs[2:]]
    assert torch.equal(weights(unbroken), weights(second))


def test_a_checkpoint_that_was_not_finished_is_not_used(tmp_path):
    for step in (10, 20, 30):
        (tmp_path / f"checkpoint-{step}").mkdir()
    for step, text in ((10, json.dumps({"global_step": 10})), (20, '{"global')):
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(text)

    assert newest_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
    assert newest_checkpoint(tmp_path / "nothing") is None


class Hindered:
    """Pools of the lab, which are there for the prompts and then hinder every second rollout."""

    def __init__(self, prompts, hinder):
        self.left, self.hinder = prompts, hinder

    def __call__(self, row):
        self.left -= 1
        if self.left < 0 and self.left % 2:
            self.hinder()
        return lab_pool(row.world, row.order)


def test_a_reward_that_raises_does_not_end_the_run(tmp_path, caplog):
    def hinder():
        raise ZeroDivisionError

    lab = lab_environment()
    scoring = Scoring(Environment(Hindered(4, hinder), lab.judge, lab.limits))
    built, alarm, logs = trainer(
        tmp_path, scoring, changes=["grpo.steps=2", "grpo.stop_above_lost=0.6"]
    )

    built.train()

    assert [values["lost"] for values in logs] == [0.5, 0.5]
    assert alarm.stopped == ""
    assert "ZeroDivisionError" in caplog.text


def test_a_reward_that_hangs_ends_the_run_with_a_checkpoint(tmp_path):
    free = threading.Event()
    with playing_loop() as playing:
        environment = Environment(
            Hindered(8, lambda: free.wait(30)),
            lab_judge,
            Limits(timeout_s=0.05),
            0.05,
            playing.loop,
        )
        built, alarm, _ = trainer(tmp_path, Scoring(environment))
        built.train()
        free.set()

    assert "100% of the rollouts of step 1 have no reward" in alarm.stopped
    assert newest_checkpoint(tmp_path) == tmp_path / "checkpoint-1"


def test_logs_for_tensorboard_hold_the_split_figures(tmp_path):
    built, _, _ = trainer(
        tmp_path,
        Scoring(lab_environment()),
        changes=["grpo.steps=1", "trainer.report_to=tensorboard"],
    )

    built.train()

    (written,) = (tmp_path / "runs").glob("*/events.*")
    found = EventAccumulator(str(written)).Reload().Tags()["scalars"]
    assert {"train/reward", "train/valid", "train/lost", "train/entropy"} <= set(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("trainer.learning_rat=1", "unknown key `learning_rat`; did you mean `learning_rate`?"),
        ("trainer.per_device_train_batch_size=4", "a step has 8 rollouts, but 1 processes x "),
        ("trainer.max_steps=1", "`max_steps` follows from other keys"),
        ("trainer.lr_scheduler_type=cosin", "trainer: cosin is not a valid"),
        ("trainer.learning_rate=fast", "`learning_rate` must be a number, found 'fast'"),
        ("trainer.beta=true", "`beta` must be a number, found True"),
        ("trainer.log_completions=1", "`log_completions` must be true or false, found 1"),
        ("trainer.num_iterations=3", "rollouts are used in 3 updates, so `save_steps` must be a"),
        ("trainer.report_to=nowhere", "`report_to` must be one of azure_ml, clearml, "),
    ],
)
def test_trainer_options_that_make_no_sense_are_refused(tmp_path, change, message):
    with pytest.raises(ConfigError) as caught:
        trainer(tmp_path, ByText(), changes=[change])

    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["paper-7b-2xh100", "qwen-3b-lora", "smollm2", "tiny"])
def test_trl_takes_every_preset(tmp_path, name):
    config = trainer_config(load_preset(name), tmp_path, 0)

    assert config.num_generations == load_preset(name).grpo.rollouts
