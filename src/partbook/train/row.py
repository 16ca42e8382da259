"""Row: one prompt of training, with everything that is random about it already drawn.

A group of rollouts may be split over processes, and every process must show its part of the group
the same prompt. So the pool is drawn here and not where a rollout is scored, and a row travels as
one line of JSON: trainers pass text through unchanged, whatever they do to other columns.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from partbook.errors import ConfigError
from partbook.lab import LabProblem, lab_problem
from partbook.lab.pool import PROFILES
from partbook.lab.problem import DIFFICULTIES
from partbook.lab.values import SPLITS, Split

__all__ = ["LAB_WORKERS", "Row", "lab_row", "lab_rows", "problem_of"]

LAB_WORKERS = tuple(profile.name for profile in PROFILES)
"""Names of all workers of the lab."""


@dataclass(frozen=True, slots=True)
class Row:
    """One prompt."""

    problem: str
    """Id of the problem: `train-3-17` in the lab."""
    question: str
    order: tuple[str, ...]
    """Names of the workers, in the order in which the prompt numbers them."""
    world: int = 0
    """Seed of the lab's world: on which questions who slips."""
    round: int = 0
    parent: str = ""
    """Id of the run of the round before; empty in round 0."""

    def to_json(self) -> str:
        """The row as one line."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Row":
        """The row of a line that `to_json` wrote."""
        data = json.loads(text)
        return cls(**{**data, "order": tuple(data["order"])})


def lab_row(
    seed: int,
    difficulty: int,
    split: Split,
    rng: random.Random,
    workers: Sequence[str],
    world: int,
    subset: int = 0,
) -> Row:
    """A lab problem with its workers in an order of its own.

    Args:
        seed: of the problem.
        difficulty: 1 to 4.
        split: of the problem.
        rng: draws the order.
        workers: names of those who may be called.
        world: seed of the world.
        subset: how many workers the row has; 0: all.
    """
    problem = lab_problem(seed, difficulty, split)
    order = tuple(rng.sample(workers, subset or len(workers)))
    return Row(problem.id, problem.question, order, world)


def lab_rows(
    count: int,
    split: Split = "train",
    seed: int = 0,
    difficulties: Sequence[int] = DIFFICULTIES,
    workers: Sequence[str] = LAB_WORKERS,
    world: int = 0,
    subset: int = 0,
) -> list[Row]:
    """Different problems, the difficulties in turn, each with an order of its own.

    Args:
        count: how many.
        split: whose values and phrases the problems use.
        seed: another seed gives other problems and other orders.
        difficulties: those to draw from.
        workers: names of those who may be called.
        world: seed of the world.
        subset: how many workers each row has, drawn anew (arXiv:2512.04388, section 3.2); 0: all.

    Raises:
        ConfigError: there are fewer workers than the subset.
    """
    if subset > len(workers):
        raise ConfigError(f"a subset of {subset} was asked for; there are {len(workers)} workers")
    rng = random.Random(f"rows {split} {seed}")
    found: dict[str, Row] = {}
    tried = 0
    while len(found) < count:
        difficulty = difficulties[len(found) % len(difficulties)]
        row = lab_row(seed * 1_000_003 + tried, difficulty, split, rng, workers, world, subset)
        found.setdefault(row.question, row)
        tried += 1
    return list(found.values())


def problem_of(row: Row) -> LabProblem:
    """The lab problem that a row asks for.

    Raises:
        ConfigError: the row is not of the lab.
    """
    name, _, rest = row.problem.partition("-")
    difficulty, _, seed = rest.partition("-")
    split = next((known for known in SPLITS if known == name), None)
    if split is None or not difficulty.isdigit() or not seed.lstrip("-").isdigit():
        raise ConfigError(
            f"a lab problem is named like train-3-17, this row asks for {row.problem!r}"
        )
    return lab_problem(int(seed), int(difficulty), split)
