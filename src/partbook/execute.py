"""Plays a workflow on real models, each step as soon as what it reads is there.

Order comes from the access lists, not from the list's order: independent steps run at once, and the
result is that of the paper's one-after-another execution. A failing step cancels the others and
waits for them. Deadlines and retries are left to `conduct.py` and `models/`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from partbook.budget import Budget, Budgeted
from partbook.errors import PartbookError, WorkerError
from partbook.event import OnEvent, StepFinished, StepStarted, StepText
from partbook.message import Completion, Usage
from partbook.pool import AgentPool, Price
from partbook.prompt import worker_messages
from partbook.workflow import Step, Workflow

__all__ = ["Stage", "cost_of", "play"]


@dataclass(frozen=True, slots=True)
class Stage:
    """What all steps of a run share."""

    question: str
    pool: AgentPool
    budget: Budget
    emit: OnEvent
    clock: Callable[[], float]
    """Seconds since the run began."""
    stream: bool = False
    """Whether pieces of text are wanted as they arrive."""


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

    async def one(i: int, step: Step) -> str:
        read = [(workflow.steps[j].subtask, await tasks[j]) for j in step.access]
        return await _perform(stage, round_index, i, step, read)

    try:
        async with asyncio.TaskGroup() as group:
            for i, step in enumerate(workflow.steps):
                tasks.append(group.create_task(one(i, step)))
    except ExceptionGroup as failures:
        expected, bugs = failures.split(PartbookError)
        if bugs or expected is None:
            raise
        # Steps that waited for the failed one raise the same error again; the first is its own.
        raise expected.exceptions[0] from None
    return tasks[-1].result()


async def _perform(
    stage: Stage, round_index: int, i: int, step: Step, read: list[tuple[str, str]]
) -> str:
    worker = stage.pool[step.worker]
    spec = worker.spec
    messages = worker_messages(stage.question, step.subtask, read, spec)
    stage.emit(StepStarted(round_index, i, spec.name, messages, stage.clock()))

    def on_text(piece: str) -> None:
        stage.emit(StepText(round_index, i, piece))

    model = Budgeted(worker.model, stage.budget, spec.price, spec.is_tool)
    try:
        completion = await model.chat(messages, spec.sampling, on_text if stage.stream else None)
        _check_usable(spec.name, completion)
    except PartbookError as err:
        stage.emit(_failed(round_index, i, stage.clock(), err, spec.price))
        raise
    stage.emit(
        StepFinished(
            round_index,
            i,
            stage.clock(),
            answer=completion.text,
            error=None,
            model=completion.model,
            usage=completion.usage,
            cost_usd=cost_of(completion.usage, spec.price),
            finish_reason=completion.finish_reason,
        )
    )
    return completion.text


def cost_of(usage: Usage | None, price: Price | None) -> Decimal | None:
    """Price of a call; None where its usage or its price is unknown."""
    return None if usage is None or price is None else price.cost_usd(usage)


def _check_usable(name: str, completion: Completion) -> None:
    if not completion.text.strip():
        why = completion.finish_reason
        raise WorkerError(
            f"worker {name!r} answered nothing (it ended with {why!r})", usage=completion.usage
        )


def _failed(
    round_index: int, i: int, at_s: float, err: PartbookError, price: Price | None
) -> StepFinished:
    called = isinstance(err, WorkerError)  # any other error forbade the call
    usage = err.usage if isinstance(err, WorkerError) else Usage()
    return StepFinished(
        round_index,
        i,
        at_s,
        answer=None,
        error=str(err),
        model="",
        usage=usage,
        cost_usd=cost_of(usage, price) if called else Decimal(0),
        finish_reason=None,
        calls=int(called),
    )
