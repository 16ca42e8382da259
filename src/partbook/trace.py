"""Trace: the full record of one run, and the builder that folds events into it.

A trace is data, whatever happened: a workflow that could not be parsed, a worker that failed and a
limit that was reached are fields of it. Sums are derived, not stored. Its written form is in
`trace_json.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from partbook.event import (
    Event,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RunFinished,
    RunStarted,
    Source,
    Status,
    StepFinished,
    StepStarted,
    StopReason,
)
from partbook.message import FinishReason, Message, Usage
from partbook.workflow import Workflow

__all__ = [
    "RoundTrace",
    "StepTrace",
    "Trace",
    "TraceBuilder",
]


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One step that was started."""

    step: int
    worker: str
    messages: tuple[Message, ...]
    """All that the worker saw."""
    started_s: float
    """Seconds after the start of the run."""
    finished_s: float | None = None
    """None: it was cut off."""
    answer: str | None = None
    error: str | None = None
    model: str = ""
    usage: Usage | None = None
    cost_usd: Decimal | None = None
    finish_reason: FinishReason | None = None
    calls: int = 1
    """Calls that were made for it."""


@dataclass(frozen=True, slots=True)
class RoundTrace:
    """One propose-play cycle."""

    proposals: tuple[Proposed, ...] = ()
    """The Conductor's texts, in order; empty for a fixed workflow."""
    workflow: Workflow | None = None
    source: Source | None = None
    workflow_name: str = ""
    steps: tuple[StepTrace, ...] = ()
    """The steps that were started, by index."""
    answer: str | None = None
    """The last step's answer; None where it was not reached."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The full record of one run."""

    run_id: str
    question: str
    pool: str
    workers: tuple[str, ...]
    """Names, in the order in which the workflows number them."""
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    status: Status
    rounds: tuple[RoundTrace, ...] = ()
    reason: StopReason | None = None
    """Why the run did not end by itself; None where it did."""
    detail: str = ""
    """The reason in a sentence."""

    @property
    def answer(self) -> str | None:
        """The best answer so far: of the last round with one, else of the last finished step."""
        for round_ in reversed(self.rounds):
            if round_.answer is not None:
                return round_.answer
        for round_ in reversed(self.rounds):
            answers = [step.answer for step in round_.steps if step.answer is not None]
            if answers:
                return answers[-1]
        return None

    @property
    def calls(self) -> int:
        """Calls made, of the Conductor and of workers, failed ones included."""
        return sum(
            len(round_.proposals) + sum(step.calls for step in round_.steps)
            for round_ in self.rounds
        )

    @property
    def usage(self) -> Usage:
        """Tokens of all calls whose usage is known."""
        return sum((usage for usage, _ in self._usages() if usage), Usage())

    @property
    def cost_usd(self) -> Decimal | None:
        """Price of all calls; None as soon as one of them is unknown."""
        total = Decimal(0)
        for _, cost in self._usages():
            if cost is None:
                return None
            total += cost
        return total

    def _usages(self) -> Iterator[tuple[Usage | None, Decimal | None]]:
        for round_ in self.rounds:
            yield from ((call.usage, call.cost_usd) for call in round_.proposals)
            yield from ((call.usage, call.cost_usd) for call in round_.steps)


@dataclass(slots=True)
class TraceBuilder:
    """Folds events into a trace; `build` may be called at any moment."""

    started: RunStarted | None = None
    finished: RunFinished | None = None
    rounds: list[RoundTrace] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Take the next event. Pieces of text are passed over: their whole comes later."""
        match event:
            case RunStarted():
                self.started = event
            case RoundStarted():
                self.rounds.append(RoundTrace())
            case Proposed():
                self._update(event.round, proposals=(*self.rounds[event.round].proposals, event))
            case Planned():
                self._update(
                    event.round,
                    workflow=event.workflow,
                    source=event.source,
                    workflow_name=event.name,
                )
            case StepStarted():
                step = StepTrace(event.step, event.worker, event.messages, event.at_s)
                self._put(event.round, step)
            case StepFinished():
                begun = next(s for s in self.rounds[event.round].steps if s.step == event.step)
                done = StepTrace(
                    begun.step,
                    begun.worker,
                    begun.messages,
                    begun.started_s,
                    event.at_s,
                    event.answer,
                    event.error,
                    event.model,
                    event.usage,
                    event.cost_usd,
                    event.finish_reason,
                    event.calls,
                )
                self._put(event.round, done)
            case RoundFinished():
                self._update(event.round, answer=event.answer)
            case RunFinished():
                self.finished = event
            case _:
                pass

    def build(self) -> Trace:
        """The trace of what has happened so far; interrupted, as long as the run is not over."""
        if self.started is None:
            raise ValueError("a trace begins with a RunStarted event")
        begun = self.started
        end = self.finished or RunFinished("stopped", self._latest_s(), "interrupted")
        return Trace(
            run_id=begun.run_id,
            question=begun.question,
            pool=begun.pool,
            workers=begun.workers,
            started_at=begun.at,
            seconds=end.seconds,
            status=end.status,
            rounds=tuple(self.rounds),
            reason=end.reason,
            detail=end.detail,
        )

    def _latest_s(self) -> float:
        steps = (step for round_ in self.rounds for step in round_.steps)
        return max((step.finished_s or step.started_s for step in steps), default=0.0)

    def _update(self, index: int, **changes: Any) -> None:
        self.rounds[index] = replace(self.rounds[index], **changes)

    def _put(self, index: int, step: StepTrace) -> None:
        others = (s for s in self.rounds[index].steps if s.step != step.step)
        self._update(index, steps=tuple(sorted((*others, step), key=lambda s: s.step)))
