"""Whole trainings on two processes beside the same on one; `make ranks-test` runs it, in minutes.

Its name keeps it out of the quick tests, whose form of this is `test_ranks.py`.
"""

import json
import os
import statistics
import subprocess
import sys

import psutil
import pytest
import torch
from safetensors.torch import load_file

from partbook.train.preset import load_preset
from partbook.train.run import make_warm_start
from partbook.train.run_folder import RunFolder
from tests.train.test_survival import SMALL, TIMES

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

SIZES = [*SMALL, "grpo.problems=4", "grpo.rollouts=4", "grpo.steps=6"]
SAME_EVERYWHERE = ("accuracy", "valid", "steps_per_workflow", "num_tokens", "reward", "lost")


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("warm")
    make_warm_start(load_preset("tiny", SMALL), folder, 0, lambda line: None)
    return folder


def started(out, warm, ranks, *more):
    changes = [part for change in [*SIZES, *more] for part in ("--set", change)]
    resume = ["--resume"] if (out / "metrics.jsonl").exists() else []
    train = ["-m", "partbook", "train", "--preset", "tiny", "--out", str(out), "--warm", str(warm)]
    ranked = [f"--nproc-per-node={ranks}", "--standalone"]
    launch = [] if ranks == 1 else ["-m", "torch.distributed.run", *ranked]
    return subprocess.Popen(
        [sys.executable, *launch, *train, *changes, *resume],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def trained(*arguments):
    run = started(*arguments)
    told, _ = run.communicate(timeout=1800)
    assert run.returncode == 0, told
    return told


def steps_of(out):
    lines = RunFolder(out).metrics("step")
    return [{key: line[key] for key in line if key not in TIMES} for line in lines]


def weights(out):
    return load_file(out / "policy/model.safetensors")


def test_two_ranks_ask_the_same_rows_and_find_the_same(tmp_path, warm):
    # Only the likeliest token, and steps too small to change it: every process writes the same.
    how = ("trainer.top_k=1", "trainer.learning_rate=1e-9")
    for ranks in (1, 2):
        trained(tmp_path / str(ranks), warm, ranks, *how)

    one, two = (steps_of(tmp_path / name) for name in ("1", "2"))
    assert len(one) == len(two) == 6
    for a, b in zip(one, two, strict=True):
        assert {k: b[k] for k in SAME_EVERYWHERE} == pytest.approx(
            {k: a[k] for k in SAME_EVERYWHERE}
        )


@pytest.mark.parametrize("overlap", [0, 4])
def test_two_ranks_learn_as_one_does(tmp_path, warm, overlap):
    for ranks in (1, 2):
        trained(tmp_path / str(ranks), warm, ranks, f"grpo.overlap={overlap}")

    one, two = (
        statistics.fmean(line["reward"] for line in steps_of(tmp_path / name)) for name in "12"
    )
    # Draws differ between processes: 96 rewards of 0, 0.5 and 1 each, three standard errors apart.
    assert two == pytest.approx(one, abs=0.15)
    before = load_file(warm / "model.safetensors")
    after = weights(tmp_path / "2")
    assert any(not torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("overlap", [0, 4])
def test_two_ranks_that_are_killed_go_on_as_if_nothing_had_been(tmp_path, warm, overlap):
    how = f"grpo.overlap={overlap}"
    trained(tmp_path / "whole", warm, 2, how)
    broken = started(tmp_path / "broken", warm, 2, how)
    for line in broken.stdout:
        if "checkpoint at step 3" in line:
            break
    # The launcher gives its processes sessions of their own.
    family = [psutil.Process(broken.pid), *psutil.Process(broken.pid).children(recursive=True)]
    for process in family:
        process.kill()
    broken.communicate()
    state = json.loads((tmp_path / "broken/checkpoint-3/trainer_state.json").read_text())

    told = trained(tmp_path / "broken", warm, 2, how)

    assert state["global_step"] == 3
    made_again = [line for line in told.splitlines() if line.startswith("step ")]
    assert made_again[0].startswith(("step 4/6", "step 5/6"))
    assert steps_of(tmp_path / "broken") == steps_of(tmp_path / "whole")
    whole, again = weights(tmp_path / "whole"), weights(tmp_path / "broken")
    assert all(torch.equal(whole[name], again[name]) for name in whole)
