"""Plays a workflow on real models, each step as soon as what it reads is there.

Order comes from the access lists, not from the list's order: independent steps run at once, and the
result is that of the paper's one-after-another execution. A failing step cancels the others and
waits for them. How one step is performed is left to `perform.py`, deadlines to `conduct.py`.
"""

import asyncio
from dataclasses import replace

from partbook.errors import PartbookError
from partbook.perform import perform
from partbook.stage import Stage
from partbook.trace import Trace
from partbook.workflow import Step, Workflow

__all__ = ["play"]


async def play(workflow: Workflow, stage: Stage, round_index: int = 0) -> str:
    """Carry out a workflow.

    Returns:
        The last step's answer.

    Raises:
        WorkerError: a step's worker failed; the other steps were cancelled and awaited.
        BudgetError: a limit forbade a step; likewise.
        WorkflowError: the workflow names a worker that the pool does not have.
    """
    workflow.check_workers(len(stage.pool))
    tasks: list[asyncio.Task[str]] = []
    known = _known_answers(stage.earlier, round_index)
    last = stage.pool.last
    closing = stage if last is None else replace(stage, pool=last)

    async def one(i: int, step: Step) -> str:
        if (answer := known.get(i)) is not None:
            return answer
        read = [(workflow.steps[j].subtask, await tasks[j]) for j in step.access]
        if step.before and stage.before is not None:
            read.insert(0, stage.before)
        if stage.inner is not None and stage.pool[step.worker].spec.kind == "conductor":
            return await stage.inner(round_index, i, read)
        here = closing if i == len(workflow.steps) - 1 else stage
        return await perform(here, round_index, i, step, read)

    *others, final = workflow.steps
    try:
        async with asyncio.TaskGroup() as group:
            for i, step in enumerate(others):
                tasks.append(group.create_task(one(i, step)))
            if others and not final.access:
                await asyncio.sleep(0)  # those before it begin before it
            # Nobody waits for it but this task, so it needs none of its own.
            return await one(len(others), final)
    except ExceptionGroup as failures:
        expected, bugs = failures.split(PartbookError)
        if bugs or expected is None:
            raise
        # Steps that waited for the failed one raise the same error again; the first is its own.
        raise expected.exceptions[0] from None


def _known_answers(earlier: Trace | None, round_index: int) -> dict[int, str]:
    if earlier is None or round_index >= len(earlier.rounds):
        return {}
    steps = earlier.rounds[round_index].steps
    return {step.step: step.answer for step in steps if step.answer is not None}
