"""Scoring: the environment in the shape in which TRL wants a reward function.

It is called with the completions of one process, which need not be whole groups; it plays all of
them at once, notes what a person wants to see of the step, and keeps the traces that were asked
for. It raises nothing: a store that cannot be written is reported, and training goes on.
"""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from partbook.errors import StoreError
from partbook.evaluate.reporting.statistics import entropy_bits
from partbook.price import total_usd
from partbook.reward import RIGHT
from partbook.store import BatchWriter, Store, Tags
from partbook.trace import Trace
from partbook.train.environment import Environment, Outcome
from partbook.train.row import Row

__all__ = ["Completions", "Keeper", "LogMetric", "Scoring", "step_metrics"]

log = logging.getLogger(__name__)

Completions = Sequence[str] | Sequence[Sequence[dict[str, str]]]
"""Texts, or chats of one message, as TRL hands them over for the two kinds of prompts."""

LogMetric = Callable[[str, float], None]
"""TRL's: receives (name, value)."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keeps traces of rollouts, so that `partbook runs` and `partbook show` find them."""

    store: Store
    label: str
    """Name of the training run."""
    share: float
    """Of the rollouts that are kept, 0 to 1."""

    async def keep(self, rows: Sequence[Row], outcomes: Sequence[Outcome], step: int) -> None:
        """Write the traces of a step; a store that fails is reported."""
        rng = random.Random(f"kept {self.label} {step}")
        try:
            async with BatchWriter(self.store) as writer:
                for row, outcome in zip(rows, outcomes, strict=True):
                    if outcome.trace is not None and rng.random() < self.share:
                        label = f"{self.label} step {step}"
                        writer.put(outcome.trace, Tags(row.problem, label, outcome.verdict))
        except StoreError as err:
            log.error("traces of step %d are lost: %s", step, err)


@dataclass
class Scoring:
    """The reward function of a run."""

    environment: Environment
    keeper: Keeper | None = None
    equal_rewards: bool = False
    """A control: whatever happened, the reward is the same."""
    before: Mapping[str, Trace] = field(default_factory=dict)
    """The runs of first rounds that rows of second rounds name as their parents."""
    waited_s: float = 0.0
    """Seconds in which the policy has waited for workers."""
    __name__ = "conductor"  # TRL names its metrics after the function

    async def __call__(
        self,
        completions: Completions,
        row: Sequence[str],
        log_metric: LogMetric | None = None,
        **others: object,
    ) -> list[float | None]:
        """Score the completions of one process.

        Args:
            completions: what the policy wrote.
            row: a `Row` as JSON for each of them.
            log_metric: takes the metrics of the step.
            others: what TRL passes besides.

        Returns:
            A reward per completion, in order; None: not scored.
        """
        rows = [Row.from_json(text) for text in row]
        texts = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
        before = [self.before.get(one.parent) for one in rows]
        began = time.monotonic()
        outcomes = await self.environment.score(rows, texts, before)
        self.waited_s += time.monotonic() - began
        step = getattr(others.get("trainer_state"), "global_step", 0)
        return await self.rewards(rows, outcomes, step, log_metric)

    async def rewards(
        self,
        rows: Sequence[Row],
        outcomes: Sequence[Outcome],
        step: int,
        log_metric: LogMetric | None,
        **more: float,
    ) -> list[float | None]:
        """What a step learns from; its metrics and its traces are noted.

        Args:
            rows: what was asked, one per outcome.
            outcomes: what came of it.
            step: updates that the policy has made.
            log_metric: takes the metrics.
            more: metrics beside those of `step_metrics`.
        """
        if log_metric is not None:
            for name, value in {**step_metrics(rows, outcomes), **more}.items():
                log_metric(name, value)
        if self.keeper is not None:
            await self.keeper.keep(rows, outcomes, step)
        if self.equal_rewards:
            return [RIGHT] * len(outcomes)
        return [outcome.reward for outcome in outcomes]


def step_metrics(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> dict[str, float]:
    """What is worth knowing about the rollouts of a step.

    Missing rewards are left out of the means and counted beside them.

    Returns:
        `lost` (share without a reward); where anything has a reward, `valid`, `accuracy`,
        `accuracy_given_valid`, `steps_per_workflow`, `worker_bits` and `top_worker` (the largest
        share of the steps that one worker has); where there are traces, `calls_per_rollout` and,
        unless a price is unknown, `usd_per_rollout`.
    """
    scored = [(row, one) for row, one in zip(rows, outcomes, strict=True) if one.reward is not None]
    metrics = {"lost": 1 - len(scored) / max(1, len(outcomes)), **_spent(outcomes)}
    if not scored:
        return metrics
    plans = [(row, one.workflow) for row, one in scored if one.workflow is not None]
    right = sum(one.verdict == "right" for _, one in scored)
    valid = sum(one.valid for _, one in scored)
    metrics["valid"] = valid / len(scored)
    metrics["accuracy"] = right / len(scored)
    if valid:
        metrics["accuracy_given_valid"] = right / valid
    if plans:
        names = Counter(row.order[step.worker] for row, plan in plans for step in plan.steps)
        steps = sum(names.values())
        metrics["steps_per_workflow"] = steps / len(plans)
        metrics["top_worker"] = max(names.values()) / steps
        metrics["worker_bits"] = entropy_bits(list(names.values()))
    return metrics


def _spent(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Calls of workers and their price, of a mean rollout, whether it has a reward or not."""
    traces = [outcome.trace for outcome in outcomes if outcome.trace is not None]
    if not traces:
        return {}
    steps = [step for trace in traces for played in trace.rounds for step in played.steps]
    spent = {"calls_per_rollout": sum(step.calls for step in steps) / len(outcomes)}
    usd = total_usd(trace.cost_usd for trace in traces)
    if usd is not None:
        spent["usd_per_rollout"] = float(usd) / len(outcomes)
    return spent
