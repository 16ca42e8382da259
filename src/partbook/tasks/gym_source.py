"""The generators of `reasoning-gym`, behind typed functions; the only module that imports it.

Generation is the package's own code and runs in this process. Its scorers read what a model wrote,
some of them with `eval`; they run in `gym_worker.py` only.
"""

import difflib
import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from decimal import localcontext
from functools import lru_cache
from types import MappingProxyType
from typing import cast

from partbook.errors import ConfigError

try:
    import reasoning_gym
    from reasoning_gym.factory import CURRICULA, DATASETS, create_curriculum
except ImportError as err:
    raise ConfigError(
        "generated problems need the package `reasoning-gym`: install `partbook[eval]`"
    ) from err

__all__ = ["LEFT_OUT", "SERIES", "Generated", "generate", "generator_names", "level_count", "score"]

LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "composite": "it mixes other generators",
        "isomorphic_strings": "its problems depend on the interpreter's hash seed",
        "polynomial_multiplication": "its problems depend on the interpreter's hash seed",
        "puzzle24": "its scorer takes any four numbers, not only the given ones",
        "ransom_note": "its problems depend on the interpreter's hash seed",
    }
)
"""Generators that are not offered, with the reason (measured with reasoning-gym 0.1.25)."""

SERIES = 10_000
"""Problems in a series; fixed, because some generators make other problems in a longer one."""


@dataclass(frozen=True, slots=True)
class Generated:
    """One problem as its generator made it."""

    question: str
    answer: str
    """A right answer; empty where the generator knows only how to check one."""
    category: str
    """`arithmetic`, `games`, ..."""


def generator_names() -> list[str]:
    """Names of the generators that are offered, sorted."""
    return sorted(name for name in DATASETS if name not in LEFT_OUT)


def level_count(name: str) -> int:
    """How many levels of difficulty a generator has, counted from 0; 0 where it has none.

    Raises:
        ConfigError: there is no such generator.
    """
    _check(name)
    if name not in CURRICULA:
        return 0
    attributes = create_curriculum(name).attributes.values()
    return max((len(attribute.levels) for attribute in attributes), default=0)


def generate(name: str, level: int | None, seed: int, index: int) -> Generated:
    """Make one problem; the same arguments make the same problem.

    Args:
        name: the generator.
        level: its difficulty; None for its own default.
        seed: of the series.
        index: place in the series, 0 to 9999.

    Raises:
        ConfigError: the generator or the level does not exist, or it cannot make the problem.
    """
    entry = _entry(name, level, seed, index)
    answer = entry.get("answer")
    return Generated(
        str(entry["question"]),
        "" if answer is None else str(answer),
        str(_dataset(name, level, seed).category),
    )


def score(name: str, level: int | None, seed: int, index: int, answer: str) -> float:
    """What the generator's own scorer gives an answer, 0 to 1. For `gym_worker.py` only.

    Raises:
        ConfigError: as `generate`.
        Exception: whatever the scorer raises on a text that it does not expect.
    """
    entry = _entry(name, level, seed, index)
    return float(_dataset(name, level, seed).score_answer(answer, entry))


@lru_cache(maxsize=512)
def _entry(name: str, level: int | None, seed: int, index: int) -> Mapping[str, object]:
    try:
        # One generator prints what its programs print, another sets the precision of all decimals.
        with redirect_stdout(io.StringIO()), localcontext():
            return cast(Mapping[str, object], _dataset(name, level, seed)[index])
    except (AssertionError, LookupError, ValueError) as err:
        raise ConfigError(f"gym/{name}: problem {index} of seed {seed}: {err}") from err


@lru_cache(maxsize=64)
def _dataset(name: str, level: int | None, seed: int) -> reasoning_gym.dataset.ProceduralDataset:
    _check(name)
    settings = {"seed": seed, "size": SERIES}
    try:
        if level is None:
            return reasoning_gym.create_dataset(name, **settings)
        count = level_count(name)
        if not 0 <= level < count:
            known = f"0 to {count - 1}" if count else "none; leave it out"
            raise ConfigError(f"gym/{name} has no level {level}; levels: {known}")
        curriculum = create_curriculum(name)
        curriculum.set_global_level(level)
        return DATASETS[name][0](curriculum.generate_configuration(settings))
    except (AssertionError, LookupError, TypeError, ValueError) as err:
        raise ConfigError(f"gym/{name} cannot be made at level {level}: {err}") from err


def _check(name: str) -> None:
    if name in LEFT_OUT:
        raise ConfigError(f"gym/{name} is not offered: {LEFT_OUT[name]}")
    if name not in DATASETS:
        near = difflib.get_close_matches(name, DATASETS, n=1)
        hint = f"did you mean gym/{near[0]}? " if near else ""
        raise ConfigError(
            f"there is no generator {name!r}; {hint}`partbook task list --gym` names all"
        )
