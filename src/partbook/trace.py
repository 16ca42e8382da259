"""Trace: the full record of one run, and the builder that folds events into it.

A trace is data, whatever happened: a workflow that could not be parsed, a worker that failed and a
limit that was reached are fields of it. Sums are derived, not stored. Its written form is in
`trace_json.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from partbook.event import (
    AnswerChecked,
    Event,
    Planned,
    Proposed,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    Source,
    Status,
    StepFinished,
    StepRetried,
    StepStarted,
    StopReason,
    Unanswered,
)
from partbook.message import Usage
from partbook.price import total_usd
from partbook.step_trace import StepTrace, step_trace
from partbook.workflow import Workflow

__all__ = [
    "RoundTrace",
    "Trace",
    "TraceBuilder",
]


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
    checks: tuple[AnswerChecked, ...] = ()
    """What the checker said of the answer; the calls that failed included."""
    unanswered: Unanswered | None = None
    """Why it is over without an answer of its own; None where it has one, or is not over."""
    detail: str = ""
    """The reason in a sentence."""
    parent: tuple[int, int] | None = None
    """The round and step that it carries out, where the Conductor is a worker itself."""


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
    most_rounds: int = 1
    """How many rounds it was allowed."""

    @property
    def answer(self) -> str | None:
        """The best answer so far: of the last round with one, else of the last finished step."""
        rounds = [round_ for round_ in reversed(self.rounds) if round_.parent is None]
        for round_ in rounds:
            if round_.answer is not None:
                return round_.answer
        for round_ in rounds:
            answers = [step.answer for step in round_.steps if step.answer is not None]
            if answers:
                return answers[-1]
        return None

    @property
    def calls(self) -> int:
        """Calls made, of the Conductor and of workers, failed ones included."""
        # A step that a round of its own carries out makes no call itself.
        inner = {round_.parent for round_ in self.rounds if round_.parent is not None}
        return sum(
            sum(text.calls for text in round_.proposals)
            + sum(check.calls for check in round_.checks)
            + sum(step.calls for step in round_.steps if (i, step.step) not in inner)
            for i, round_ in enumerate(self.rounds)
        )

    @property
    def usage(self) -> Usage:
        """Tokens of all calls whose usage is known."""
        return sum((usage for usage, _ in self._usages() if usage), Usage())

    @property
    def cost_usd(self) -> Decimal | None:
        """Price of all calls; None as soon as one of them is unknown."""
        return total_usd(cost for _, cost in self._usages())

    def _usages(self) -> Iterator[tuple[Usage | None, Decimal | None]]:
        for round_ in self.rounds:
            yield from ((call.usage, call.cost_usd) for call in round_.proposals)
            yield from ((call.usage, call.cost_usd) for call in round_.checks)
            for step in round_.steps:
                yield from ((call.usage, call.cost_usd) for call in step.attempts)
                yield step.usage, step.cost_usd


@dataclass(slots=True)
class _Round:
    """A round while it happens."""

    proposals: list[Proposed] = field(default_factory=list)
    planned: Planned | None = None
    started: dict[int, StepStarted] = field(default_factory=dict)
    finished: dict[int, StepFinished] = field(default_factory=dict)
    retried: dict[int, list[StepRetried]] = field(default_factory=dict)
    answer: str | None = None
    checks: list[AnswerChecked] = field(default_factory=list)
    unanswered: RoundUnanswered | None = None
    parent: tuple[int, int] | None = None

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
            tuple(self.checks),
            None if self.unanswered is None else self.unanswered.reason,
            "" if self.unanswered is None else self.unanswered.detail,
            self.parent,
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
                self._rounds.append(_Round(parent=event.parent))
            case RoundFinished():
                self._rounds[event.round].answer = event.answer
            case RoundUnanswered():
                self._rounds[event.round].unanswered = event
            case AnswerChecked():
                self._rounds[event.round].checks.append(event)
            case RunStarted():
                self.started = event
            case RunFinished():
                self._finished = event
            case _:
                pass

    @property
    def next_round(self) -> int:
        """Number of the round that begins next."""
        return len(self._rounds)

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
            most_rounds=begun.rounds,
        )

    def _latest_s(self) -> float:
        times = [
            event.at_s
            for round_ in self._rounds
            for events in (round_.started, round_.finished)
            for event in events.values()
        ]
        return max(times, default=0.0)
