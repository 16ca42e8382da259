"""Reply: what a request came to, and the two parts of it that are not the answer: usage and ledger.

Usage is the sum over every call that was made for the request, the Conductor's, failed tries and
further choices included; its details are parts of those sums. What is not known is null.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from partbook.message import Completion, FinishReason, Usage
from partbook.pool import WorkerSpec
from partbook.price import total_usd
from partbook.server.kept_plan import KEPT
from partbook.spend_json import money
from partbook.stage import cost_of
from partbook.step_trace import StepTrace
from partbook.trace import Trace

__all__ = [
    "Answer",
    "Entry",
    "Reply",
    "answering_step",
    "entries_of",
    "of_call",
    "plan_of",
    "spelt_finish",
    "usage_dict",
]

_FINISH = {"stop": "stop", "length": "length", "filter": "content_filter", "error": "stop"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One choice."""

    text: str
    finish_reason: FinishReason
    tool_calls: str = ""
    """What the user's own tools are to be called with, as JSON; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the ledger: what one step or one text of the Conductor took, in all its tries."""

    what: str
    """`conductor`, `step` or `choice`."""
    worker: str
    model: str
    calls: int
    usage: Usage | None
    """None: unknown."""
    cost_usd: Decimal | None
    """None: unknown."""
    seconds: float | None
    step: int | None = None
    error: str | None = None
    answered_by: str = ""
    cached: bool = False
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        usage = self.usage
        return {
            "what": self.what,
            "step": self.step,
            "worker": self.worker,
            "answered_by": self.answered_by or self.worker,
            "model": self.model,
            "calls": self.calls,
            "prompt_tokens": None if usage is None else usage.prompt_tokens,
            "completion_tokens": None if usage is None else usage.completion_tokens,
            "cost_usd": money(self.cost_usd),
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "cached": self.cached,
            "error": self.error,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request came to."""

    answers: tuple[Answer, ...]
    ledger: tuple[Entry, ...]
    run_id: str
    seconds: float
    plan: dict[str, Any] | None = None
    """The workflow and where it came from; None where one worker was asked alone."""
    turn: Mapping[str, str] | None = None
    """How it goes on from the turn before; None where no Conductor would have planned."""

    @property
    def usage(self) -> Usage:
        """Tokens of all calls whose usage is known."""
        return sum((entry.usage for entry in self.ledger if entry.usage is not None), Usage())

    @property
    def is_usage_whole(self) -> bool:
        """Whether the usage of every call is known."""
        return all(entry.usage is not None for entry in self.ledger)

    @property
    def cost_usd(self) -> Decimal | None:
        """Price of all calls; None as soon as one is unknown."""
        return total_usd(entry.cost_usd for entry in self.ledger)

    @property
    def calls(self) -> int:
        """Calls made."""
        return sum(entry.calls for entry in self.ledger)

    def metadata(self) -> dict[str, Any]:
        """How the reply came about, for a client that asks for it."""
        return {
            "run_id": self.run_id,
            "seconds": round(self.seconds, 3),
            "calls": self.calls,
            "cost_usd": money(self.cost_usd),
            "usage_is_whole": self.is_usage_whole,
            "plan": self.plan,
            "turn": None if self.turn is None else dict(self.turn),
            "ledger": [entry.to_dict() for entry in self.ledger],
        }


def entries_of(trace: Trace) -> list[Entry]:
    """The ledger of a run."""
    entries: list[Entry] = []
    for round_ in trace.rounds:
        for text in round_.proposals:
            entries.append(
                Entry(
                    "conductor",
                    "",
                    text.model,
                    text.calls,
                    text.usage,
                    text.cost_usd,
                    text.seconds,
                    error=text.error,
                    cached=text.cached,
                )
            )
        entries += map(_of_step, round_.steps)
    return entries


def _of_step(step: StepTrace) -> Entry:
    tries = [(step.usage, step.cost_usd)] + [(t.usage, t.cost_usd) for t in step.attempts]
    usages = [usage for usage, _ in tries]
    return Entry(
        "step",
        step.worker,
        step.model,
        step.calls,
        None if None in usages else sum((u for u in usages if u is not None), Usage()),
        total_usd(cost for _, cost in tries),
        None if step.finished_s is None else step.finished_s - step.started_s,
        step.step,
        step.error,
        step.answered_by,
        step.cached,
        step.notes,
    )


def answering_step(trace: Trace) -> StepTrace:
    """The step whose answer is the user's, in a run that was answered."""
    answered = [r for r in trace.rounds if r.parent is None and r.answer is not None]
    return answered[-1].steps[-1]


def of_call(
    what: str, spec: WorkerSpec, completion: Completion, seconds: float, step: int | None
) -> Entry:
    """The entry of a call that brought an answer."""
    usage = completion.usage
    return Entry(
        what,
        spec.name,
        completion.model,
        int(not completion.cached),
        usage,
        cost_of(usage, spec.price),
        seconds,
        step,
        cached=completion.cached,
    )


def plan_of(trace: Trace) -> dict[str, Any] | None:
    """The workflow that was played last, as JSON values; None: there was none."""
    for round_ in reversed(trace.rounds):
        if round_.workflow is not None:
            is_kept = round_.workflow_name == KEPT
            return {
                "source": "kept" if is_kept else round_.source,
                "name": None if is_kept else round_.workflow_name or None,
                "steps": [
                    {
                        "worker": trace.workers[step.worker],
                        "subtask": step.subtask,
                        "access": list(step.access),
                    }
                    for step in round_.workflow.steps
                ],
            }
    return None


def spelt_finish(answer: Answer) -> str:
    """Why an answer ended, as OpenAI's API spells it; a tool's error ended by itself."""
    if answer.tool_calls and answer.finish_reason == "stop":
        return "tool_calls"
    return _FINISH[answer.finish_reason]


def usage_dict(usage: Usage, cost: tuple[Decimal | None] | None = None) -> dict[str, Any]:
    """Usage as OpenAI's API spells it.

    Args:
        usage: all calls.
        cost: in dollars, of a client that asks for it; None: it does not.
    """
    spelt: dict[str, Any] = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
    if cost is not None:
        spelt["cost"] = None if cost[0] is None else float(cost[0])
    return spelt
