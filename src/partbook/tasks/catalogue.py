"""The tasks by name: published data sets, generated ones (`gym/NAME`), files of your own, plug-ins.

A name of Partbook's own goes first, then a file, then what an installed package offers.
"""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from partbook.errors import ConfigError
from partbook.plugins import TASKS, is_plugin, plugin_names
from partbook.tasks.aime import AIME25, AIME26
from partbook.tasks.bigcodebench import BIGCODEBENCH
from partbook.tasks.family import Family, load_family
from partbook.tasks.gpqa import GPQA
from partbook.tasks.gsm8k import GSM8K
from partbook.tasks.humaneval import HUMANEVAL
from partbook.tasks.livecodebench import LIVECODEBENCH
from partbook.tasks.math500 import MATH500
from partbook.tasks.mbpp import MBPP, MBPP_SANITIZED
from partbook.tasks.mmlu import MMLU
from partbook.tasks.own import load_own
from partbook.tasks.problem import Task
from partbook.tasks.rlpr import RLPR
from partbook.tasks.rows import is_data_file
from partbook.tasks.task_plugin import TaskWanted, load_plugged_task, task_plugin

__all__ = ["FAMILIES", "GYM", "load_task", "splits_of"]

_RESERVED = ("lab", "gym")
"""Names that mean something beside this catalogue, and that no plug-in can have."""

GYM = "gym/"
"""What the name of a generated task begins with."""

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (
            MATH500,
            MMLU,
            RLPR,
            LIVECODEBENCH,
            AIME25,
            BIGCODEBENCH,
            GPQA,
            GSM8K,
            HUMANEVAL,
            MBPP,
            MBPP_SANITIZED,
            AIME26,
        )
    }
)
"""The published data sets; the first seven are those of arXiv:2512.04388."""


def load_task(
    name: str,
    splits: Sequence[str] = ("test",),
    *,
    data: Path | None = None,
    encoding: str | None = None,
    judge: str | None = None,
    level: int | None = None,
    seed: int = 0,
    size: int = 100,
) -> Task:
    """Load a task.

    Args:
        name: a published data set, `gym/NAME`, the path of a task file, or a plug-in's task.
        splits: which splits to load; a task file is loaded whole.
        data: for a published data set, its files; None for the hub. A plug-in's task gets it, too.
        encoding: of local text files; None for UTF-8, or UTF-16 with its mark.
        judge: for a task file, its judge; None to take it from the file.
        level: for a generated task, its difficulty; None for the default.
        seed: for a generated task, and for a plug-in's.
        size: for such a task, problems in each split.

    Raises:
        ConfigError: there is no such task, its data cannot be had, or rows are wrong.
    """
    if name in FAMILIES:
        if judge is not None:
            raise ConfigError(f"task {name!r} has its own judge; --judge is for task files")
        return load_family(FAMILIES[name], splits, data, encoding)
    if name.startswith(GYM):
        # Imported here because it needs the optional packages, and seconds.
        from partbook.tasks.gym import load_gym  # noqa: PLC0415

        return load_gym(name.removeprefix(GYM), splits, level=level, seed=seed, size=size)
    path = Path(name)
    if path.is_file() or is_data_file(path):
        return load_own(path, judge, encoding)
    if _is_plugged(name):
        if judge is not None:
            raise ConfigError(f"task {name!r} has its own judge; --judge is for task files")
        return load_plugged_task(name, TaskWanted(tuple(splits), size, seed, data))
    names = [*FAMILIES, *plugin_names(TASKS)]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ConfigError(
        f"no task {name!r}; {hint}known: {', '.join(names)}, {GYM}NAME, or the path of a file"
    )


def splits_of(name: str) -> tuple[str, ...]:
    """The splits of a task that is loaded by split; empty for any other.

    Generated tasks, task files and names that nobody knows are the others.

    Raises:
        ConfigError: a plug-in has it and cannot be used.
    """
    if name in FAMILIES:
        return tuple(FAMILIES[name].splits)
    path = Path(name)
    if name.startswith(GYM) or path.is_file() or is_data_file(path) or not _is_plugged(name):
        return ()
    return task_plugin(name).splits


def _is_plugged(name: str) -> bool:
    return name not in _RESERVED and is_plugin(TASKS, name)
