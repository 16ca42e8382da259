"""Launching: how a preset is started on GPUs, checked on a machine that has none.

A preset names a file of `accelerate/`: how many processes there are, and what splits the weights.
accelerate's own launcher reads and checks it and turns it into the environment of the processes;
accelerate's plugin is built from that environment, as a process would; and TRL's `GRPOConfig` is
built for as many processes. What a machine without GPUs, vLLM or DeepSpeed cannot check is said.
"""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from accelerate.commands.launch import (  # type: ignore[import-untyped]
    _validate_launch_command,
    launch_command_parser,
)
from accelerate.utils import (  # type: ignore[import-untyped]
    DeepSpeedPlugin,
    FullyShardedDataParallelPlugin,
    patch_environment,
)
from accelerate.utils.launch import (  # type: ignore[import-untyped]
    prepare_deepspeed_cmd_env,
    prepare_multi_gpu_env,
    prepare_simple_launcher_cmd_env,
)
from yaml import YAMLError  # type: ignore[import-untyped]

from partbook.errors import ConfigError
from partbook.train.options import check_batch, processes, trainer_config
from partbook.train.preset import Preset

__all__ = ["Launched", "check_launch", "launch_names"]

_FOLDER = files("partbook.train.accelerate")


@dataclass(frozen=True, slots=True)
class Launched:
    """What was checked of a launch, and what could not be."""

    processes: int
    options: str
    """What TRL took, in words."""
    launch: str
    """What accelerate took, in words; empty where the preset needs no launcher."""
    unchecked: tuple[str, ...]
    """What only the machine of the run can check."""


def launch_names() -> list[str]:
    """Names of the configurations for `accelerate launch` that come with the package."""
    names = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def check_launch(preset: Preset, folder: Path, seed: int) -> Launched:
    """Check how a preset is started, as far as this machine can.

    Args:
        preset: the run.
        folder: its directory; nothing is written there.
        seed: of the run.

    Raises:
        ConfigError: TRL or accelerate refuses something, or the two do not go together.
    """
    name = preset.launch
    if not name:
        count = processes()
        config = trainer_config(preset, folder, seed, count, as_on_gpu=True)
        check_batch(preset, config, count)
        return Launched(count, _options(preset, count), "", _unchecked(preset, ""))
    if name not in launch_names():
        raise ConfigError(
            f"preset {preset.name}: launch: expected one of {', '.join(launch_names())}; "
            f"found {name!r}"
        )
    args, environment = _launcher(name)
    count = int(args.num_processes)
    with patch_environment(**environment):
        plugin = _plugin(name, args)
    config = trainer_config(preset, folder, seed, count, as_on_gpu=True)
    check_batch(preset, config, count)
    computes = "bf16" if config.bf16 else "fp16" if config.fp16 else "no"
    if args.mixed_precision != computes:
        raise ConfigError(
            f"preset {preset.name} computes in {computes}, {name}.yaml in {args.mixed_precision}; "
            "say the same in both"
        )
    if plugin and preset.grpo.evaluate_every:
        raise ConfigError(
            f"preset {preset.name}: {name}.yaml splits the weights over processes, so the policy "
            "cannot be evaluated on the way; say --set grpo.evaluate_every=0"
        )
    said = f"accelerate {version('accelerate')} takes {name}.yaml: {_counted(count)}, {computes}"
    return Launched(
        count,
        _options(preset, count),
        said + (f", {plugin}" if plugin else ""),
        _unchecked(preset, name if args.use_deepspeed else ""),
    )


def _launcher(name: str) -> tuple[Any, Mapping[str, str]]:
    """accelerate's arguments of a launch, and the environment that its processes would get."""
    path = str(_FOLDER.joinpath(f"{name}.yaml"))
    before = dict(os.environ)
    log = logging.getLogger("accelerate.commands.launch")
    level = log.level
    log.setLevel(logging.ERROR)  # it says which defaults it takes; they are the file's
    try:
        parser = launch_command_parser()
        args = parser.parse_args(["--config_file", path, "-m", "partbook"])
        args, defaults, _ = _validate_launch_command(args)
        if args.use_deepspeed:
            # As the launcher does it, between these two.
            args.deepspeed_fields_from_accelerate_config = ",".join(defaults.deepspeed_config)
            _, found = prepare_deepspeed_cmd_env(args)
        elif args.use_fsdp or args.multi_gpu:
            found = prepare_multi_gpu_env(args)
        else:
            _, found = prepare_simple_launcher_cmd_env(args)
    except (ValueError, TypeError, AttributeError, KeyError, YAMLError) as err:
        raise ConfigError(f"accelerate refuses {name}.yaml: {err}") from err
    finally:
        log.setLevel(level)
    return args, {key: value for key, value in found.items() if before.get(key) != value}


def _plugin(name: str, args: Any) -> str:
    """What splits the weights, built from the environment as a process would; empty: nothing."""
    try:
        if args.use_fsdp:
            sharded = FullyShardedDataParallelPlugin()
            how = "weights split again after use" if sharded.reshard_after_forward else "whole"
            return f"FSDP {sharded.fsdp_version}, {how}"
        if args.use_deepspeed:
            zero = DeepSpeedPlugin()
            stage = zero.deepspeed_config["zero_optimization"]["stage"]
            return f"DeepSpeed ZeRO-{stage}, moments on {zero.offload_optimizer_device}"
    except (ValueError, TypeError, AttributeError, KeyError, ImportError) as err:
        raise ConfigError(f"accelerate refuses {name}.yaml: {err}") from err
    return ""


def _options(preset: Preset, count: int) -> str:
    parts = preset.trainer.get("gradient_accumulation_steps", 1)
    rollouts = preset.grpo.problems * preset.grpo.rollouts
    batch = rollouts // (count * int(parts))
    return (
        f"TRL {version('trl')} takes them: {rollouts} rollouts a step, {count} x batches of "
        f"{batch} x {parts} accumulated"
    )


def _unchecked(preset: Preset, deepspeed: str) -> tuple[str, ...]:
    found = []
    on_gpu = torch.cuda.is_available()
    if preset.trainer.get("tf32") and not on_gpu:
        found.append("tf32: refused without a GPU, so it was left out")
    if preset.trainer.get("bf16") and not on_gpu:
        found.append("bf16: taken for a processor; whether the GPU has it is not known here")
    if preset.trainer.get("use_vllm") and not _has("vllm"):
        found.append(
            "vLLM: not installed here; its engine's own arguments are checked at the start"
        )
    if deepspeed and not _has("deepspeed"):
        found.append(f"DeepSpeed: not installed here; only accelerate has read {deepspeed}.yaml")
    if preset.launch and not on_gpu:
        found.append("memory of the GPUs: the sum above is an estimate")
    return tuple(found)


def _counted(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"


def _has(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False
