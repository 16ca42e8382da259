"""The written form of a trace: JSON values out and in, versioned.

`version` grows when the form changes; `trace_from_dict` reads every version that was ever released.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from partbook.errors import ConfigError, StoreError, WorkflowError
from partbook.round_json import (
    check_from_dict,
    check_to_dict,
    proposal_from_dict,
    proposal_to_dict,
    step_from_dict,
    step_to_json,
)
from partbook.spend_json import money, to_json, usage_to_dict
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Step, Workflow

__all__ = [
    "TRACE_VERSION",
    "trace_from_dict",
    "trace_summary",
    "trace_to_dict",
    "trace_to_json",
    "workflow_from_dict",
    "workflow_to_dict",
]

TRACE_VERSION = 1


def workflow_to_dict(workflow: Workflow) -> dict[str, Any]:
    """A workflow as JSON values: `{"steps": [{"worker": 0, "subtask": "...", "access": [0]}]}`.

    A step that reads the answer of the round before has `"before": true`, too.
    """
    steps = [
        {"worker": s.worker, "subtask": s.subtask, "access": list(s.access)}
        | ({"before": True} if s.before else {})
        for s in workflow.steps
    ]
    return {"steps": steps}


def workflow_from_dict(data: Mapping[str, Any]) -> Workflow:
    """Read what `workflow_to_dict` wrote."""
    steps = (
        Step(s["worker"], s["subtask"], tuple(s["access"]), s.get("before", False))
        for s in data["steps"]
    )
    return Workflow(tuple(steps))


def trace_to_dict(trace: Trace) -> dict[str, Any]:
    """A trace as JSON values, with the sums that a reader wants to see."""
    rounds = [
        _without_steps(round_)
        | {"steps": [json.loads(step_to_json(step)) for step in round_.steps]}
        for round_ in trace.rounds
    ]
    return trace_summary(trace) | {"rounds": rounds}


def trace_summary(trace: Trace) -> dict[str, Any]:
    """All of `trace_to_dict` but the rounds."""
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
        "most_rounds": trace.most_rounds,
    }


def trace_to_json(
    trace: Trace, summary: Mapping[str, Any], written: Mapping[tuple[int, int], str]
) -> str:
    """The text of `trace_to_dict`, put together from texts.

    Args:
        trace: the run.
        summary: its `trace_summary`.
        written: JSON of steps that were put into words before, by (round, step).
    """
    rounds = []
    for i, round_ in enumerate(trace.rounds):
        steps = [written.get((i, step.step)) or step_to_json(step) for step in round_.steps]
        rounds.append(_with(_without_steps(round_), "steps", steps))
    return _with(summary, "rounds", rounds)


def _with(data: Mapping[str, Any], name: str, texts: Sequence[str]) -> str:
    """JSON of an object, with one more list in it whose values are JSON already."""
    return f'{to_json(data)[:-1]},"{name}":[{",".join(texts)}]}}'


def trace_from_dict(data: Mapping[str, Any]) -> Trace:
    """Read what `trace_to_dict` wrote.

    Raises:
        StoreError: the data is of a later version, or no trace.
    """
    if not isinstance(data, Mapping):  # JSON of something else
        raise StoreError(f"not a trace: an object was expected, found {type(data).__name__}")
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
            most_rounds=data.get("most_rounds", 1),
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


def _without_steps(round_: RoundTrace) -> dict[str, Any]:
    return {
        "proposals": [proposal_to_dict(proposal) for proposal in round_.proposals],
        "workflow": None if round_.workflow is None else workflow_to_dict(round_.workflow),
        "source": round_.source,
        "workflow_name": round_.workflow_name,
        "answer": round_.answer,
        "checks": [check_to_dict(check) for check in round_.checks],
        "unanswered": round_.unanswered,
        "detail": round_.detail,
        "parent": None if round_.parent is None else list(round_.parent),
    }


def _round_from_dict(index: int, data: Mapping[str, Any]) -> RoundTrace:
    proposals = tuple(proposal_from_dict(index, item) for item in data["proposals"])
    workflow = None if data["workflow"] is None else workflow_from_dict(data["workflow"])
    return RoundTrace(
        proposals,
        workflow,
        data["source"],
        data["workflow_name"],
        tuple(step_from_dict(step) for step in data["steps"]),
        data["answer"],
        tuple(check_from_dict(index, item) for item in data.get("checks", ())),
        data.get("unanswered"),
        data.get("detail", ""),
        _parent(index, data.get("parent")),
    )


def _parent(index: int, value: object) -> tuple[int, int] | None:
    """The round and step that a round carries out; that round began before it."""
    match value:
        case None:
            return None
        case [int(round_), int(step)] if 0 <= round_ < index and step >= 0:
            return round_, step
    raise ValueError(f"round {index}: its parent is no step of an earlier round: {value!r}")
