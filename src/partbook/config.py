"""Pool files and workflow files → values; the keys that they point to are read in `keys.py`.

A pool or workflow is named either by a path or by the name of one that comes with the package
(`pools/`, `workflows/`).
"""

import math
import os.path
import re
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, get_args

from partbook.errors import ConfigError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import MAX_COMPLETION_TOKENS, Sampling
from partbook.own_prices import take_price
from partbook.plugged import Plugged
from partbook.plugins import WORKERS, is_plugin, near, plugin_names
from partbook.pool import Context, Example, OnOverflow, OnTruncated, WorkerKind, WorkerSpec
from partbook.toml_table import Table, read_toml
from partbook.worker_plugin import take_plugged

__all__ = [
    "PoolConfig",
    "load_pool",
    "load_workflow",
    "pool_names",
    "workflow_names",
]

D = TypeVar("D", int, None)

MOST_RETRIES = 20
"""More tries than that are no patience but a loop."""

_VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]*")

_KINDS: tuple[str, ...] = get_args(WorkerKind)

_PACKAGE = Path(str(files("partbook")))


@dataclass(frozen=True, slots=True)
class PoolConfig:
    """What a pool file says."""

    name: str
    about: str
    workers: tuple[WorkerSpec, ...]
    workflow: str = ""
    """The fixed workflow that is played where nothing else is asked for."""
    conductor: str = ""
    """Who conducts where nothing else is asked for: a worker, or as `--conductor` takes it."""
    fallback: str = "single"
    """The fixed workflow in place of a Conductor's text that cannot be parsed."""
    show_names: bool = False
    """Whether the Conductor sees the workers' names beside their cards."""


def pool_names() -> list[str]:
    """Names of the pools that come with the package."""
    return _names("pools")


def workflow_names() -> list[str]:
    """Names of the workflows that come with the package."""
    return _names("workflows")


def load_pool(name_or_path: str) -> PoolConfig:
    """Read a pool file.

    Raises:
        ConfigError: there is none, or it is wrong; the message names file, place and key.
    """
    path = _find("pools", "pool", name_or_path)
    table = read_toml(path)
    config = PoolConfig(
        name=table.take("name", str),
        about=table.take("about", str, ""),
        workers=tuple(_worker(item, path.parent) for item in table.take_tables("workers")),
        workflow=table.take("workflow", str, ""),
        conductor=table.take("conductor", str, ""),
        fallback=table.take("fallback", str, "single"),
        show_names=table.take("show_names", bool, False),
    )
    table.done()
    _check_pool(config, table.where)
    return config


def load_workflow(name_or_path: str) -> FixedWorkflow:
    """Read a workflow file.

    Raises:
        ConfigError: there is none, or it is wrong; the message names file, place and key.
    """
    table = read_toml(_find("workflows", "workflow", name_or_path))
    name, about = table.take("name", str), table.take("about", str, "")
    steps = []
    for item in table.take_tables("steps"):
        worker, subtask = item.take("worker", str), item.take("subtask", str)
        steps.append(FixedStep(worker, subtask.strip(), item.take_list("access", int)))
        item.done()
    table.done()
    if not steps:
        raise ConfigError(f"{table.where}: a workflow needs at least one [[steps]]")
    return FixedWorkflow(name, about, tuple(steps))


def _names(folder: str) -> list[str]:
    return sorted(path.stem for path in (_PACKAGE / folder).glob("*.toml"))


def _find(folder: str, what: str, name_or_path: str) -> Path:
    if name_or_path in _names(folder):
        return _PACKAGE / folder / f"{name_or_path}.toml"
    path = Path(name_or_path)
    # Not `path.exists()`, which fails for a text that is too long for a path.
    if path.suffix == ".toml" or os.path.exists(path):
        return path
    raise ConfigError(
        f"no {what} {name_or_path!r}; {near(name_or_path, _names(folder))}, or give the path of a "
        ".toml file"
    )


def _check_pool(config: PoolConfig, where: str) -> None:
    names = [worker.name for worker in config.workers]
    if not names:
        raise ConfigError(f"{where}: a pool needs at least one [[workers]]")
    for name, times in Counter(names).items():
        if times > 1:
            raise ConfigError(f"{where}: two workers are named {name!r}")
    # The Conductor carries out its own steps: it has no fallbacks, and is nobody's.
    asked = [worker.name for worker in config.workers if worker.kind != "conductor"]
    for worker in config.workers:
        _check_fallbacks(worker, asked if worker.name in asked else [], where)


def _worker(table: Table, folder: Path) -> WorkerSpec:
    name = _line(table, "name")
    table.where = f"{table.where} ({name})"
    kind = _line(table, "kind")
    plugged = None if kind in _KINDS else _plugged(kind, table)
    tool = kind in ("calculator", "python") or bool(plugged and plugged.is_tool)
    plain = tool or kind == "lab"
    is_named = tool or kind == "conductor" or plugged is not None
    spec = WorkerSpec(
        name=name,
        kind=kind,
        model=_line(table, "model", "" if is_named else None),
        endpoint=_line(table, "endpoint", None if kind == "http" else ""),
        key_env=table.take("key_env", str, ""),
        card=table.take("card", str, ""),
        roles=table.take_list("roles", str),
        instructions=table.take("instructions", str, "").strip(),
        examples=tuple(_example(item) for item in table.take_tables("examples")),
        sampling=_sampling(table.take_table("sampling")),
        context=table.take_one_of("context", get_args(Context), "plain" if plain else "turns"),
        price=None if (price := table.take_table("price")) is None else take_price(price),
        context_window=_at_least_one(table, "context_window", None),
        max_concurrency=_at_least_one(table, "max_concurrency", 8),
        timeout_s=_timeout_s(table),
        retries=_retries(table),
        requests_per_minute=_at_least_one(table, "requests_per_minute", None),
        tokens_per_minute=_at_least_one(table, "tokens_per_minute", None),
        on_truncated=table.take_one_of("on_truncated", get_args(OnTruncated), "mark"),
        on_overflow=table.take_one_of("on_overflow", get_args(OnOverflow), "fail"),
        fallbacks=table.take_list("fallbacks", str),
        opens_reasoning=table.take("opens_reasoning", bool, False),
        key_file=_key_file(table, folder),
        cache=table.take("cache", bool, False),
        labels=table.take_list("labels", str),
        plugged=plugged,
    )
    table.done()
    _check_key(spec, table.where)
    if not spec.name.strip():
        raise ConfigError(f"{table.where}: `name` is blank")
    if not all(map(str.strip, spec.labels)):
        raise ConfigError(f"{table.where}: a label is blank")
    return spec


def _plugged(kind: str, table: Table) -> Plugged:
    if not is_plugin(WORKERS, kind):
        known = ", ".join((*_KINDS, *plugin_names(WORKERS)))
        raise ConfigError(f"{table.where}: `kind` must be one of {known}; found {kind!r}")
    return take_plugged(kind, table)


def _line(table: Table, key: str, default: str | None = None) -> str:
    """A text that is shown in messages or names a file: nothing in it moves a cursor."""
    value = table.take(key, str) if default is None else table.take(key, str, default)
    if not value.isprintable():
        raise ConfigError(f"{table.where}: `{key}` holds a control character: {value[:80]!a}")
    return value


def _key_file(table: Table, folder: Path) -> str:
    """The path of the key file, from the pool file's folder on; empty where there is none."""
    named = _line(table, "key_file", "")
    try:
        return str(folder / Path(named).expanduser()) if named else ""
    except RuntimeError as err:
        raise ConfigError(f"{table.where}: `key_file`: {named}: {err}") from err


def _check_key(spec: WorkerSpec, where: str) -> None:
    if spec.key_env and spec.key_file:
        raise ConfigError(f"{where}: `key_env` and `key_file` exclude each other")
    if spec.key_env and not _VARIABLE.fullmatch(spec.key_env):
        # What stands there may be the key itself, so it is not quoted.
        raise ConfigError(
            f"{where}: `key_env` must be the name of an environment variable (letters, digits and "
            "_), never the key"
        )


def _example(table: Table) -> Example:
    example = Example(table.take("user", str).strip(), table.take("assistant", str).strip())
    table.done()
    return example


def _sampling(table: Table | None) -> Sampling:
    if table is None:
        return Sampling()
    sampling = Sampling(
        max_tokens=_at_least_one(table, "max_tokens", MAX_COMPLETION_TOKENS),
        temperature=table.take("temperature", float, None),
        top_p=table.take("top_p", float, None),
        seed=table.take("seed", int, None),
        stop=table.take_list("stop", str),
        reasoning_effort=table.take("reasoning_effort", str, None),
    )
    table.done()
    if sampling.temperature is not None and not 0 <= sampling.temperature <= 2:
        raise ConfigError(f"{table.where}: `temperature` must be 0 to 2")
    if sampling.top_p is not None and not 0 < sampling.top_p <= 1:
        raise ConfigError(f"{table.where}: `top_p` must be above 0 and at most 1")
    return sampling


def _retries(table: Table) -> int:
    value = table.take("retries", int, 2)
    if not 0 <= value <= MOST_RETRIES:
        raise ConfigError(f"{table.where}: `retries` must be 0 to {MOST_RETRIES}, found {value}")
    return value


def _timeout_s(table: Table) -> float:
    value = table.take("timeout_s", float, 600.0)
    if not (math.isfinite(value) and value > 0):
        raise ConfigError(f"{table.where}: `timeout_s` must be above 0, found {value}")
    return value


def _check_fallbacks(worker: WorkerSpec, names: list[str], where: str) -> None:
    for name in worker.fallbacks:
        if name == worker.name or name not in names:
            others = ", ".join(other for other in names if other != worker.name)
            raise ConfigError(
                f"{where}: `fallbacks` of {worker.name!r} must name other workers of the pool, "
                f"found {name!r}; others: {others or 'none'}"
            )


def _at_least_one(table: Table, key: str, default: D) -> int | D:
    value = table.take(key, int, None)
    if value is not None and value < 1:
        raise ConfigError(f"{table.where}: `{key}` must be at least 1, found {value}")
    return default if value is None else value
