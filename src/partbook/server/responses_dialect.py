"""The Responses API: its spelling of whole replies and of events.

Fields: https://platform.openai.com/docs/api-reference/responses. Plan and steps are the summary of
a reasoning item, the answer is a message item, calls of the user's tools are items after it.
"""

import json
from typing import Any

from partbook.message import Usage
from partbook.server.dialect import event
from partbook.server.job import Job
from partbook.server.refusal import Refusal
from partbook.server.reply import Answer, Reply

__all__ = ["ResponsesDialect"]


class ResponsesDialect:
    """As `Dialect`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._number = 0
        self._items: list[dict[str, Any]] = []
        """Those that are over."""
        self._reasoning: list[str] = []
        self._text: list[str] = []
        self._open = ""
        """Of the item that is being told, its type; empty: none is."""

    def whole(self, reply: Reply, reasoning: str) -> dict[str, Any]:
        """As `Dialect.whole`."""
        answer = reply.answers[0]
        items = [self._reasoning_item(reasoning)] if reasoning else []
        if answer.text or not answer.tool_calls:
            items.append(self._message_item(answer.text))
        items += self._calls(answer)
        return self._response(_status(answer), items, reply)

    def begin(self) -> str:
        """As `Dialect.begin`."""
        return self._about("response.created") + self._about("response.in_progress")

    def reasoning(self, piece: str) -> str:
        """As `Dialect.reasoning`; what comes after the answer has begun has no place any more."""
        events = ""
        if self._open == "message":
            return events
        where = {"item_id": self._id("rs"), "output_index": 0, "summary_index": 0}
        if not self._open:
            self._open = "reasoning"
            item = self._reasoning_item("") | {"summary": []}
            events += self._event("response.output_item.added", output_index=0, item=item)
            part = {"type": "summary_text", "text": ""}
            events += self._event("response.reasoning_summary_part.added", **where, part=part)
        self._reasoning.append(piece)
        return events + self._event("response.reasoning_summary_text.delta", **where, delta=piece)

    def answer(self, index: int, piece: str) -> str:
        """As `Dialect.answer`; there is one choice."""
        events = "" if self._open == "message" else self._closed() + self._begun_message()
        self._text.append(piece)
        return events + self._event("response.output_text.delta", **self._part(), delta=piece)

    def alive(self) -> str:
        """As `Dialect.alive`: a comment, and an event that says what is so."""
        return ": still working\n" + self._about("response.in_progress")

    def finish(self, reply: Reply) -> str:
        """As `Dialect.finish`."""
        answer = reply.answers[0]
        events = ""
        if not answer.text and not answer.tool_calls:
            events += self._closed() + self._begun_message()
        events += self._closed()
        for item in self._calls(answer):
            at = len(self._items)
            told = {"output_index": at, "item_id": item["id"]}
            begun = item | {"arguments": "", "status": "in_progress"}
            events += self._event("response.output_item.added", output_index=at, item=begun)
            said = item["arguments"]
            events += self._event("response.function_call_arguments.delta", **told, delta=said)
            events += self._event("response.function_call_arguments.done", **told, arguments=said)
            events += self._event("response.output_item.done", output_index=at, item=item)
            self._items.append(item)
        status = _status(answer)
        response = self._response(status, self._items, reply)
        return events + self._event(f"response.{status}", response=response)

    def failure(self, err: Refusal) -> str:
        """As `Dialect.failure`."""
        response = self._response("failed", self._items, None)
        response["error"] = {"code": err.code or err.kind, "message": str(err)}
        return self._event("response.failed", response=response)

    def _closed(self) -> str:
        """The end of the item that is being told."""
        at, kind, self._open = len(self._items), self._open, ""
        if kind == "reasoning":
            text = "".join(self._reasoning)
            item = self._reasoning_item(text)
            where = {"item_id": item["id"], "output_index": at, "summary_index": 0}
            part = item["summary"][0]
            events = self._event("response.reasoning_summary_text.done", **where, text=text)
            events += self._event("response.reasoning_summary_part.done", **where, part=part)
        elif kind == "message":
            text = "".join(self._text)
            item = self._message_item(text)
            part = item["content"][0]
            events = self._event("response.output_text.done", **self._part(), text=text)
            events += self._event("response.content_part.done", **self._part(), part=part)
        else:
            return ""
        self._items.append(item)
        return events + self._event("response.output_item.done", output_index=at, item=item)

    def _begun_message(self) -> str:
        self._open = "message"
        at = len(self._items)
        item = self._message_item("") | {"content": [], "status": "in_progress"}
        part = {"type": "output_text", "text": "", "annotations": []}
        return self._event("response.output_item.added", output_index=at, item=item) + self._event(
            "response.content_part.added", **self._part(), part=part
        )

    def _part(self) -> dict[str, Any]:
        at = len(self._items)
        return {"item_id": self._id("msg"), "output_index": at, "content_index": 0}

    def _about(self, name: str) -> str:
        return self._event(name, response=self._response("in_progress", [], None))

    def _event(self, name: str, **fields: Any) -> str:
        data = {"type": name, "sequence_number": self._number, **fields}
        self._number += 1
        return event(json.dumps(data), name)

    def _response(
        self, status: str, items: list[dict[str, Any]], reply: Reply | None
    ) -> dict[str, Any]:
        job, asked = self._job, self._job.asked
        wishes = asked.wishes
        tools = {} if wishes.tools is None else json.loads(wishes.tools)
        body: dict[str, Any] = {
            "id": self._id("resp"),
            "object": "response",
            "created_at": job.created,
            "status": status,
            "error": None,
            "incomplete_details": _why_incomplete(status),
            "instructions": None,
            "metadata": {},
            "model": job.offer.model,
            "output": list(items),
            "parallel_tool_calls": tools.get("parallel_tool_calls", True),
            "temperature": wishes.temperature,
            "top_p": wishes.top_p,
            "max_output_tokens": wishes.max_tokens,
            "tool_choice": _flat_choice(tools.get("tool_choice", "auto")),
            "tools": [{"type": "function", **tool["function"]} for tool in tools.get("tools", [])],
            "store": False,
            "usage": None if reply is None else _usage(reply.usage),
        }
        if reply is not None and asked.metadata:
            body["partbook"] = reply.metadata()
        return body

    def _calls(self, answer: Answer) -> list[dict[str, Any]]:
        calls = json.loads(answer.tool_calls) if answer.tool_calls else []
        return [
            {
                "type": "function_call",
                "id": f"{self._id('fc')}_{i}",
                "call_id": call["id"],
                "name": call["function"]["name"],
                "arguments": call["function"]["arguments"],
                "status": "completed",
            }
            for i, call in enumerate(calls)
        ]

    def _reasoning_item(self, text: str) -> dict[str, Any]:
        summary = [{"type": "summary_text", "text": text}]
        return {"type": "reasoning", "id": self._id("rs"), "summary": summary}

    def _message_item(self, text: str) -> dict[str, Any]:
        return {
            "type": "message",
            "id": self._id("msg"),
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }

    def _id(self, kind: str) -> str:
        return f"{kind}_{self._job.run_id}"


def _status(answer: Answer) -> str:
    return "incomplete" if answer.finish_reason == "length" else "completed"


def _why_incomplete(status: str) -> dict[str, str] | None:
    return {"reason": "max_output_tokens"} if status == "incomplete" else None


def _flat_choice(choice: Any) -> Any:
    if isinstance(choice, dict):
        return {"type": "function", "name": choice["function"]["name"]}
    return choice


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens},
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
    }
