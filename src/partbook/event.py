"""What happens while a question is conducted, as small values.

The terminal view, the journal, the server's stream and the page all read these events and nothing
else; `trace.TraceBuilder` folds them into a `Trace`. Every event names its round.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from partbook.errors import FaultKind, LimitName
from partbook.message import FinishReason, Message, Usage
from partbook.price import Price
from partbook.workflow import Workflow

__all__ = [
    "AnswerChecked",
    "Event",
    "OnEvent",
    "Planned",
    "ProposalText",
    "Proposed",
    "RoundFinished",
    "RoundStarted",
    "RoundUnanswered",
    "RunFinished",
    "RunStarted",
    "Source",
    "Status",
    "StepFinished",
    "StepRetried",
    "StepStarted",
    "StepText",
    "StopReason",
    "Unanswered",
]

Status = Literal["answered", "stopped", "failed"]
"""`answered`: to the end. `stopped`: by a limit or by the user. `failed`: no workflow, or a worker
failed. The last two keep the best answer so far, where there is one."""

StopReason = LimitName | Literal["interrupted", "setup", "worker", "workflow"]
"""Why a run did not end by itself: a limit, the user, something that the user must mend, a worker
that failed, or no workflow."""

Unanswered = LimitName | Literal["kept", "workflow", "worker"]
"""Why a round has no answer of its own: the Conductor kept the one before, its text holds no
workflow, somebody failed who was asked, or a limit was reached."""

Source = Literal["conductor", "retry", "fallback", "fixed"]
"""Where a workflow came from: the Conductor, its stricter second try, or a workflow with a name."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A question was accepted."""

    run_id: str
    question: str
    pool: str
    workers: tuple[str, ...]
    """Names of the workers, in the order in which workflows number them."""
    at: float
    """Seconds since the epoch. All later times are seconds after this moment."""
    rounds: int = 1
    """The most rounds that the run may have."""


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The Conductor begins to write."""

    round: int
    parent: tuple[int, int] | None = None
    """The round and step that this round carries out, where the Conductor is a worker itself."""


@dataclass(frozen=True, slots=True)
class ProposalText:
    """A piece of the Conductor's text has arrived."""

    round: int
    text: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """One call of the Conductor is over: its text was parsed or not, or no text came."""

    round: int
    text: str
    model: str
    usage: Usage | None
    cost_usd: Decimal | None
    seconds: float
    error: str | None
    """Why there is no workflow; None where there is one, or where the answer before is kept."""
    fault: FaultKind | None = None
    """Why the call itself failed; None where a text came, whatever it holds."""
    cached: bool = False
    """Whether no call was made: the text was kept from an earlier one."""
    price: Price | None = None
    """The unit prices that `cost_usd` was computed with; None: unknown."""

    @property
    def calls(self) -> int:
        """1, or 0 where none was made: the text was kept, or the worker is left alone."""
        return int(not self.cached and self.fault != "unavailable")


@dataclass(frozen=True, slots=True)
class Planned:
    """The workflow of this round is settled."""

    round: int
    workflow: Workflow
    source: Source
    name: str = ""
    """The name of a fixed or fallback workflow."""


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step has everything it reads, and its worker is called."""

    round: int
    step: int
    worker: str
    messages: tuple[Message, ...]
    """All that the worker sees."""
    at_s: float


@dataclass(frozen=True, slots=True)
class StepText:
    """A piece of a worker's answer has arrived."""

    round: int
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class StepRetried:
    """One try of a step gave no whole answer, and another follows."""

    round: int
    step: int
    attempt: int
    """Number of the try within its step, from 0."""
    worker: str
    """Who was asked."""
    error: str
    kind: FaultKind
    wait_s: float
    """How long is waited before the next try, in seconds."""
    usage: Usage | None
    """What the try cost in tokens; None: unknown."""
    cost_usd: Decimal | None
    """None: unknown."""
    kept_chars: int = 0
    """Of the step's text so far, how many characters stand; what came after them is void. Above 0
    only where a truncated answer is continued."""
    calls: int = 1
    """0 where no call was made, because the worker is left alone for a while."""
    price: Price | None = None
    """The unit prices that `cost_usd` was computed with; None: unknown."""


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A worker has answered, or has failed. Usage, cost and calls are those of the last try."""

    round: int
    step: int
    at_s: float
    answer: str | None
    """None where the worker failed."""
    error: str | None
    model: str
    """Who really answered, as the provider names it."""
    usage: Usage | None
    """None: unknown."""
    cost_usd: Decimal | None
    """None: unknown."""
    finish_reason: FinishReason | None
    calls: int = 1
    """Calls that were made for it: 0 where a limit forbade the call, or where it was cached."""
    cached: bool = False
    """Whether the answer was kept from an earlier call."""
    answered_by: str = ""
    """The worker who answered, which may be a fallback; empty where nobody did."""
    notes: tuple[str, ...] = ()
    """What is not as it was asked for, a sentence each: shortened, truncated, by a fallback."""
    messages: tuple[Message, ...] | None = None
    """All that the worker of the last try saw; None: what the step began with."""
    price: Price | None = None
    """The unit prices that `cost_usd` was computed with; None: unknown."""
    fault: FaultKind | None = None
    """What went wrong with the last worker asked; None where it answered, or a limit forbade it."""


@dataclass(frozen=True, slots=True)
class RoundFinished:
    """The last step of a round has answered."""

    round: int
    answer: str


@dataclass(frozen=True, slots=True)
class RoundUnanswered:
    """A round is over without an answer of its own; that of the round before stands, if any."""

    round: int
    reason: Unanswered
    detail: str
    """The reason in a sentence."""


@dataclass(frozen=True, slots=True)
class AnswerChecked:
    """One call of the checker is over: it says something of a round's answer, or nothing."""

    round: int
    worker: str
    """Who was asked."""
    text: str
    agrees: bool | None
    """Whether it agrees with the answer; None: it does not say, or no text came."""
    model: str
    usage: Usage | None
    cost_usd: Decimal | None
    seconds: float
    error: str | None = None
    """Why no text came."""
    fault: FaultKind | None = None
    """What went wrong with the call; None where a text came."""
    cached: bool = False
    """Whether no call was made: the text was kept from an earlier one."""
    price: Price | None = None
    """The unit prices that `cost_usd` was computed with; None: unknown."""

    @property
    def calls(self) -> int:
        """1, or 0 where none was made: the text was kept, or the worker is left alone."""
        return int(not self.cached and self.fault != "unavailable")


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over, in whatever way; always the last event."""

    status: Status
    seconds: float
    reason: StopReason | None = None
    """Why it did not end by itself; None where it did."""
    detail: str = ""
    """The reason in a sentence."""


Event = (
    RunStarted
    | RoundStarted
    | ProposalText
    | Proposed
    | Planned
    | StepStarted
    | StepText
    | StepRetried
    | StepFinished
    | RoundFinished
    | RoundUnanswered
    | AnswerChecked
    | RunFinished
)

OnEvent = Callable[[Event], None]
"""Receives events in the order in which they happen. Called in the event loop; must not block."""
