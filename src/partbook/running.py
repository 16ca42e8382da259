"""Run: one run while it goes on, from its first event to its last.

Its clock, its budget, and where its events go: into the trace, to the journal, to whoever watches.
A run that goes on after it was cut short begins with what it had done before. What is done in
between is left to `conduct.py`.
"""

import secrets
import time
from dataclasses import dataclass
from typing import Self

from partbook.budget import Budget, Limits
from partbook.errors import ConfigError
from partbook.event import Event, OnEvent, RunFinished, RunStarted, Status, StopReason
from partbook.pool import AgentPool
from partbook.resume import count_earlier, lost_tries, recall
from partbook.stage import Stage
from partbook.trace import Trace, TraceBuilder

__all__ = ["Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its stage, and the trace that its events are folded into."""

    stage: Stage
    builder: TraceBuilder
    limits: Limits

    @classmethod
    def begin(
        cls,
        question: str,
        pool: AgentPool,
        limits: Limits,
        on_event: OnEvent | None,
        stream: bool,
        journal: OnEvent | None = None,
        earlier: Trace | None = None,
    ) -> Self:
        """Start a run, or go on with an earlier one; see `conduct.conduct`.

        Raises:
            ConfigError: the question is blank.
            StoreError: the journal could not be written.
        """
        if not question.strip():
            raise ConfigError("a question was expected, the text is blank")
        builder = TraceBuilder()
        tell = _to_all(builder.add, on_event)
        emit = _to_all(builder.add, journal, on_event)
        begun = time.monotonic() - (0.0 if earlier is None else earlier.seconds)
        budget = Budget(limits)
        stage = Stage(
            question, pool, budget, emit, lambda: time.monotonic() - begun, stream, earlier
        )
        if earlier is None:
            run_id, rounds = secrets.token_hex(5), limits.rounds
            emit(RunStarted(run_id, question, pool.name, pool.names, time.time(), rounds))
            return cls(stage, builder, limits)
        count_earlier(earlier, pool, budget)
        begun_at, rounds = earlier.started_at, earlier.most_rounds
        tell(RunStarted(earlier.run_id, question, pool.name, pool.names, begun_at, rounds))
        for event in recall(earlier):
            tell(event)
        for lost in lost_tries(earlier, pool):
            emit(lost)
        return cls(stage, builder, limits)

    @property
    def seconds_left(self) -> float | None:
        """Until the deadline; None: there is none."""
        timeout_s = self.limits.timeout_s
        return None if timeout_s is None else max(0.0, timeout_s - self.stage.clock())

    def emit(self, event: Event) -> None:
        """Let something happen."""
        self.stage.emit(event)

    def finish(self, status: Status, reason: StopReason | None = None, detail: str = "") -> None:
        """Emit the last event."""
        self.emit(RunFinished(status, self.stage.clock(), reason, detail))


def _to_all(*hearers: OnEvent | None) -> OnEvent:
    """Tells all of these in turn; None is nobody."""
    present = [hear for hear in hearers if hear is not None]
    if len(present) == 1:
        return present[0]

    def tell(event: Event) -> None:
        for hear in present:
            hear(event)

    return tell
