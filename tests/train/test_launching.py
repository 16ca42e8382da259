"""What a dry run checks of a preset for GPUs, with TRL's and accelerate's own checks."""

import os
from importlib.metadata import version

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.cli.train_check import show_needs
from partbook.errors import ConfigError
from partbook.train.environment import lab_environment
from partbook.train.grpo import build_trainer
from partbook.train.launching import check_launch, launch_names
from partbook.train.options import trainer_config
from partbook.train.preset import load_preset, preset_names
from partbook.train.row import lab_rows
from partbook.train.scoring import Scoring
from tests.train.small_llama import small_llama

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.skipif(torch.cuda.is_available(), reason="says what is said without a GPU"),
]
PAPER = "paper-7b-2xh100"


def test_the_papers_preset_is_checked_for_its_two_processes(tmp_path):
    before = dict(os.environ)

    found = check_launch(load_preset(PAPER), tmp_path, 0)

    assert found.processes == 2
    assert found.options == (
        f"TRL {version('trl')} takes them: 256 rollouts a step, 2 x batches of 8 x 16 accumulated"
    )
    assert found.launch == (
        f"accelerate {version('accelerate')} takes zero3.yaml: 2 processes, bf16, "
        "DeepSpeed ZeRO-3, moments on cpu"
    )
    assert [what.partition(":")[0] for what in found.unchecked] == [
        "tf32", "bf16", "vLLM", "DeepSpeed", "memory of the GPUs"
    ]  # fmt: skip
    assert dict(os.environ) == before


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_passes(tmp_path, name):
    found = check_launch(load_preset(name), tmp_path, 0)

    assert bool(found.launch) == (name in (PAPER, "qwen-3b-lora"))
    assert not list(tmp_path.iterdir())


def test_every_configuration_fits_a_preset(tmp_path):
    for name, preset in (("fsdp2", PAPER), ("zero3", PAPER), ("one-gpu", "qwen-3b-lora")):
        found = check_launch(load_preset(preset, [f"launch={name}"]), tmp_path, 0)

        assert f"takes {name}.yaml" in found.launch
    assert launch_names() == ["fsdp2", "one-gpu", "zero3"]


def test_what_a_gpu_would_do_stays_in_what_trl_checks(tmp_path):
    config = trainer_config(load_preset(PAPER), tmp_path, 0, 2, as_on_gpu=True)

    assert (config.bf16, config.use_vllm, config.vllm_mode) == (True, True, "colocate")
    assert config.generation_batch_size == 256


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("launch=one-gpu", "256 rollouts, but 1 processes x batches of 8 x 16 accumulated are 128"),
        ("launch=twelve", "launch: expected one of fsdp2, one-gpu, zero3; found 'twelve'"),
        ("trainer.bf16=false", "computes in no, zero3.yaml in bf16"),
        ("grpo.evaluate_every=5", "zero3.yaml splits the weights over processes"),
        ("trainer.per_device_train_batch_size=7", "must be divisible by num_generations (64)"),
        ("trainer.fp16=true", "At most one of fp16 and bf16 can be True"),
        ("trainer.loss_type=bnp", "`loss_type` must be one of grpo, dapo"),
        ("trainer.vllm_mode=beside", "`vllm_mode` must be one of colocate, server"),
        ("grpo.overlap=3", "2 processes must have whole groups"),
    ],
)
def test_what_cannot_work_on_its_gpus_is_refused_without_them(tmp_path, change, message):
    with pytest.raises(ConfigError) as caught:
        check_launch(load_preset(PAPER, [change]), tmp_path, 0)

    assert message in str(caught.value)


def test_a_dry_run_says_what_was_checked_and_what_was_not(tmp_path):
    said = []

    show_needs(load_preset(PAPER), tmp_path, 0, said.append)

    lines = "\n".join(said).splitlines()
    assert any(line.startswith("options:      TRL") for line in lines)
    assert any(line.startswith("launch:       accelerate") for line in lines)
    assert sum(line.startswith("not checked:  ") for line in lines) == 5


def test_a_small_model_takes_a_step_with_the_papers_options(tmp_path):
    torch.set_num_threads(1)
    sizes = ["grpo.steps=2", "grpo.problems=2", "grpo.rollouts=2", "max_completion=4"]
    sizes += ["trainer.per_device_train_batch_size=2", "trainer.gradient_accumulation_steps=2"]
    sizes += ["prompt_style=cards", "estimate.parameters=1e5", "grpo.stop_below_valid=0"]
    preset = load_preset(PAPER, [*sizes, "data.tasks=[]", "data.pool=''", "data.workers=[]"])
    logs = []

    built, _ = build_trainer(
        preset,
        small_llama(),
        lab_rows(4),
        Scoring(lab_environment()),
        tmp_path,
        0,
        lambda step, values: logs.append(values),
    )
    built.train()

    assert len(logs) == 2
    assert (built.args.loss_type, built.args.lr_scheduler_type) == ("bnpo", "cosine")
    assert built.args.gradient_checkpointing
    # 3 % of two steps of warm-up, and then half of the cosine.
    assert logs[0]["learning_rate"] == 0.0
