"""Trace: the full record of one run, and the builder that folds events into it.

A trace is data, whatever happened: a workflow that could not be parsed, a worker that failed and a
limit that was reached are fields of it. Sums are derived, not stored. Its written form is in
`trace_json.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

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
    StepRetried,
    StepStarted,
    StopReason,
)
from partbook.message import FinishReason, Message, Usage
from partbook.pool import Price
from partbook.workflow import Workflow

__all__ = [
    "RoundTrace",
    "StepTrace",
    "Trace",
    "TraceBuilder",
    "step_events",
    "step_trace",
]


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
            sum(not p.cached and p.fault != "unavailable" for p in round_.proposals)
            + sum(step.calls for step in round_.steps)
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
            for step in round_.steps:
                yield from ((call.usage, call.cost_usd) for call in step.attempts)
                yield step.usage, step.cost_usd


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
    )
    return started, *step.attempts, finished


@dataclass(slots=True)
class _Round:
    """A round while it happens."""

    proposals: list[Proposed] = field(default_factory=list)
    planned: Planned | None = None
    started: dict[int, StepStarted] = field(default_factory=dict)
    finished: dict[int, StepFinished] = field(default_factory=dict)
    retried: dict[int, list[StepRetried]] = field(default_factory=dict)
    answer: str | None = None

    def build(self) -> RoundTrace:
        planned = self.planned
        steps = (
            step_trace(self.started[i], self.finished.get(i), self.retried.get(i, ()))
            for i in sorted(self.started)
        )
        return RoundTrace(
            tuple(self.proposals),
            None if planned is None else planned.workflow,
            None if planned is None else planned.source,
            "" if planned is None else planned.name,
            tuple(steps),
            self.answer,
        )


class TraceBuilder:
    """Folds events into a trace; `build` may be called at any moment."""

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self._finished: RunFinished | None = None
        self._rounds: list[_Round] = []

    def add(self, event: Event) -> None:
        """Take the next event. Pieces of text are passed over: their whole comes later."""
        match event:
            case StepStarted():
                self._rounds[event.round].started[event.step] = event
            case StepFinished():
                self._rounds[event.round].finished[event.step] = event
            case StepRetried():
                self._rounds[event.round].retried.setdefault(event.step, []).append(event)
            case Proposed():
                self._rounds[event.round].proposals.append(event)
            case Planned():
                self._rounds[event.round].planned = event
            case RoundStarted():
                self._rounds.append(_Round())
            case RoundFinished():
                self._rounds[event.round].answer = event.answer
            case RunStarted():
                self.started = event
            case RunFinished():
                self._finished = event
            case _:
                pass

    def step(self, round_index: int, index: int) -> StepTrace:
        """What is known so far of a step that was started."""
        round_ = self._rounds[round_index]
        retried = round_.retried.get(index, ())
        return step_trace(round_.started[index], round_.finished.get(index), retried)

    def build(self) -> Trace:
        """The trace of what has happened so far; interrupted, as long as the run is not over."""
        if self.started is None:
            raise ValueError("a trace begins with a RunStarted event")
        begun = self.started
        end = self._finished or RunFinished("stopped", self._latest_s(), "interrupted")
        return Trace(
            run_id=begun.run_id,
            question=begun.question,
            pool=begun.pool,
            workers=begun.workers,
            started_at=begun.at,
            seconds=end.seconds,
            status=end.status,
            rounds=tuple(round_.build() for round_ in self._rounds),
            reason=end.reason,
            detail=end.detail,
        )

    def _latest_s(self) -> float:
        times = [
            event.at_s
            for round_ in self._rounds
            for events in (round_.started, round_.finished)
            for event in events.values()
        ]
        return max(times, default=0.0)
