"""The written form of what a round holds: the Conductor's texts, the checks, the steps.

A reader of an old form finds defaults for what was added since; whole traces, and their version,
are left to `trace_json.py`.
"""

import json
from collections.abc import Mapping
from typing import Any

from partbook.event import AnswerChecked, Proposed, StepRetried
from partbook.message import Message
from partbook.spend_json import (
    money,
    money_from,
    price_from_dict,
    price_to_dict,
    price_to_json,
    to_json,
    usage_from_dict,
    usage_to_dict,
    usage_to_json,
)
from partbook.step_trace import StepTrace

__all__ = [
    "check_from_dict",
    "check_to_dict",
    "proposal_from_dict",
    "proposal_to_dict",
    "step_from_dict",
    "step_to_json",
]

_quote = json.encoder.encode_basestring_ascii


def proposal_to_dict(proposal: Proposed) -> dict[str, Any]:
    """A text of the Conductor as JSON values."""
    return {
        "text": proposal.text,
        "model": proposal.model,
        "usage": usage_to_dict(proposal.usage),
        "cost_usd": money(proposal.cost_usd),
        "seconds": round(proposal.seconds, 6),
        "error": proposal.error,
        "cached": proposal.cached,
        "fault": proposal.fault,
        "price": price_to_dict(proposal.price),
    }


def proposal_from_dict(round_index: int, data: Mapping[str, Any]) -> Proposed:
    """Read what `proposal_to_dict` wrote."""
    return Proposed(
        round=round_index,
        text=data["text"],
        model=data["model"],
        usage=usage_from_dict(data["usage"]),
        cost_usd=money_from(data["cost_usd"]),
        seconds=data["seconds"],
        error=data["error"],
        cached=data.get("cached", False),
        fault=data.get("fault"),
        price=price_from_dict(data.get("price")),
    )


def check_to_dict(check: AnswerChecked) -> dict[str, Any]:
    """What a checker said as JSON values."""
    return {
        "worker": check.worker,
        "text": check.text,
        "agrees": check.agrees,
        "model": check.model,
        "usage": usage_to_dict(check.usage),
        "cost_usd": money(check.cost_usd),
        "seconds": round(check.seconds, 6),
        "error": check.error,
        "fault": check.fault,
        "cached": check.cached,
        "price": price_to_dict(check.price),
    }


def check_from_dict(round_index: int, data: Mapping[str, Any]) -> AnswerChecked:
    """Read what `check_to_dict` wrote."""
    return AnswerChecked(
        round_index,
        data["worker"],
        data["text"],
        data["agrees"],
        data["model"],
        usage_from_dict(data["usage"]),
        money_from(data["cost_usd"]),
        data["seconds"],
        data["error"],
        data["fault"],
        data["cached"],
        price_from_dict(data["price"]),
    )


def step_to_json(step: StepTrace) -> str:
    """A step as the text of a JSON object.

    It is put together by hand because every step of every run is written while others wait: the
    way over dictionaries takes three times as long.
    """
    messages = [f'{{"role":{_quote(m.role)},"text":{_quote(m.text)}}}' for m in step.messages]
    attempts = [to_json(_attempt_to_dict(attempt)) for attempt in step.attempts]
    finished_s = "null" if step.finished_s is None else round(step.finished_s, 6)
    return (
        f'{{"step":{step.step},"worker":{_quote(step.worker)},"messages":[{",".join(messages)}],'
        f'"started_s":{round(step.started_s, 6)},"finished_s":{finished_s},'
        f'"answer":{_or_null(step.answer)},"error":{_or_null(step.error)},'
        f'"model":{_quote(step.model)},"usage":{usage_to_json(step.usage)},'
        f'"cost_usd":{_or_null(money(step.cost_usd))},'
        f'"finish_reason":{_or_null(step.finish_reason)},"calls":{step.calls},'
        f'"cached":{"true" if step.cached else "false"},"attempts":[{",".join(attempts)}],'
        f'"answered_by":{_quote(step.answered_by)},'
        f'"notes":[{",".join(map(_quote, step.notes))}],'
        f'"price":{price_to_json(step.price)},"fault":{_or_null(step.fault)}}}'
    )


def _or_null(text: str | None) -> str:
    return "null" if text is None else _quote(text)


def step_from_dict(data: Mapping[str, Any]) -> StepTrace:
    """Read what `step_to_json` wrote."""
    return StepTrace(
        step=data["step"],
        worker=data["worker"],
        messages=tuple(Message(m["role"], m["text"]) for m in data["messages"]),
        started_s=data["started_s"],
        finished_s=data["finished_s"],
        answer=data["answer"],
        error=data["error"],
        model=data["model"],
        usage=usage_from_dict(data["usage"]),
        cost_usd=money_from(data["cost_usd"]),
        finish_reason=data["finish_reason"],
        calls=data["calls"],
        cached=data.get("cached", False),
        attempts=tuple(_attempt_from_dict(data["step"], item) for item in data.get("attempts", ())),
        answered_by=data.get("answered_by", ""),
        notes=tuple(data.get("notes", ())),
        price=price_from_dict(data.get("price")),
        fault=data.get("fault"),
    )


def _attempt_to_dict(attempt: StepRetried) -> dict[str, Any]:
    return {
        "round": attempt.round,
        "attempt": attempt.attempt,
        "worker": attempt.worker,
        "error": attempt.error,
        "kind": attempt.kind,
        "wait_s": round(attempt.wait_s, 6),
        "usage": usage_to_dict(attempt.usage),
        "cost_usd": money(attempt.cost_usd),
        "kept_chars": attempt.kept_chars,
        "calls": attempt.calls,
        "price": price_to_dict(attempt.price),
    }


def _attempt_from_dict(step: int, data: Mapping[str, Any]) -> StepRetried:
    return StepRetried(
        round=data["round"],
        step=step,
        attempt=data["attempt"],
        worker=data["worker"],
        error=data["error"],
        kind=data["kind"],
        wait_s=data["wait_s"],
        usage=usage_from_dict(data["usage"]),
        cost_usd=money_from(data["cost_usd"]),
        kept_chars=data["kept_chars"],
        calls=data["calls"],
        price=price_from_dict(data.get("price")),
    )
