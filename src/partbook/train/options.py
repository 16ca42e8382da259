"""TRL's options: from a preset to a `GRPOConfig`, with what cannot work refused beforehand."""

import difflib
import os
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from transformers.integrations.integration_utils import INTEGRATION_TO_CALLBACK
from trl.trainer.grpo_config import GRPOConfig

from partbook.errors import ConfigError
from partbook.train.preset import Preset

__all__ = ["check_batch", "processes", "rank", "trainer_config"]

_OURS = {
    "output_dir",
    "max_steps",
    "num_generations",
    "max_completion_length",
    "seed",
    "remove_unused_columns",
}
"""Options that follow from the rest of the preset."""

_CHOICES = {
    "loss_type": ("grpo", "dapo", "dr_grpo", "bnpo", "cispo", "luspo", "sapo", "vespo"),
    "scale_rewards": ("group", "batch", "none", True, False),
    "importance_sampling_level": ("token", "sequence"),
    "multi_objective_aggregation": ("sum_then_normalize", "normalize_then_sum"),
    "vllm_mode": ("colocate", "server"),
    "vllm_importance_sampling_mode": (
        "token_truncate", "token_mask", "sequence_truncate", "sequence_mask"
    ),
}  # fmt: skip
"""What TRL 1.16 looks at only when a step has been played and paid for."""


def trainer_config(
    preset: Preset,
    folder: Path,
    seed: int,
    count: int | None = None,
    *,
    as_on_gpu: bool = False,
) -> GRPOConfig:
    """TRL's configuration of a preset.

    Args:
        preset: the run.
        folder: its directory.
        seed: of the run.
        count: processes that it is checked for; None: those that there are.
        as_on_gpu: keep what a machine without a GPU could not do, as far as it can be checked.

    Raises:
        ConfigError: the table `trainer` has a key that TRL does not know, or one that follows
            from the rest of the preset, or TRL refuses the values.
    """
    _check_keys(preset)
    grpo = preset.grpo
    parts = preset.trainer.get("gradient_accumulation_steps", 1)
    shares = (count or processes()) * (parts if isinstance(parts, int) and parts > 0 else 1)
    usual: dict[str, Any] = {
        "per_device_train_batch_size": grpo.problems * grpo.rollouts // shares,
        "bf16": False,
        "use_cpu": not torch.cuda.is_available(),
        "gradient_checkpointing": False,
        "dataloader_pin_memory": torch.cuda.is_available(),
        "logging_steps": 1,
        "disable_tqdm": True,
        "top_k": 0,
        "shuffle_dataset": False,  # rows are in the order in which they are meant
        "report_to": "none",
    }
    # A dry run looks at presets for GPUs on machines without one.
    left_out: dict[str, Any] = {}
    if not torch.cuda.is_available():
        left_out = {"tf32": None} | ({} if as_on_gpu else {"bf16": False, "use_vllm": False})
    kind = GRPOConfig if count is None else _config_of(count)
    try:
        return kind(
            output_dir=str(folder),
            max_steps=grpo.steps,
            num_generations=grpo.rollouts,
            max_completion_length=preset.max_completion,
            seed=seed,
            remove_unused_columns=False,
            **{**usual, **preset.trainer, **left_out},
        )
    except (ValueError, TypeError) as err:
        raise ConfigError(f"preset {preset.name}: trainer: {err}") from err


def _config_of(count: int) -> type[GRPOConfig]:
    """TRL's configuration as it is checked in each of so many processes."""

    class OfProcesses(GRPOConfig):
        @property
        def world_size(self) -> int:
            return count

    return OfProcesses


def _check_keys(preset: Preset) -> None:
    known = {one.name: one.default for one in fields(GRPOConfig) if one.init}
    for key in preset.trainer:
        if key in _OURS:
            raise ConfigError(f"preset {preset.name}: trainer: `{key}` follows from other keys")
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise ConfigError(f"preset {preset.name}: trainer: unknown key `{key}`{hint}")
        if (wanted := _kind(known[key])) and wanted != _kind(preset.trainer[key]):
            raise ConfigError(
                f"preset {preset.name}: trainer: `{key}` must be {wanted}, found "
                f"{preset.trainer[key]!r}"
            )
    for key, choices in _CHOICES.items():
        value = preset.trainer.get(key, choices[0])
        if value not in choices:
            known_values = ", ".join(map(str, choices))
            raise ConfigError(
                f"preset {preset.name}: trainer: `{key}` must be one of {known_values}; found "
                f"{value!r}"
            )
    _check_logs(preset)


def _kind(value: object) -> str:
    """What kind of value this is, in words; empty: anything, as where TRL's default is None."""
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int | float) else ""


def _check_logs(preset: Preset) -> None:
    wanted = str(preset.trainer.get("report_to", "none"))
    if wanted != "none" and wanted not in INTEGRATION_TO_CALLBACK:
        known = ", ".join(sorted(("none", *INTEGRATION_TO_CALLBACK)))
        raise ConfigError(
            f"preset {preset.name}: trainer: `report_to` must be one of {known}; found {wanted!r}"
        )
    if wanted == "tensorboard" and find_spec("tensorboard") is None:
        raise ConfigError("logs for TensorBoard need a package: pip install tensorboard")


def check_batch(preset: Preset, config: GRPOConfig, count: int | None = None) -> None:
    """Refuse batches that do not make up the rollouts of a step, or that end a run in a block.

    Args:
        preset: the run.
        config: of the preset.
        count: processes; None: those that there are.

    Raises:
        ConfigError: says which numbers do not fit together.
    """
    wanted = preset.grpo.problems * preset.grpo.rollouts
    count = count or processes()
    batch, parts = config.per_device_train_batch_size, config.gradient_accumulation_steps
    if batch * parts * count != wanted:
        raise ConfigError(
            f"preset {preset.name}: a step has {wanted} rollouts, but {count} processes x "
            f"batches of {batch} x {parts} accumulated are {batch * parts * count}"
        )
    if preset.grpo.overlap and (preset.grpo.problems % count or preset.grpo.overlap % count):
        raise ConfigError(
            f"preset {preset.name}: grpo.overlap: {count} processes must have whole groups, so "
            f"`problems` ({preset.grpo.problems}) and `overlap` ({preset.grpo.overlap}) must be "
            f"multiples of {count}"
        )
    # Rollouts that are used in several updates are not in a checkpoint: a run that is taken up
    # between two of these updates would be another run.
    block = (config.steps_per_generation or parts) * config.num_iterations // parts
    every = config.save_steps
    if block > 1 and preset.grpo.overlap:
        raise ConfigError(
            f"preset {preset.name}: grpo.overlap: rollouts are used in {block} updates, and those "
            "of an overlap in one: they are older already"
        )
    if block > 1 and every % block:
        raise ConfigError(
            f"preset {preset.name}: trainer: rollouts are used in {block} updates, so `save_steps` "
            f"must be a multiple of {block}; found {every}"
        )


def processes() -> int:
    """How many processes a run has."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    """This process's number among them, from 0."""
    return int(os.environ.get("RANK", "0"))
