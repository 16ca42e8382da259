"""The written form of a trace: JSON values out and in, versioned.

`version` grows when the form changes; `trace_from_dict` reads every version that was ever released.
"""

from collections.abc import Mapping
from typing import Any

from partbook.errors import ConfigError, StoreError, WorkflowError
from partbook.event import Proposed, StepRetried
from partbook.message import Message
from partbook.spend_json import (
    money,
    money_from,
    price_from_dict,
    price_to_dict,
    usage_from_dict,
    usage_to_dict,
)
from partbook.trace import RoundTrace, StepTrace, Trace
from partbook.workflow import Step, Workflow

__all__ = [
    "TRACE_VERSION",
    "money",
    "proposal_from_dict",
    "proposal_to_dict",
    "step_from_dict",
    "step_to_dict",
    "trace_from_dict",
    "trace_to_dict",
    "workflow_from_dict",
    "workflow_to_dict",
]

TRACE_VERSION = 1


def workflow_to_dict(workflow: Workflow) -> dict[str, Any]:
    """A workflow as JSON values: `{"steps": [{"worker": 0, "subtask": "...", "access": [0]}]}`."""
    steps = [
        {"worker": s.worker, "subtask": s.subtask, "access": list(s.access)} for s in workflow.steps
    ]
    return {"steps": steps}


def workflow_from_dict(data: Mapping[str, Any]) -> Workflow:
    """Read what `workflow_to_dict` wrote."""
    steps = (Step(s["worker"], s["subtask"], tuple(s["access"])) for s in data["steps"])
    return Workflow(tuple(steps))


def trace_to_dict(trace: Trace) -> dict[str, Any]:
    """A trace as JSON values, with the sums that a reader wants to see."""
    return {
        "version": TRACE_VERSION,
        "run_id": trace.run_id,
        "question": trace.question,
        "answer": trace.answer,
        "status": trace.status,
        "reason": trace.reason,
        "detail": trace.detail,
        "pool": trace.pool,
        "workers": list(trace.workers),
        "started_at": trace.started_at,
        "seconds": round(trace.seconds, 6),
        "calls": trace.calls,
        "usage": usage_to_dict(trace.usage),
        "cost_usd": money(trace.cost_usd),
        "rounds": [_round_to_dict(round_) for round_ in trace.rounds],
    }


def trace_from_dict(data: Mapping[str, Any]) -> Trace:
    """Read what `trace_to_dict` wrote.

    Raises:
        StoreError: the data is of a later version, or no trace.
    """
    if data.get("version") != TRACE_VERSION:
        raise StoreError(
            f"a trace of version {TRACE_VERSION} was expected, found {data.get('version')!r}; "
            "it may have been written by a newer Partbook"
        )
    try:
        return Trace(
            run_id=data["run_id"],
            question=data["question"],
            pool=data["pool"],
            workers=tuple(data["workers"]),
            started_at=data["started_at"],
            seconds=data["seconds"],
            status=data["status"],
            rounds=tuple(_round_from_dict(i, item) for i, item in enumerate(data["rounds"])),
            reason=data["reason"],
            detail=data["detail"],
        )
    except (
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        ArithmeticError,
        ConfigError,
        WorkflowError,
    ) as err:
        raise StoreError(f"not a trace: {type(err).__name__}: {err}") from err


def _round_to_dict(round_: RoundTrace) -> dict[str, Any]:
    return {
        "proposals": [proposal_to_dict(proposal) for proposal in round_.proposals],
        "workflow": None if round_.workflow is None else workflow_to_dict(round_.workflow),
        "source": round_.source,
        "workflow_name": round_.workflow_name,
        "steps": [step_to_dict(step) for step in round_.steps],
        "answer": round_.answer,
    }


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


def step_to_dict(step: StepTrace) -> dict[str, Any]:
    """A step as JSON values."""
    return {
        "step": step.step,
        "worker": step.worker,
        "messages": [{"role": m.role, "text": m.text} for m in step.messages],
        "started_s": round(step.started_s, 6),
        "finished_s": None if step.finished_s is None else round(step.finished_s, 6),
        "answer": step.answer,
        "error": step.error,
        "model": step.model,
        "usage": usage_to_dict(step.usage),
        "cost_usd": money(step.cost_usd),
        "finish_reason": step.finish_reason,
        "calls": step.calls,
        "cached": step.cached,
        "attempts": [_attempt_to_dict(attempt) for attempt in step.attempts],
        "answered_by": step.answered_by,
        "notes": list(step.notes),
        "price": price_to_dict(step.price),
    }


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


def _round_from_dict(index: int, data: Mapping[str, Any]) -> RoundTrace:
    proposals = tuple(proposal_from_dict(index, item) for item in data["proposals"])
    workflow = None if data["workflow"] is None else workflow_from_dict(data["workflow"])
    steps_done = tuple(step_from_dict(step) for step in data["steps"])
    return RoundTrace(
        proposals, workflow, data["source"], data["workflow_name"], steps_done, data["answer"]
    )


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


def step_from_dict(data: Mapping[str, Any]) -> StepTrace:
    """Read what `step_to_dict` wrote."""
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
    )
