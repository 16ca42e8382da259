"""Alarm: hands on what a step did, and stops a run where it makes no sense to go on."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from partbook.train.recipe import Grpo

__all__ = ["Alarm", "OnSaved", "OnStep", "Tally"]

log = logging.getLogger(__name__)

OnStep = Callable[[int, dict[str, float]], None]
"""Receives (step, metrics) after every update."""

OnSaved = Callable[[int], None]
"""Receives the step of a checkpoint that is written to its end."""


class Tally(Protocol):
    """What a trainer counts of the newest step, over all processes."""

    lost: float
    """Share of the rollouts without a reward."""
    valid: float
    """Share of valid workflows among the others."""
    all_dropped: bool
    """Whether no group is left."""


@dataclass
class Alarm(TrainerCallback):
    """Writes down what a step did, and stops the run where it makes no sense to go on."""

    limits: Grpo
    on_step: OnStep
    policy: torch.nn.Module
    """Whose gradients are taken away where nothing was scored."""
    on_saved: OnSaved | None = None
    trainer: Tally | None = None
    stopped: str = ""
    """Why the run was stopped; empty where it was not."""

    def on_pre_optimizer_step(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Leave the weights alone where nothing was scored: momentum would move them."""
        if self.trainer is not None and self.trainer.all_dropped:
            for weight in self.policy.parameters():
                weight.grad = None

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Stop with a checkpoint where an outage or a collapse shows."""
        if self.trainer is None:
            return
        # Both are taken over all processes, so that all of them come to the same decision.
        lost, valid = self.trainer.lost, self.trainer.valid
        if lost > self.limits.stop_above_lost:
            self.stopped = f"{lost:.0%} of the rollouts of step {state.global_step} have no reward"
        elif valid < self.limits.stop_below_valid:
            self.stopped = f"only {valid:.0%} of step {state.global_step} are valid workflows"
        if self.stopped:
            log.error("the run stops: %s", self.stopped)
            control.should_save = control.should_training_stop = True

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Say that a checkpoint is there."""
        if self.on_saved is not None and state.is_world_process_zero:
            self.on_saved(state.global_step)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **others: Any,
    ) -> None:
        """Hand on the metrics of a step."""
        if logs and "reward" in logs and state.is_world_process_zero:
            self.on_step(state.global_step, logs)
