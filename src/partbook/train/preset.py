"""Presets: whole training runs as data.

A preset is a TOML file in `presets/`; `--set table.key=value` changes single values of it. What is
ours to know is read into the classes below; the table `trainer` is handed to TRL's `GRPOConfig` as
it is, so that its options need no code here (unknown ones are refused where TRL is imported, in
`options.py`).
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from typing import Literal

from partbook.errors import ConfigError
from partbook.prompt import PromptStyle, prompt_style
from partbook.toml_table import Table
from partbook.train.data import Data, take_data
from partbook.train.demonstration import Habits
from partbook.train.estimate import Estimate, take_estimate
from partbook.train.recipe import Grpo, take_count, take_grpo, take_share

__all__ = ["Policy", "Preset", "WarmStart", "load_preset", "preset_names"]

LayerKind = Literal["conv", "attention"]

_KINDS: tuple[LayerKind, ...] = ("conv", "attention")

TrainerValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Policy:
    """The net that is trained."""

    model: str = ""
    """Name or folder of a pretrained model; empty: a net from scratch, of the sizes below."""
    layers: tuple[LayerKind, ...] = ("conv", "attention", "conv", "attention")
    """Layers of a net from scratch, in order."""
    hidden: int = 128
    inner: int = 256
    """Width of the feed-forward part of a layer."""
    heads: int = 4
    reach: int = 3
    """Tokens that a convolution sees. What is copied is found again by the tokens before it, and
    the more of them, the fewer places look alike."""
    context: int = 512
    """Tokens of prompt and completion together."""
    lora_rank: int = 0
    """Rank of the adapters that are trained in place of all weights; 0: all weights."""


@dataclass(frozen=True, slots=True)
class WarmStart:
    """How the format is taught; 0 steps: not at all."""

    steps: int = 0
    drill_steps: int = 0
    """The first of these steps are drills in copying, two batches each."""
    easy_steps: int = 0
    """The first of these steps see mostly problems of one and two parts."""
    batch: int = 16
    learning_rate: float = 3e-3
    habits: Habits = field(default_factory=Habits)


@dataclass(frozen=True, slots=True)
class Preset:
    """A training run."""

    name: str
    about: str
    prompt_style: PromptStyle
    max_completion: int
    """Tokens that the policy may write."""
    policy: Policy
    warm_start: WarmStart
    grpo: Grpo
    estimate: Estimate
    data: Data
    trainer: Mapping[str, TrainerValue]
    """Handed to `GRPOConfig`."""
    launch: str = ""
    """Name of the file in `accelerate/` by which it is started; empty: it needs no launcher."""

    def to_dict(self) -> dict[str, object]:
        """As plain data, for the run's directory and for a person."""
        return {**asdict(self), "trainer": dict(self.trainer)}


def preset_names() -> list[str]:
    """Names of the presets that come with the package."""
    folder = files("partbook.train.presets")
    names = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def load_preset(name: str, changes: Sequence[str] = ()) -> Preset:
    """Read a preset.

    Args:
        name: one of `preset_names()`.
        changes: `table.key=value`, the value as TOML writes it; text may stand without quotes.

    Raises:
        ConfigError: there is no such preset, or a change is none, or a key is unknown.
    """
    if name not in preset_names():
        raise ConfigError(f"--preset: expected one of {', '.join(preset_names())}; found {name!r}")
    text = files("partbook.train.presets").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    for change in changes:
        _put(data, change)
    where = f"preset {name}"
    trainer = _trainer(data.pop("trainer", {}), f"{where}: trainer")
    return _read(name, Table(data, where), trainer)


def _put(data: dict[str, object], change: str) -> None:
    path, found, text = change.partition("=")
    if not found:
        raise ConfigError(f"--set: expected table.key=value, found {change!r}")
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *tables, key = (part.strip() for part in path.split("."))
    for part in tables:
        inner = data.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"--set {change}: `{part}` is no table")
        data = inner
    data[key] = value


def _read(name: str, table: Table, trainer: dict[str, TrainerValue]) -> Preset:
    preset = Preset(
        name,
        about=table.take("about", str),
        prompt_style=prompt_style(table.take("prompt_style", str)),
        max_completion=take_count(table, "max_completion", least=1),
        policy=_policy(table.take_table("policy") or Table({}, table.where)),
        warm_start=_warm_start(table.take_table("warm_start") or Table({}, table.where)),
        grpo=take_grpo(table.take_table("grpo") or Table({}, table.where)),
        estimate=take_estimate(table.take_table("estimate") or Table({}, table.where)),
        data=take_data(table.take_table("data") or Table({}, table.where)),
        trainer=trainer,
        launch=table.take("launch", str, ""),
    )
    table.take_table("trainer")  # it is read already; the nearest known key may be this one
    table.done()
    return preset


def _policy(table: Table) -> Policy:
    usual = Policy()
    policy = Policy(
        model=table.take("model", str, usual.model),
        layers=_layers(table),
        hidden=take_count(table, "hidden", usual.hidden, least=1),
        inner=take_count(table, "inner", usual.inner, least=1),
        heads=take_count(table, "heads", usual.heads, least=1),
        reach=take_count(table, "reach", usual.reach, least=1),
        context=take_count(table, "context", usual.context, least=1),
        lora_rank=take_count(table, "lora_rank", usual.lora_rank),
    )
    table.done()
    # Positions are turned in pairs of numbers, head by head.
    if policy.hidden % (2 * policy.heads):
        raise ConfigError(
            f"{table.where}: `hidden` must be a multiple of twice `heads`, found {policy.hidden} "
            f"and {policy.heads}"
        )
    return policy


def _layers(table: Table) -> tuple[LayerKind, ...]:
    kinds: list[LayerKind] = []
    for name in table.take_list("layers", str) or Policy().layers:
        kind = next((known for known in _KINDS if known == name), None)
        if kind is None:
            raise ConfigError(f"{table.where}: a layer is conv or attention, found {name!r}")
        kinds.append(kind)
    return tuple(kinds)


def _warm_start(table: Table) -> WarmStart:
    usual = WarmStart()
    habits = asdict(usual.habits)
    warm_start = WarmStart(
        steps=take_count(table, "steps", usual.steps),
        drill_steps=take_count(table, "drill_steps", usual.drill_steps),
        easy_steps=take_count(table, "easy_steps", usual.easy_steps),
        batch=take_count(table, "batch", usual.batch, least=1),
        learning_rate=table.take("learning_rate", float, usual.learning_rate),
        habits=Habits(**{key: take_share(table, key, value) for key, value in habits.items()}),
    )
    table.done()
    return warm_start


def _trainer(data: object, where: str) -> dict[str, TrainerValue]:
    if not isinstance(data, dict):
        raise ConfigError(f"{where} must be a table, found {data!r}")
    values: dict[str, TrainerValue] = {}
    for key, value in data.items():
        if not isinstance(value, str | int | float | bool):
            raise ConfigError(f"{where}: `{key}` must be text, a number or true, found {value!r}")
        values[str(key)] = value
    return values
