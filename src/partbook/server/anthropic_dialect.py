"""Anthropic's messages API: its spelling of whole replies, events and errors.

Fields: https://docs.anthropic.com/en/api/messages. Plan and steps are a thinking block, which has
no signature and need not be sent back. There, `input_tokens` are those that were neither read from
a cache nor written to one.
"""

import json
from typing import Any

from partbook.message import Usage
from partbook.server.dialect import event
from partbook.server.job import Job
from partbook.server.refusal import Refusal
from partbook.server.reply import Answer, Reply

__all__ = ["AnthropicDialect", "anthropic_error"]

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
}


class AnthropicDialect:
    """As `Dialect`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._index = -1
        """Of the block that is being told."""
        self._open = ""
        """Its type; empty: none is."""

    def whole(self, reply: Reply, reasoning: str) -> dict[str, Any]:
        """As `Dialect.whole`."""
        answer = reply.answers[0]
        blocks: list[dict[str, Any]] = []
        if reasoning:
            blocks.append({"type": "thinking", "thinking": reasoning, "signature": ""})
        if answer.text or not answer.tool_calls:
            blocks.append({"type": "text", "text": answer.text})
        blocks += _calls(answer)
        body = self._message(blocks, _usage(reply.usage))
        body["stop_reason"] = _stop_reason(answer)
        if self._job.asked.metadata:
            body["partbook"] = reply.metadata()
        return body

    def begin(self) -> str:
        """As `Dialect.begin`."""
        return _event("message_start", message=self._message([], _usage(Usage())))

    def reasoning(self, piece: str) -> str:
        """As `Dialect.reasoning`; what comes after the answer has begun has no place any more."""
        if self._open == "text":
            return ""
        events = ""
        if not self._open:
            events = self._begun("thinking", {"thinking": "", "signature": ""})
        return events + self._delta({"type": "thinking_delta", "thinking": piece})

    def answer(self, index: int, piece: str) -> str:
        """As `Dialect.answer`; there is one choice."""
        events = ""
        if self._open != "text":
            events = self._closed() + self._begun("text", {"text": ""})
        return events + self._delta({"type": "text_delta", "text": piece})

    def alive(self) -> str:
        """As `Dialect.alive`; the API has an event for it."""
        return ": still working\n" + _event("ping")

    def finish(self, reply: Reply) -> str:
        """As `Dialect.finish`."""
        answer = reply.answers[0]
        events = self._closed()
        if self._index < 0 and not answer.tool_calls:
            events += self._begun("text", {"text": ""}) + self._closed()
        for block in _calls(answer):
            told = {"id": block["id"], "name": block["name"], "input": {}}
            events += self._begun("tool_use", told)
            said = json.dumps(block["input"])
            events += self._delta({"type": "input_json_delta", "partial_json": said})
            events += self._closed()
        extra = {"partbook": reply.metadata()} if self._job.asked.metadata else {}
        delta = {"stop_reason": _stop_reason(answer), "stop_sequence": None}
        events += _event("message_delta", delta=delta, usage=_usage(reply.usage), **extra)
        return events + _event("message_stop")

    def failure(self, err: Refusal) -> str:
        """As `Dialect.failure`."""
        return event(json.dumps(anthropic_error(err)), "error")

    def _message(self, blocks: list[dict[str, Any]], usage: dict[str, int]) -> dict[str, Any]:
        return {
            "id": f"msg_{self._job.run_id}",
            "type": "message",
            "role": "assistant",
            "model": self._job.offer.model,
            "content": blocks,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }

    def _begun(self, kind: str, fields: dict[str, Any]) -> str:
        self._index += 1
        self._open = kind
        block = {"type": kind, **fields}
        return _event("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: dict[str, str]) -> str:
        return _event("content_block_delta", index=self._index, delta=delta)

    def _closed(self) -> str:
        if not self._open:
            return ""
        self._open = ""
        return _event("content_block_stop", index=self._index)


def anthropic_error(err: Refusal) -> dict[str, Any]:
    """A refusal as this API spells it."""
    kind = _KINDS.get(err.status, "api_error")
    words = str(err)
    return {"type": "error", "error": {"type": kind, "message": words, "param": err.param}}


def _event(name: str, **fields: Any) -> str:
    return event(json.dumps({"type": name, **fields}), name)


def _calls(answer: Answer) -> list[dict[str, Any]]:
    calls = json.loads(answer.tool_calls) if answer.tool_calls else []
    return [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": _input(call["function"]["arguments"]),
        }
        for call in calls
    ]


def _input(arguments: str) -> dict[str, Any]:
    """A call's arguments as an object; what a model wrote may be none."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}


def _stop_reason(answer: Answer) -> str:
    if answer.finish_reason == "length":
        return "max_tokens"
    return "tool_use" if answer.tool_calls else "end_turn"


def _usage(usage: Usage) -> dict[str, int]:
    cached, written = usage.cached_tokens, usage.cache_write_tokens
    return {
        "input_tokens": max(0, usage.prompt_tokens - cached - written),
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
        "output_tokens": usage.completion_tokens,
    }
