"""The files for verl against verl itself: its schema, its checks, its loaders.

`make verl-check` runs it in an environment of its own, for verl pins other versions of what the
extra `train` needs. Every part says `ok` or what stands in the way. No engine runs: verl trains on
GPUs only.
"""
# ruff: noqa: PLC0415 # each part imports what it checks, so that it can say what is missing

import asyncio
import importlib
import inspect
import math
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PRESET = "paper-7b-2xh100"
NODES, GPUS = 2, 8
LAB = ["data.tasks=[]", "data.pool=''", "data.workers=[]", "grpo.steps=2"]


def composed(folder: Path) -> Any:
    """verl's configuration with our changes; Hydra refuses a key that verl has not."""
    from hydra import compose, initialize_config_dir

    from partbook.train.preset import load_preset
    from partbook.train.verl_launch import launch_command

    words = launch_command(load_preset(PRESET), folder, NODES, GPUS, 0)
    place = Path(next(iter(find_spec("verl").submodule_search_locations))) / "trainer/config"
    with initialize_config_dir(str(place), version_base=None):
        return compose("ppo_trainer", overrides=words[3:])


def checked_by_verl(config: Any) -> str:
    """verl's own check of the whole, as its main program makes it."""
    from verl.utils.config import validate_config

    validate_config(config=config, use_reference_policy=False, use_critic=False)
    return "validate_config"


def made_into_values(config: Any) -> str:
    """The parts that have classes become values of these classes.

    The class of the policy reads the policy, so it gets a small one of the same kind.
    """
    from omegaconf import OmegaConf
    from transformers import PreTrainedTokenizerFast, Qwen2Config
    from verl.utils.config import omega_conf_to_dataclass

    names = ("actor_rollout_ref.actor", "actor_rollout_ref.rollout", "actor_rollout_ref.model")
    made = []
    with tempfile.TemporaryDirectory() as place:
        kind = ["Qwen2ForCausalLM"]
        Qwen2Config(vocab_size=8, num_hidden_layers=1, architectures=kind).save_pretrained(place)
        _tokenizer(PreTrainedTokenizerFast).save_pretrained(place)
        small = OmegaConf.merge(config, {"actor_rollout_ref": {"model": {"path": place}}})
        for name in (*names, "algorithm"):
            part = OmegaConf.select(small, name)
            made.append(type(omega_conf_to_dataclass(part)).__name__)
    return ", ".join(made)


def reward_found_by_verl(config: Any) -> str:
    """verl finds our reward function by its name, and sees that it is a coroutine."""
    from verl.utils.import_utils import load_extern_object

    named = config.reward.custom_reward_function
    found = load_extern_object(module_path=named.path, object_name=named.name)
    if not inspect.iscoroutinefunction(found):
        raise TypeError(f"{named.name} is no coroutine function")
    return f"{named.path}:{named.name}"


def estimator_known_to_verl(config: Any) -> str:
    """verl imports the plug-in as its processes do, and finds the estimator that is asked for."""
    import torch
    from verl.trainer.ppo.core_algos import get_adv_estimator_fn

    found = get_adv_estimator_fn(config.algorithm.adv_estimator)
    rewards = torch.tensor([[0.0, 1.0], [0.0, 0.5], [0.0, math.nan], [0.0, 1.0]])
    advantages, _ = found(
        token_level_rewards=rewards, response_mask=torch.ones(4, 2), index=["a", "a", "b", "b"]
    )
    if not (advantages[0, 0] > 0 > advantages[1, 0]) or advantages[2:].abs().sum() != 0:
        raise ValueError(f"found {advantages}")
    return str(config.algorithm.adv_estimator)


def data_read_by_verl(config: Any) -> str:
    """verl's data set reads our file, and its rows reach our reward function and get a reward."""
    from omegaconf import OmegaConf
    from transformers import PreTrainedTokenizerFast
    from verl.utils.dataset.rl_dataset import RLHFDataset

    from partbook.cli.verl_reward import compute_score
    from partbook.train.environment import lab_environment
    from partbook.train.row import lab_rows
    from partbook.train.verl import write_verl_data

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_verl_data("smollm2", LAB, lab_rows(4), lab_environment(), 0, folder)
        data = OmegaConf.merge(config.data, {"filter_overlong_prompts": False})
        file = str(folder / "train.parquet")
        rows = RLHFDataset(file, _tokenizer(PreTrainedTokenizerFast), data)
        row = rows[0]
        found = asyncio.run(
            compute_score(
                data_source=row["data_source"],
                solution_str='model_id = [0]\nsubtasks = ["x"]\naccess_list = [[]]',
                ground_truth=row["reward_model"]["ground_truth"],
                extra_info=row["extra_info"],
            )
        )
    return f"{len(rows)} rows, score {found['score']}"


def _tokenizer(kind: type) -> Any:
    from tokenizers import Tokenizer, models

    words = Tokenizer(models.WordLevel({"<unk>": 0, "<eos>": 1}, unk_token="<unk>"))
    made = kind(tokenizer_object=words, unk_token="<unk>", pad_token="<eos>", eos_token="<eos>")
    made.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    return made


def main() -> None:
    """Check each part; exit status 1 where one fails."""
    os.environ["VERL_USE_EXTERNAL_MODULES"] = "partbook.train.verl_plugin"
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is fetched: what is read is made here
    print(f"verl {version('verl')}, preset {PRESET}, {NODES} machines of {GPUS} GPUs")
    failed = 0
    config = composed(Path("runs/out/verl"))
    print("ok      schema: Hydra takes every key")
    parts: list[Callable[[Any], str]] = [
        checked_by_verl,
        made_into_values,
        reward_found_by_verl,
        estimator_known_to_verl,
        data_read_by_verl,
    ]
    importlib.invalidate_caches()
    for part in parts:
        try:
            print(f"ok      {part.__name__.replace('_', ' ')}: {part(config)}")
        except Exception as err:  # noqa: BLE001 # whatever it is, the next part is checked, too
            failed += 1
            print(f"failed  {part.__name__.replace('_', ' ')}: {type(err).__name__}: {err}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
