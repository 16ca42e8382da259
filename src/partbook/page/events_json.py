"""The events of a run as JSON values: flat, with the names of `event.py`, each with its time."""

from dataclasses import fields
from decimal import Decimal
from typing import Any

from partbook.event import (
    AnswerChecked,
    Event,
    Planned,
    ProposalText,
    Proposed,
    RoundFinished,
    RoundStarted,
    RoundUnanswered,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    StepText,
)
from partbook.message import Message, Usage
from partbook.price import Price
from partbook.spend_json import money, price_to_dict, usage_to_dict
from partbook.trace_json import workflow_to_dict
from partbook.workflow import Workflow

__all__ = ["event_to_dict"]

_NAMES: dict[type[Event], str] = {
    RunStarted: "run_started",
    RoundStarted: "round_started",
    ProposalText: "proposal_text",
    Proposed: "proposed",
    Planned: "planned",
    StepStarted: "step_started",
    StepText: "step_text",
    StepRetried: "step_retried",
    StepFinished: "step_finished",
    RoundFinished: "round_finished",
    RoundUnanswered: "round_unanswered",
    AnswerChecked: "answer_checked",
    RunFinished: "run_finished",
}


def event_to_dict(event: Event, at_s: float) -> dict[str, Any]:
    """An event as JSON values.

    Args:
        event: anything that happens in a run.
        at_s: when it happened, in seconds after the run began; an event that says so itself keeps
            its own.

    Returns:
        `type`, `at_s` and the event's own fields. Money is text or None, a message
        `{"role", "text"}`, a workflow `{"steps": [{"worker", "subtask", "access"}]}`.
    """
    data: dict[str, Any] = {"type": _NAMES[type(event)], "at_s": round(at_s, 4)}
    for field in fields(event):
        data[field.name] = _plain(getattr(event, field.name))
    return data


def _plain(value: object) -> Any:
    match value:
        case Decimal():
            return money(value)
        case Usage():
            return usage_to_dict(value)
        case Price():
            return price_to_dict(value)
        case Workflow():
            return workflow_to_dict(value)
        case Message():
            return {"role": value.role, "text": value.text}
        case tuple():
            return [_plain(item) for item in value]
        case float():
            return round(value, 4)
    return value
