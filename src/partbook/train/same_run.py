"""Does a checkpoint or a warm policy belong to this run? Asked before anything else is done.

A trainer would find out in the middle of loading, by a wall of tensor names, or never: it restores
the step size of the old run over a new one, and a model of other sizes may still open.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open

from partbook.errors import ConfigError
from partbook.train.policy import Net
from partbook.train.preset import Preset
from partbook.train.run_folder import RunFolder

__all__ = ["check_checkpoint", "check_resumed", "check_warm"]

_MAY_CHANGE = (
    "name",
    "about",
    "launch",
    "estimate",
    "grpo.steps",
    "grpo.timeout_s",
    "grpo.patience_s",
    "grpo.evaluate_every",
    "grpo.evaluation_problems",
    "grpo.keep_traces",
    "grpo.stop_below_valid",
    "grpo.stop_above_lost",
    "grpo.warn_above_share",
    "grpo.warn_below_entropy",
    "grpo.warn_below_spread",
    "warm_start",
    "trainer.save_steps",
    "trainer.save_total_limit",
    "trainer.report_to",
)
"""What a run may change when it goes on: nothing that its later steps would be computed from."""


def check_resumed(folder: RunFolder, preset: Preset, seed: int) -> None:
    """Refuse to go on with a run by a preset that makes another one.

    Raises:
        ConfigError: names what differs, or what cannot be read.
    """
    path = folder.path / "resolved.json"
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        was = dict(_flat(facts["preset"]))
        old_seed = facts["seed"]
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise ConfigError(f"cannot read what the run was made of, {path}: {err}") from err
    if old_seed != seed:
        raise ConfigError(
            f"{folder.path} is a run of seed {old_seed}; go on with --seed {old_seed}"
        )
    # As JSON, a tuple is a list.
    now = dict(_flat(json.loads(json.dumps(preset.to_dict()))))
    for key in (key for key in was if key in now and was[key] != now[key]):
        if not any(key == may or key.startswith(f"{may}.") for may in _MAY_CHANGE):
            raise ConfigError(
                f"{folder.path} was trained with {key} = {was[key]!r}, now it is {now[key]!r}: "
                "that is another run; go on with the old value, or choose another --out"
            )


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def check_warm(folder: Path, preset: Preset) -> None:
    """Refuse a warm policy of other sizes than the preset's net from scratch.

    Raises:
        ConfigError: says which size differs.
    """
    policy = preset.policy
    if policy.model:
        return
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as err:
        raise ConfigError(f"no warm policy in {folder}: {err}") from err
    wanted = {
        "hidden_size": policy.hidden,
        "intermediate_size": policy.inner,
        "num_attention_heads": policy.heads,
        "num_hidden_layers": len(policy.layers),
    }
    for key, value in wanted.items():
        if config.get(key) != value:
            raise ConfigError(
                f"the policy in {folder} is of another preset: its {key} is {config.get(key)}, "
                f"preset {preset.name} has {value}"
            )


def check_checkpoint(checkpoint: Path, net: Net, lora_rank: int) -> None:
    """Refuse a checkpoint of another model.

    Raises:
        ConfigError: says which weights differ, or that they cannot be read.
    """
    adapters = checkpoint / "adapter_config.json"
    if adapters.exists() != bool(lora_rank):
        found, wanted = (
            ("adapters", "all weights") if not lora_rank else ("all weights", "adapters")
        )
        raise ConfigError(f"{checkpoint} holds {found} of a run, this one trains {wanted}")
    if lora_rank:
        rank = json.loads(adapters.read_text(encoding="utf-8")).get("r")
        if rank != lora_rank:
            raise ConfigError(f"{checkpoint} holds adapters of rank {rank}, not {lora_rank}")
        return
    known = {name: tuple(weight.shape) for name, weight in net.model.state_dict().items()}
    # A checkpoint of sharded weights has no such files; its run was compared by its preset.
    for path in sorted(checkpoint.glob("*.safetensors")):
        for name, shape in _shapes(path):
            if name in known and known[name] != shape:
                raise ConfigError(
                    f"{checkpoint} is of another model: its {name} is {_sizes(shape)}, "
                    f"this policy has {_sizes(known[name])}"
                )


def _shapes(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 # it is no mapping
                yield name, tuple(file.get_slice(name).get_shape())
    except (OSError, SafetensorError) as err:
        raise ConfigError(f"cannot read the weights {path}: {err}") from err


def _sizes(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
