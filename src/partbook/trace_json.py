"""The written form of a trace: JSON values out and in, versioned.

`version` grows when the form changes; `trace_from_dict` reads every version that was ever released.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from partbook.errors import StoreError, WorkflowError
from partbook.event import Proposed
from partbook.message import Message, Usage
from partbook.trace import RoundTrace, StepTrace, Trace
from partbook.workflow import Step, Workflow

__all__ = ["TRACE_VERSION", "money", "trace_from_dict", "trace_to_dict", "workflow_to_dict"]

TRACE_VERSION = 1


def money(cost_usd: Decimal | None) -> str | None:
    """Dollars as plain digits, exact; None stays None.

    >>> money(Decimal("0.00") + Decimal("0.004950"))
    '0.00495'
    """
    return None if cost_usd is None else format(cost_usd.normalize(), "f")


def workflow_to_dict(workflow: Workflow) -> dict[str, Any]:
    """A workflow as JSON values: `{"steps": [{"worker": 0, "subtask": "...", "access": [0]}]}`."""
    steps = [
        {"worker": s.worker, "subtask": s.subtask, "access": list(s.access)} for s in workflow.steps
    ]
    return {"steps": steps}


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
        "usage": _usage_to_dict(trace.usage),
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
        WorkflowError,
    ) as err:
        raise StoreError(f"not a trace: {type(err).__name__}: {err}") from err


def _usage_to_dict(usage: Usage | None) -> dict[str, int] | None:
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _round_to_dict(round_: RoundTrace) -> dict[str, Any]:
    return {
        "proposals": [
            {
                "text": p.text,
                "model": p.model,
                "usage": _usage_to_dict(p.usage),
                "cost_usd": money(p.cost_usd),
                "seconds": round(p.seconds, 6),
                "error": p.error,
            }
            for p in round_.proposals
        ],
        "workflow": None if round_.workflow is None else workflow_to_dict(round_.workflow),
        "source": round_.source,
        "workflow_name": round_.workflow_name,
        "steps": [_step_to_dict(step) for step in round_.steps],
        "answer": round_.answer,
    }


def _step_to_dict(step: StepTrace) -> dict[str, Any]:
    return {
        "step": step.step,
        "worker": step.worker,
        "messages": [{"role": m.role, "text": m.text} for m in step.messages],
        "started_s": round(step.started_s, 6),
        "finished_s": None if step.finished_s is None else round(step.finished_s, 6),
        "answer": step.answer,
        "error": step.error,
        "model": step.model,
        "usage": _usage_to_dict(step.usage),
        "cost_usd": money(step.cost_usd),
        "finish_reason": step.finish_reason,
        "calls": step.calls,
    }


def _usage_from(data: Mapping[str, int] | None) -> Usage | None:
    return None if data is None else Usage(**data)


def _money_from(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _round_from_dict(index: int, data: Mapping[str, Any]) -> RoundTrace:
    proposals = tuple(
        Proposed(
            round=index,
            text=p["text"],
            model=p["model"],
            usage=_usage_from(p["usage"]),
            cost_usd=_money_from(p["cost_usd"]),
            seconds=p["seconds"],
            error=p["error"],
        )
        for p in data["proposals"]
    )
    workflow = None
    if data["workflow"] is not None:
        steps = (
            Step(s["worker"], s["subtask"], tuple(s["access"])) for s in data["workflow"]["steps"]
        )
        workflow = Workflow(tuple(steps))
    steps_done = tuple(_step_from_dict(step) for step in data["steps"])
    return RoundTrace(
        proposals, workflow, data["source"], data["workflow_name"], steps_done, data["answer"]
    )


def _step_from_dict(data: Mapping[str, Any]) -> StepTrace:
    return StepTrace(
        step=data["step"],
        worker=data["worker"],
        messages=tuple(Message(m["role"], m["text"]) for m in data["messages"]),
        started_s=data["started_s"],
        finished_s=data["finished_s"],
        answer=data["answer"],
        error=data["error"],
        model=data["model"],
        usage=_usage_from(data["usage"]),
        cost_usd=_money_from(data["cost_usd"]),
        finish_reason=data["finish_reason"],
        calls=data["calls"],
    )
