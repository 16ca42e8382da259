"""What overlap is worth: a short training in the lab whose workers take their time.

`python bench/overlap.py` trains the same small net three times from one warm start, over the same
problems: without overlap, with half a step of groups ahead, and with a whole step. Workers answer
after a time drawn from a log-normal distribution, the same for the same call in every run. It
prints how much of its time the policy waited for workers, steps an hour, and how many groups were
dropped; the last column is a ratio within this run. What the policy itself takes is this machine's:
the share of waiting falls with a slower one, and so does what can be won.
"""

import argparse
import asyncio
import logging
import math
import os
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from partbook.budget import Limits
from partbook.lab import lab_pool
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.pool import AgentPool
from partbook.train.environment import Environment, lab_judge
from partbook.train.grpo import build_trainer
from partbook.train.hush import hush
from partbook.train.playing_loop import playing_loop
from partbook.train.policy import open_net
from partbook.train.preset import load_preset
from partbook.train.row import Row, lab_rows
from partbook.train.run import make_warm_start
from partbook.train.scoring import Scoring

SMALL = [
    "policy.hidden=64",
    "policy.inner=64",
    "policy.layers=['conv', 'attention']",
    "warm_start.steps=100",
    "warm_start.drill_steps=0",
    "warm_start.easy_steps=100",
    "warm_start.learning_rate=1e-2",
    "warm_start.whole=1.0",
    "grpo.evaluate_every=0",
    "grpo.stop_below_valid=0",
    "max_completion=80",
    "trainer.gradient_accumulation_steps=1",
    "trainer.learning_rate=1e-4",
    "trainer.save_strategy=no",
]


@dataclass(frozen=True, slots=True)
class Slow:
    """A worker that takes its time: as long for the same call in every run."""

    model: ChatModel
    name: str
    median_s: float
    spread: float
    taken: list[float]

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer the last message, later."""
        rng = random.Random(f"{self.name} {messages[-1].text}")
        seconds = rng.lognormvariate(math.log(self.median_s), self.spread)
        self.taken.append(seconds)
        await asyncio.sleep(seconds)
        return await self.model.chat(messages, sampling, on_text)


@dataclass(frozen=True, slots=True)
class Result:
    """What one training took."""

    overlap: int
    seconds: float
    waited: float
    stale: float
    dropped: float
    accuracy: float


def main() -> None:
    """Measure and print a table."""
    asked = _arguments()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    hush()
    sizes = [f"grpo.{name}={getattr(asked, name)}" for name in ("steps", "problems", "rollouts")]
    with tempfile.TemporaryDirectory() as place:
        warm = Path(place) / "warm"
        make_warm_start(load_preset("tiny", [*SMALL, *sizes]), warm, 0, lambda line: None)
        taken: list[float] = []
        found = [
            _train(overlap, sizes, asked, warm, Path(place) / str(overlap), taken)
            for overlap in (0, asked.problems // 2, asked.problems)
        ]
    _show(found, taken, asked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--problems", type=int, default=4)
    parser.add_argument("--rollouts", type=int, default=8)
    parser.add_argument("--median", type=float, default=1.7, help="of a call, in seconds")
    parser.add_argument("--spread", type=float, default=0.4, help="of its logarithm")
    parser.add_argument("--patience", type=float, default=0.0, help="grpo.patience_s, with overlap")
    return parser.parse_args()


def _train(
    overlap: int,
    sizes: list[str],
    asked: argparse.Namespace,
    warm: Path,
    folder: Path,
    taken: list[float],
) -> Result:
    patience = asked.patience if overlap else 0.0
    changes = [*SMALL, *sizes, f"grpo.overlap={overlap}", f"grpo.patience_s={patience}"]
    preset = load_preset("tiny", changes)
    logs: list[dict[str, float]] = []

    def pool_of(row: Row) -> AgentPool:
        pool = lab_pool(row.world, row.order)
        slow = (
            replace(one, model=Slow(one.model, one.name, asked.median, asked.spread, taken))
            for one in pool.workers
        )
        return replace(pool, workers=tuple(slow))

    with playing_loop() as playing:
        environment = Environment(pool_of, lab_judge, Limits(timeout_s=60.0), loop=playing.loop)
        rows = lab_rows(preset.grpo.steps * preset.grpo.problems, difficulties=(1, 2))
        trainer, _ = build_trainer(
            preset,
            open_net(str(warm)),
            rows,
            Scoring(environment),
            folder,
            0,
            lambda step, values: logs.append(values),
        )
        began = time.monotonic()
        trainer.train()
        seconds = time.monotonic() - began
        waited = 0.0 if trainer.waits is None else trainer.waits.waited_s
        if trainer.overlap is not None:
            trainer.overlap.close()
    return Result(
        overlap,
        seconds,
        waited / seconds,
        statistics.fmean(one.get("stale", 0.0) for one in logs),
        sum(one.get("late", 0.0) for one in logs) * preset.grpo.problems,
        statistics.fmean(one.get("accuracy", 0.0) for one in logs),
    )


def _show(found: list[Result], taken: list[float], asked: argparse.Namespace) -> None:
    load = os.getloadavg()[0]
    print(
        f"{asked.steps} steps of {asked.problems} groups of {asked.rollouts}; {len(taken)} calls "
        f"of {statistics.fmean(taken):.2f} s in the mean, the longest {max(taken):.2f} s; "
        f"{os.cpu_count()} cores, load {load:.1f}\n"
    )
    print("| overlap | waited | stale | steps an hour | groups dropped | right | steps, ratio |")
    print("|---|---|---|---|---|---|---|")
    for one in found:
        hourly = asked.steps / one.seconds * 3600
        print(
            f"| {one.overlap} | {one.waited:.3f} | {one.stale:.3f} | {hourly:.0f} | "
            f"{one.dropped:.0f} | {one.accuracy:.3f} | {found[0].seconds / one.seconds:.2f} |"
        )


if __name__ == "__main__":
    main()
