"""The tasks by name: published data sets, generated ones (`gym/NAME`), and files of your own."""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from partbook.errors import ConfigError
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

__all__ = ["FAMILIES", "GYM", "load_task"]

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
        name: a published data set, `gym/NAME`, or the path of a task file.
        splits: which splits to load; a task file is loaded whole.
        data: for a published data set, its files; None for the hub.
        encoding: of local text files; None for UTF-8, or UTF-16 with its mark.
        judge: for a task file, its judge; None to take it from the file.
        level: for a generated task, its difficulty; None for the default.
        seed: for a generated task.
        size: for a generated task, problems in each split.

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
    near = difflib.get_close_matches(name, FAMILIES, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ConfigError(
        f"no task {name!r}; {hint}known: {', '.join(FAMILIES)}, {GYM}NAME, or the path of a file"
    )
