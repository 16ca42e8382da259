"""Exams: held-out rows that a policy answers now and then while it is trained.

In the lab the best that can be done with a row is known, so an exam there also says how far a
policy is from it. With real tasks nobody knows, and an exam says what a step says.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import torch

from partbook.train.environment import Environment, lab_environment
from partbook.train.measure import Ceiling, Figures, ceiling, figures
from partbook.train.policy import Net, open_net, rollouts
from partbook.train.preset import Preset
from partbook.train.row import Row
from partbook.train.scoring import step_metrics

__all__ = ["Exam", "Examination", "TaskExam", "taken_by"]


class Examination(Protocol):
    """Lets a policy answer held-out rows."""

    def marks(
        self, net: Net, preset: Preset, environment: Environment, seed: int | None
    ) -> Mapping[str, object]:
        """What came of it, for the metrics; as `Exam.take`."""
        ...


@dataclass(frozen=True, slots=True)
class Exam:
    """Held-out rows of the lab with the best that can be done with them."""

    rows: tuple[Row, ...]
    best: Ceiling

    @classmethod
    def of(cls, rows: list[Row]) -> "Exam":
        """The exam on these rows."""
        return cls(tuple(rows), ceiling(rows))

    def take(self, net: Net, preset: Preset, environment: Environment, seed: int | None) -> Figures:
        """Let a policy answer every row once.

        Args:
            net: the policy.
            preset: says how it is asked.
            environment: plays and judges.
            seed: of draws at temperature 1; None: the likeliest tokens.
        """
        outcomes = rollouts(net, preset, environment, self.rows, seed)
        return figures(self.rows, outcomes, self.best)

    def marks(
        self, net: Net, preset: Preset, environment: Environment, seed: int | None
    ) -> Mapping[str, object]:
        """As `Examination.marks`."""
        return asdict(self.take(net, preset, environment, seed))


def taken_by(folder: Path, exam: Exam, preset: Preset, seed: int | None) -> Figures:
    """As `Exam.take`, by a policy in a folder; for a process of its own, with one thread."""
    torch.set_num_threads(1)
    environment = lab_environment(preset.grpo.timeout_s)
    return exam.take(open_net(str(folder)), preset, environment, seed)


@dataclass(frozen=True, slots=True)
class TaskExam:
    """Held-out rows of real tasks."""

    rows: tuple[Row, ...]

    def marks(
        self, net: Net, preset: Preset, environment: Environment, seed: int | None
    ) -> Mapping[str, object]:
        """As `Examination.marks`, with the keys of `step_metrics`."""
        outcomes = rollouts(net, preset, environment, self.rows, seed)
        scored = sum(outcome.reward is not None for outcome in outcomes)
        return {"problems": scored, **step_metrics(self.rows, outcomes)}
