"""What is said and checked before a run: its needs, its workers, its references."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from partbook.cli.plain import head
from partbook.cli.train_pool import Asked, ask_workers, opened_for_training, priced_pool
from partbook.errors import ConfigError
from partbook.price import total_usd

if TYPE_CHECKING:
    from partbook.pool import AgentPool
    from partbook.train.preset import Preset
    from partbook.train.truth import Truth

__all__ = ["check_before", "show_needs"]

Say = Callable[[str], None]

_GIB = 2**30


def show_needs(preset: "Preset", folder: Path, seed: int, say: Say) -> None:
    """Print the resolved preset and what a run of it takes.

    Raises:
        ConfigError: TRL refuses the preset, or there is no such pool.
    """
    from partbook.train.fit import available_bytes
    from partbook.train.launching import check_launch
    from partbook.train.needs import mean_call_usd, needs_of, worst_call_usd

    launched = check_launch(preset, folder, seed)  # refuses what TRL or accelerate would refuse
    mean = worst = None
    money = "unknown: no price is given"
    if not preset.data.is_lab:
        workers = priced_pool(preset.data).workers
        read = preset.estimate.read_tokens
        written = preset.estimate.written_tokens
        worst = worst_call_usd(workers, read)
        if worst is None:
            money = "unknown: a worker has no known price"
        elif worst > 0 and not (read and written):
            money = (
                "unknown: estimate.read_tokens and estimate.written_tokens say how long calls are"
            )
        else:
            mean = mean_call_usd(workers, read, written)
    needs = needs_of(preset, mean)
    say(json.dumps(preset.to_dict(), indent=2, ensure_ascii=False))
    free = available_bytes()
    there = "" if free is None else f"; {free / _GIB:,.1f} GiB are available here"
    # What the preset says of a call's price is the lab's money, and no pool's.
    if needs.cost_usd is not None and (preset.data.is_lab or mean is not None):
        money = f"${needs.cost_usd:,.2f}"
    if worst is not None and worst > 0:
        money += f"; at most ${needs.worker_calls * worst:,.2f}, were every call the dearest"
    say(
        f"weights:      {needs.parameters / 1e6:,.2f} million\n"
        f"memory:       {needs.memory_bytes / _GIB:,.2f} GiB for weights, gradients and moments\n"
        f"              {needs.work_bytes / _GIB:,.2f} GiB for a batch and for sampling, in each "
        "process\n"
        f"              {needs.program_bytes / _GIB:,.2f} GiB for the program, in each process"
        f"{there}\n"
        f"disk:         {needs.disk_bytes / _GIB:,.2f} GiB, {needs.checkpoint_bytes / _GIB:,.2f} "
        "for a checkpoint\n"
        f"rollouts:     {needs.rollouts:,}\n"
        f"worker calls: {needs.worker_calls:,.0f}\n"
        f"money:        {money}\n"
        f"options:      {launched.options}"
    )
    if launched.launch:
        say(f"launch:       {launched.launch}")
    for what in launched.unchecked:
        say(f"not checked:  {what}")


def check_before(preset: "Preset", seed: int, say: Say) -> None:
    """Ask every worker, and judge some references.

    Raises:
        ConfigError: a worker does not answer, a task cannot be had, or a reference is refused.
    """
    from partbook.train.truth import check_truth

    if preset.data.is_lab:
        truth = asyncio.run(_lab_truth(preset, seed))
    else:
        truth = asyncio.run(_task_truth(preset, say))
    if truth.judged:
        share = truth.right / truth.judged
        say(f"ground truth: {truth.right} of {truth.judged} references, {share:.3f}")
    if truth.unknown:
        say(f"not checked:  {truth.unknown} problems of the sample have no reference")
    check_truth(truth)


async def _lab_truth(preset: "Preset", seed: int) -> "Truth":
    from partbook.train.row import lab_rows
    from partbook.train.truth import SAMPLE, lab_truth

    rows = lab_rows(SAMPLE, "train", 2 * seed + 1, preset.grpo.difficulties)
    return await lab_truth(rows)


async def _task_truth(preset: "Preset", say: Say) -> "Truth":
    from partbook.train.course import grader_of, training_pool
    from partbook.train.task_rows import load_problems
    from partbook.train.truth import task_truth

    async with opened_for_training(preset.data) as pool:
        problems = load_problems(preset.data)  # first, because it costs nothing
        await _check_workers(training_pool(pool, preset.data), preset.grpo.price_weight > 0, say)
        say(f"problems:     {len(problems.train)} to train on, {len(problems.held_out)} held out")
        for note in problems.notes:
            say(f"note:         {note}")
        return await task_truth(problems.train, grader_of(pool, preset.data))


async def _check_workers(pool: "AgentPool", prices_needed: bool, say: Say) -> None:
    asked = await ask_workers(pool)
    spent = total_usd(one.cost_usd for one in asked if one.seconds is not None)
    cost = "an unknown price" if spent is None else f"${spent:.6f}"
    there = sum(one.seconds is not None for one in asked)
    say(f"workers:      {there} of {len(asked)} answer, which cost {cost}")
    unpriced = [worker.name for worker in pool.workers if worker.spec.price is None]
    if prices_needed and unpriced:
        raise ConfigError(
            f"grpo.price_weight needs the price of every worker; unknown: {', '.join(unpriced)}"
        )
    silent = [one for one in asked if one.seconds is None]
    if silent:
        raise ConfigError(_silent(pool.name, silent))


def _silent(pool: str, asked: list[Asked]) -> str:
    told = "".join(f"\n  {one.worker}: {head(one.detail)[:300]}" for one in asked)
    return f"workers of pool {pool!r} do not answer, so nothing was started:{told}"
