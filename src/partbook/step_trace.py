"""StepTrace: what is known of one step, and the way from its events to it and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from partbook.errors import FaultKind
from partbook.event import StepFinished, StepRetried, StepStarted
from partbook.message import FinishReason, Message, Usage
from partbook.price import Price

__all__ = ["StepTrace", "step_events", "step_trace"]


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One step that was started."""

    step: int
    worker: str
    messages: tuple[Message, ...]
    """All that the worker of the last try saw."""
    started_s: float
    """Seconds after the start of the run."""
    finished_s: float | None = None
    """None: it was cut off."""
    answer: str | None = None
    error: str | None = None
    model: str = ""
    usage: Usage | None = None
    """Of the last try; those of the others stand in `attempts`."""
    cost_usd: Decimal | None = None
    """Of the last try."""
    finish_reason: FinishReason | None = None
    calls: int = 1
    """Calls that were made for it, in all its tries."""
    cached: bool = False
    """Whether the answer was kept from an earlier call."""
    attempts: tuple[StepRetried, ...] = ()
    """The tries before the last, in order; each with its own usage and cost."""
    answered_by: str = ""
    """The worker who answered, which may be a fallback; empty where nobody did."""
    notes: tuple[str, ...] = ()
    """What is not as it was asked for, a sentence each: shortened, truncated, by a fallback."""
    price: Price | None = None
    """The unit prices that `cost_usd` was computed with; None: unknown."""
    fault: FaultKind | None = None
    """What went wrong with the last worker asked; None where it answered, or a limit forbade it."""


def step_trace(
    started: StepStarted, finished: StepFinished | None, attempts: Sequence[StepRetried] = ()
) -> StepTrace:
    """What is known of a step from its events; None: it has not ended."""
    tried = sum(attempt.calls for attempt in attempts)
    if finished is None:
        begun = (started.step, started.worker, started.messages, started.at_s)
        return StepTrace(*begun, calls=tried + 1, attempts=tuple(attempts))
    return StepTrace(
        started.step,
        started.worker,
        started.messages if finished.messages is None else finished.messages,
        started.at_s,
        finished.at_s,
        finished.answer,
        finished.error,
        finished.model,
        finished.usage,
        finished.cost_usd,
        finished.finish_reason,
        finished.calls + tried,
        finished.cached,
        tuple(attempts),
        finished.answered_by,
        finished.notes,
        finished.price,
        finished.fault,
    )


def step_events(
    round_index: int, step: StepTrace
) -> tuple[StepStarted | StepRetried | StepFinished, ...]:
    """The events of a step so far: `step_trace` turned round."""
    started = StepStarted(round_index, step.step, step.worker, step.messages, step.started_s)
    if step.finished_s is None:
        return started, *step.attempts
    finished = StepFinished(
        round_index,
        step.step,
        step.finished_s,
        step.answer,
        step.error,
        step.model,
        step.usage,
        step.cost_usd,
        step.finish_reason,
        step.calls - sum(attempt.calls for attempt in step.attempts),
        step.cached,
        step.answered_by,
        step.notes,
        price=step.price,
        fault=step.fault,
    )
    return started, *step.attempts, finished
