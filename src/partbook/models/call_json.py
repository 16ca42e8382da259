"""The written form of one call and of what came of it, and the key that tells calls apart.

The cache and the recordings share it. It holds what was said and how the model was to answer:
no endpoint, no header, no API key.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from partbook.errors import FaultKind, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.spend_json import usage_from_dict, usage_to_dict

__all__ = [
    "BROKEN",
    "call_key",
    "call_to_dict",
    "completion_from_dict",
    "completion_to_dict",
    "error_from_dict",
    "error_to_dict",
]

BROKEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a file can raise that was not written here, or not to its end."""


def call_to_dict(messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """A call as JSON values; what `sampling` leaves to the provider is not in it."""
    fields = asdict(sampling) | {"stop": list(sampling.stop)}
    return {
        "messages": [_message(message) for message in messages],
        "sampling": {name: value for name, value in fields.items() if value not in (None, [])},
    }


def _message(message: Message) -> list[str]:
    said = [message.role, message.text]
    if message.tool_calls or message.tool_call_id:
        said += [message.tool_calls, message.tool_call_id]
    return said


def call_key(who: Mapping[str, str], call: Mapping[str, Any]) -> str:
    """The hash of a call to somebody: SHA-256 of canonical JSON, in hexadecimal.

    Args:
        who: what tells one who answers from another.
        call: as `call_to_dict` makes it.
    """
    canonical = json.dumps([who, call], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def completion_to_dict(completion: Completion) -> dict[str, Any]:
    """A completion as JSON values."""
    calls = {"tool_calls": completion.tool_calls} if completion.tool_calls else {}
    return calls | {
        "text": completion.text,
        "usage": usage_to_dict(completion.usage),
        "model": completion.model,
        "finish_reason": completion.finish_reason,
        "cached": completion.cached,
    }


def completion_from_dict(data: Mapping[str, Any]) -> Completion:
    """Read what `completion_to_dict` wrote; anything else raises one of `BROKEN`."""
    text, model = data["text"], data["model"]
    if not isinstance(text, str) or not isinstance(model, str):
        raise TypeError("text was expected")
    return Completion(
        text,
        usage_from_dict(data["usage"]),
        model,
        data["finish_reason"],
        data["cached"],
        data.get("tool_calls", ""),
    )


def error_to_dict(error: WorkerError) -> dict[str, Any]:
    """A failure as JSON values."""
    return {
        "message": str(error),
        "usage": usage_to_dict(error.usage),
        "status": error.status,
        "kind": error.kind,
        "retry_after_s": error.retry_after_s,
    }


def error_from_dict(data: Mapping[str, Any]) -> WorkerError:
    """Read what `error_to_dict` wrote; anything else raises one of `BROKEN`."""
    kind = data["kind"]
    if kind not in get_args(FaultKind):
        raise ValueError(f"a kind of fault was expected, found {kind!r:.80}")
    return WorkerError(
        data["message"],
        usage=usage_from_dict(data["usage"]),
        status=data["status"],
        kind=kind,
        retry_after_s=data["retry_after_s"],
    )
