"""What verl calls for every rollout: `compute_score`, wired to the problems and the pool of a run.

It stands with the commands because opening a pool is wiring. Each of verl's reward processes opens
the pool once, at its first rollout, and keeps it until it ends.
"""

import asyncio
import atexit
from contextlib import ExitStack
from pathlib import Path

from partbook.cli.train_pool import opened_for_training
from partbook.errors import ConfigError
from partbook.train.course import opened_course
from partbook.train.environment import Environment
from partbook.train.verl import read_verl_run, score_rollout

__all__ = ["compute_score"]

_OPENED: dict[str, Environment] = {}
"""By folder of the data."""

_OPEN = ExitStack()
atexit.register(_OPEN.close)
_TURN = asyncio.Lock()


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, object],
    **others: object,
) -> dict[str, float]:
    """Play and judge one completion.

    Args:
        data_source: of the data row; always `partbook`.
        solution_str: what the policy wrote.
        ground_truth: name of the problem; the reference itself is not in the data.
        extra_info: holds the row and the folder of the data.
        others: what verl passes besides.

    Returns:
        As `partbook.train.verl.score_rollout`: the score is NaN where nothing could be said.

    Raises:
        ConfigError: the data is not that of `partbook train verl`, or its pool cannot be opened.
    """
    folder = extra_info.get("run")
    if not isinstance(folder, str):
        raise ConfigError("the data row has no `run` in its extra_info: it is not of train verl")
    async with _TURN:
        if folder not in _OPENED:
            _OPENED[folder] = await asyncio.to_thread(_open, Path(folder))
    return await score_rollout(_OPENED[folder], solution_str, extra_info)


def _open(folder: Path) -> Environment:
    preset, seed = read_verl_run(folder)
    course = opened_course(preset, seed, opened_for_training, examined=False)
    return _OPEN.enter_context(course).environment
