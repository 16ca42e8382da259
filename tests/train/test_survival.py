"""Runs that are killed, cut short or hindered; those that are killed are real processes."""

import json
import os
import resource
import signal
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.errors import ConfigError, StoreError
from partbook.train.grpo import newest_checkpoint
from partbook.train.preset import load_preset
from partbook.train.run import make_warm_start, train
from partbook.train.run_folder import RunFolder

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

SMALL = [
    "policy.hidden=64",
    "policy.inner=64",
    "policy.layers=['conv', 'attention']",
    "warm_start.steps=100",
    "warm_start.drill_steps=0",
    "warm_start.easy_steps=100",
    "warm_start.learning_rate=1e-2",
    "warm_start.whole=1.0",
    "grpo.steps=4",
    "grpo.problems=2",
    "grpo.rollouts=8",
    "grpo.stop_below_valid=0",
    "grpo.evaluate_every=0",
    "max_completion=80",
    "trainer.gradient_accumulation_steps=1",
    "trainer.save_steps=1",
    "trainer.learning_rate=1e-3",
]
TIMES = ("seconds", "step_time", "total_flos", "train_runtime", "waited")


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A policy that writes valid workflows most of the time, so that rewards differ."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("warm")
    make_warm_start(load_preset("tiny", SMALL), folder, 0, lambda line: None)
    return folder


def started(out, warm, change):
    command = [sys.executable, "-m", "partbook", "train", "--preset", "tiny", "--out", str(out)]
    changes = [part for one in [*SMALL, change] for part in ("--set", one)]
    return subprocess.Popen(
        [*command, "--warm", str(warm), *changes],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def steps_of(out):
    lines = RunFolder(out).metrics("step")
    return [{key: line[key] for key in line if key not in TIMES} for line in lines]


@pytest.mark.parametrize("overlap", [0, 2])
def test_a_run_that_is_killed_in_a_step_goes_on_as_if_nothing_had_been(tmp_path, warm, overlap):
    how = f"grpo.overlap={overlap}"
    train(load_preset("tiny", [*SMALL, how]), tmp_path / "whole", 0, print, warm=warm)
    broken = started(tmp_path / "broken", warm, how)
    for line in broken.stdout:
        if "checkpoint at step 2" in line:
            break
    broken.send_signal(signal.SIGKILL)  # the third step has begun
    broken.communicate()
    done = json.loads((tmp_path / "broken/checkpoint-2/trainer_state.json").read_text())
    told = []
    again = load_preset("tiny", [*SMALL, how])
    train(again, tmp_path / "broken", 0, told.append, warm=warm, resume=True)

    assert broken.returncode == -signal.SIGKILL
    assert done["global_step"] == 2
    made_again = [line for line in told if line.startswith("step ")]
    # At most the step in which it was killed is made again.
    assert made_again[0].startswith(("step 3/4", "step 4/4"))
    assert len(steps_of(tmp_path / "whole")) == 4
    assert len({line["reward"] for line in steps_of(tmp_path / "whole")}) > 1
    assert steps_of(tmp_path / "broken") == steps_of(tmp_path / "whole")
    ends = [(tmp_path / name / "policy/model.safetensors") for name in ("whole", "broken")]
    assert ends[0].read_bytes() == ends[1].read_bytes()


def trained(out, warm, *more, resume=False, report=None):
    told = []
    preset = load_preset("tiny", [*SMALL, "grpo.rollouts=2", "max_completion=8", *more])
    train(preset, out, 0, report or told.append, warm=warm, resume=resume)
    return told


@pytest.mark.parametrize("name", ["config.json", "optimizer.pt", "trainer_state.json"])
def test_a_full_disk_leaves_the_last_checkpoint_as_it_was(tmp_path, warm, name):
    begun = tmp_path / "run/checkpoint-2"
    begun.mkdir(parents=True)
    (begun / name).symlink_to("/dev/full")  # a device on which there is never any room

    with pytest.raises(StoreError) as caught:
        trained(tmp_path / "run", warm, "grpo.steps=2")

    assert f"cannot write {begun}" in str(caught.value)
    assert "checkpoint-1 is whole: make room, then go on by --resume" in str(caught.value)
    assert newest_checkpoint(tmp_path / "run") == tmp_path / "run/checkpoint-1"
    assert not begun.exists()
    told = trained(tmp_path / "run", warm, "grpo.steps=2", resume=True)
    assert next(line for line in told if line.startswith("step ")).startswith("step 2/2")


def test_weights_that_are_cut_off_in_the_middle_are_no_checkpoint(tmp_path, warm):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def hinder(line):
        if "checkpoint at step 1" in line:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))

    try:
        with pytest.raises(StoreError, match=r"cannot write .*checkpoint-1 is whole"):
            trained(tmp_path / "run", warm, "grpo.steps=2", report=hinder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert newest_checkpoint(tmp_path / "run") == tmp_path / "run/checkpoint-1"
    assert (tmp_path / "run/checkpoint-1/model.safetensors").stat().st_size > 100_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("policy.hidden=32", "was trained with policy.hidden = 64, now it is 32"),
        ("grpo.rollouts=4", "was trained with grpo.rollouts = 2, now it is 4"),
        ("trainer.learning_rate=1e-4", "was trained with trainer.learning_rate = 0.001"),
    ],
)
def test_a_run_does_not_go_on_as_another_one(tmp_path, warm, change, message):
    trained(tmp_path / "run", warm, "grpo.steps=1")

    with pytest.raises(ConfigError) as caught:
        trained(tmp_path / "run", warm, "grpo.steps=2", change, resume=True)

    assert message in str(caught.value)


def test_a_run_may_be_made_longer(tmp_path, warm):
    trained(tmp_path / "run", warm, "grpo.steps=1")

    longer = ("grpo.steps=2", "grpo.warn_above_share=0.9", "grpo.stop_above_lost=0.9")
    told = trained(tmp_path / "run", warm, *longer, resume=True)

    assert [line[:8] for line in told if line.startswith("step ")] == ["step 2/2"]


def test_a_run_does_not_go_on_with_another_seed(tmp_path, warm):
    trained(tmp_path / "run", warm, "grpo.steps=1")
    preset = load_preset("tiny", SMALL)

    with pytest.raises(ConfigError, match="is a run of seed 0; go on with --seed 0"):
        train(preset, tmp_path / "run", 1, print, warm=warm, resume=True)


def test_a_warm_policy_of_another_preset_is_refused(tmp_path, warm):
    with pytest.raises(ConfigError, match="its hidden_size is 64, preset tiny has 32"):
        trained(tmp_path / "run", warm, "policy.hidden=32")


def test_a_run_that_does_not_fit_into_memory_is_refused_before_anything(tmp_path, warm):
    with pytest.raises(ConfigError) as caught:
        trained(tmp_path / "run", warm, "policy.hidden=200000")

    assert "preset tiny needs about" in str(caught.value)
    assert "GiB are available" in str(caught.value)
    assert not (tmp_path / "run").exists()
