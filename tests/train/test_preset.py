from decimal import Decimal

import pytest

from partbook.config import load_pool
from partbook.errors import ConfigError
from partbook.message import Sampling
from partbook.pool import Worker, WorkerSpec
from partbook.price import Price
from partbook.train.needs import mean_call_usd, needs_of, worst_call_usd
from partbook.train.preset import load_preset, preset_names


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_read_to_its_end(name):
    preset = load_preset(name)

    assert preset.name == name
    assert preset.about.endswith(".")


def test_the_papers_recipe_has_the_papers_values():
    preset = load_preset("paper-7b-2xh100")

    assert (preset.grpo.steps, preset.grpo.problems, preset.grpo.rollouts) == (200, 4, 64)
    assert preset.max_completion == 1024
    assert preset.trainer["learning_rate"] == 1e-6
    assert preset.trainer["lr_scheduler_type"] == "cosine"
    assert preset.trainer["beta"] == 0.0
    assert preset.trainer["epsilon"] == 0.2
    assert preset.trainer["temperature"] == 1.0
    # 2 processes x 8 x 16 are the 256 rollouts of an update.
    batch = preset.trainer["per_device_train_batch_size"]
    assert 2 * batch * preset.trainer["gradient_accumulation_steps"] == 256


def test_the_papers_recipe_has_the_papers_problems_and_workers():
    data = load_preset("paper-7b-2xh100").data

    assert data.tasks == ("math500", "mmlu", "rlpr", "livecodebench")
    assert (data.split, data.limit, data.worker_tokens) == ("train", 960, 4096)
    assert len(data.workers) == 7
    assert set(data.workers) <= {worker.name for worker in load_pool(data.pool).workers}


def test_without_tasks_a_run_is_in_the_lab():
    assert load_preset("tiny").data.is_lab
    assert not load_preset("paper-7b-2xh100").data.is_lab


def test_single_values_can_be_changed():
    changes = ["grpo.steps=7", "trainer.learning_rate=1e-5", "policy.model=some/model"]

    preset = load_preset("tiny", changes)

    assert preset.grpo.steps == 7
    assert preset.trainer["learning_rate"] == 1e-5
    assert preset.policy.model == "some/model"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("grpo.step=7", "unknown key `step`; did you mean `steps`?"),
        ("prompt_stile=bare", "unknown key `prompt_stile`; did you mean `prompt_style`?"),
        ("grpo.steps=many", "`steps` must be a whole number"),
        ("grpo.rollouts=1", "`rollouts` must be 2 or more, found 1"),
        ("grpo.easy_steps=-1", "`easy_steps` must be 0 or more, found -1"),
        ("grpo.evaluate_every=-1", "`evaluate_every` must be 0 or more, found -1"),
        ("grpo.evaluation_problems=0", "`evaluation_problems` must be 1 or more, found 0"),
        ("grpo.difficulties=[1, 7]", "`difficulties` must be from 1 to 4, found [1, 7]"),
        ("grpo.timeout_s=0", "`timeout_s` must be more than 0, found 0.0"),
        ("max_completion=0", "`max_completion` must be 1 or more, found 0"),
        ("policy.heads=0", "`heads` must be 1 or more, found 0"),
        ("policy.heads=3", "`hidden` must be a multiple of twice `heads`, found 128 and 3"),
        ("warm_start.steps=-5", "`steps` must be 0 or more, found -5"),
        ("warm_start.batch=0", "`batch` must be 1 or more, found 0"),
        ("grpo.keep_traces=2", "`keep_traces` must be from 0 to 1, found 2.0"),
        ("grpo.price_weight=0.5", "`price_weight` must be from 0 to less than 0.5, found 0.5"),
        ("grpo.price_weight=0.1", "`price_weight` needs `price_usd`"),
        ("policy.layers=['dense']", "a layer is conv or attention, found 'dense'"),
        ("about.x=1", "`about` is no table"),
        ("data.task=['gsm8k']", "unknown key `task`; did you mean `tasks`?"),
        ("data.tasks=['gsm8k']", "tasks need a `pool` whose workers are called"),
        ("data.pool=embedded", "a pool needs `tasks`; without tasks, the lab is used"),
        ("data.subset=-1", "`subset` must be 0 or more, found -1"),
        ("estimate.hiden=1", "unknown key `hiden`; did you mean `hidden`?"),
        ("steps", "expected table.key=value"),
        ("trainer.seeds=[1]", "`seeds` must be text, a number or true"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(change, message):
    with pytest.raises(ConfigError) as caught:
        load_preset("tiny", [change])

    assert message in str(caught.value)


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"expected one of .*tiny.*; found 'huge'"):
        load_preset("huge")


def test_what_the_papers_run_takes_is_worked_out():
    needs = needs_of(load_preset("paper-7b-2xh100"))

    assert needs.rollouts == 51_200
    assert needs.worker_calls == 153_600
    assert needs.cost_usd is None
    assert needs.memory_bytes == pytest.approx(7.62e9 * 16)


def test_adapters_need_far_less_memory_than_all_weights():
    name = "qwen-3b-lora"

    adapted = needs_of(load_preset(name))
    full = needs_of(load_preset(name, ["policy.lora_rank=0"]))

    assert adapted.memory_bytes < full.memory_bytes / 3
    assert adapted.checkpoint_bytes < full.checkpoint_bytes / 40


def test_smollm2_is_expected_to_stay_under_five_gigabytes():
    assert needs_of(load_preset("smollm2")).total_bytes < 5e9


def test_smaller_batches_take_less_memory():
    works = [
        needs_of(load_preset("tiny", [f"trainer.gradient_accumulation_steps={parts}"])).work_bytes
        for parts in (4, 8, 16)
    ]

    # Halving a batch halves what it takes; what sampling takes is not a batch's.
    assert works[0] - works[1] == pytest.approx(2 * (works[1] - works[2]))


def test_what_vllm_samples_takes_no_memory_of_ours():
    ours = needs_of(load_preset("qwen-3b-lora", ["trainer.use_vllm=false"]))

    assert ours.work_bytes > needs_of(load_preset("qwen-3b-lora")).work_bytes


def test_checkpoints_that_are_kept_at_once_take_room():
    every = needs_of(load_preset("tiny", ["grpo.steps=100", "trainer.save_steps=10"]))
    two = needs_of(
        load_preset(
            "tiny",
            ["grpo.steps=100", "trainer.save_steps=10", "trainer.save_total_limit=2"],
        )
    )

    assert every.disk_bytes - two.disk_bytes == pytest.approx(7 * every.checkpoint_bytes)


def worker(name, price, tokens=1000):
    spec = WorkerSpec(name, "http", price=price, sampling=Sampling(max_tokens=tokens))
    return Worker(spec, model=None)


def test_the_price_of_a_call_is_the_mean_over_the_workers():
    cheap, dear = Price(Decimal(1), Decimal(2)), Price(Decimal(3), Decimal(10))
    workers = [worker("a", cheap), worker("b", dear)]

    assert mean_call_usd(workers, 1000, 100) == pytest.approx((0.0012 + 0.004) / 2)
    assert worst_call_usd(workers, 1000) == pytest.approx(0.013)


def test_one_unknown_price_makes_the_price_unknown():
    workers = [worker("a", Price(Decimal(1), Decimal(2))), worker("b", None)]

    assert mean_call_usd(workers, 1000, 100) is None
    assert worst_call_usd(workers, 1000) is None


def test_second_rounds_and_ablations_are_off_unless_they_are_asked_for():
    usual = load_preset("tiny")
    changed = load_preset("tiny", ["warm_start.again=0.5", "grpo.ablation=whole"])

    assert (usual.warm_start.habits.again, usual.grpo.ablation) == (0.0, "none")
    assert (changed.warm_start.habits.again, changed.grpo.ablation) == (0.5, "whole")
    with pytest.raises(ConfigError, match="`ablation` must be one of none, whole, chain"):
        load_preset("tiny", ["grpo.ablation=half"])
