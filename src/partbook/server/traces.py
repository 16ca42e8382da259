"""Whole traces of runs, for the keys that may see them.

A trace holds prompts and answers. Keys of workers never get into one: whoever calls a worker takes
its key out of all that comes back. What is taken out here is what clients may have said themselves:
keys of this server.
"""

import re
from typing import Any

from partbook.secret import HIDDEN
from partbook.server.admission import Holder
from partbook.server.refusal import Refusal
from partbook.server.served import Served
from partbook.store.api_keys import PREFIX
from partbook.trace_json import trace_to_dict

__all__ = ["shown_trace", "without_keys"]

_OWN_KEY = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{43}")


async def shown_trace(served: Served, holder: Holder, run_id: str) -> dict[str, Any]:
    """The trace of a run as JSON values.

    Args:
        served: where runs are kept.
        holder: who asks.
        run_id: as the header `x-partbook-run-id` says it.

    Raises:
        Refusal: the key may not see traces, or there is no such run.
    """
    if not holder.sees_traces:
        raise Refusal(
            "traces are shown to keys that were made for it: partbook keys create NAME --traces",
            status=403,
            kind="permission_error",
            code="traces_not_allowed",
        )
    trace = None if served.kept is None else await served.kept(run_id)
    if trace is None:
        why = "runs are kept only with --keep" if served.kept is None else "no run has this id"
        raise Refusal(why, status=404, kind="invalid_request_error", code="run_not_found")
    hidden: dict[str, Any] = without_keys(trace_to_dict(trace))
    return hidden


def without_keys(value: Any) -> Any:
    """JSON values in which keys of this server are hidden."""
    match value:
        case str():
            return _OWN_KEY.sub(HIDDEN, value)
        case dict():
            return {name: without_keys(inner) for name, inner in value.items()}
        case list():
            return [without_keys(inner) for inner in value]
    return value
