"""Chat completions: OpenAI's spelling of whole replies and of chunks.

Fields: https://platform.openai.com/docs/api-reference/chat. Nothing but `data:` events with JSON
is sent, because widely used clients fail on anything else.
"""

import json
from typing import Any

from partbook.server.dialect import event
from partbook.server.job import Job
from partbook.server.refusal import Refusal
from partbook.server.reply import Answer, Reply, spelt_finish, usage_dict
from partbook.spend_json import to_json

__all__ = ["ChatDialect"]

_DONE = "data: [DONE]\n\n"


class ChatDialect:
    """As `Dialect`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._head = ""
        """What each chunk of a stream begins with."""

    def whole(self, reply: Reply, reasoning: str) -> dict[str, Any]:
        """As `Dialect.whole`."""
        asked = self._job.asked
        cost = (reply.cost_usd,) if asked.metadata else None
        body = self._about("chat.completion") | {
            "choices": [_choice(i, answer, reasoning) for i, answer in enumerate(reply.answers)],
            "usage": usage_dict(reply.usage, cost),
        }
        if asked.metadata:
            body["partbook"] = reply.metadata()
        return body

    def begin(self) -> str:
        """As `Dialect.begin`: the role of each choice."""
        asked = self._job.asked
        head = self._about("chat.completion.chunk")
        if asked.include_usage:
            head["usage"] = None
        self._head = to_json(head)[:-1]
        role = '{"role":"assistant","content":""}'
        return "".join(self._chunk(i, role) for i in range(asked.n))

    def reasoning(self, piece: str) -> str:
        """As `Dialect.reasoning`."""
        return self._chunk(0, f'{{"reasoning_content":{json.dumps(piece)}}}')

    def answer(self, index: int, piece: str) -> str:
        """As `Dialect.answer`."""
        return self._chunk(index, f'{{"content":{json.dumps(piece)}}}')

    def alive(self) -> str:
        """As `Dialect.alive`.

        It carries data, since some clients do not count comments, and a comment line, since some
        proxies count nothing else.
        """
        return ": still working\n" + self._chunk(0, "{}")

    def finish(self, reply: Reply) -> str:
        """As `Dialect.finish`."""
        asked = self._job.asked
        extra = f',"partbook":{json.dumps(reply.metadata())}' if asked.metadata else ""
        last = len(reply.answers) - 1
        events: list[str] = []
        for i, answer in enumerate(reply.answers):
            if answer.tool_calls:
                delta = f'{{"tool_calls":{_numbered(answer.tool_calls)}}}'
                events.append(self._chunk(i, delta))
            tail = extra if i == last and not asked.include_usage else ""
            events.append(self._chunk(i, "{}", spelt_finish(answer), tail))
        if asked.include_usage:
            cost = (reply.cost_usd,) if asked.metadata else None
            usage = json.dumps(usage_dict(reply.usage, cost))
            head = self._head.removesuffix(',"usage":null')
            events.append(event(f'{head},"choices":[],"usage":{usage}{extra}}}'))
        return "".join(events) + _DONE

    def failure(self, err: Refusal) -> str:
        """As `Dialect.failure`: an error frame, and no finish reason."""
        return event(json.dumps(err.body())) + _DONE

    def _about(self, what: str) -> dict[str, Any]:
        job = self._job
        return {
            "id": f"chatcmpl-{job.run_id}",
            "object": what,
            "created": job.created,
            "model": job.offer.model,
        }

    def _chunk(self, index: int, delta: str, finish: str | None = None, tail: str = "") -> str:
        reason = "null" if finish is None else f'"{finish}"'
        choice = f'{{"index":{index},"delta":{delta},"finish_reason":{reason}}}'
        return event(f'{self._head},"choices":[{choice}]{tail}}}')


def _choice(index: int, answer: Answer, reasoning: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.tool_calls:
        message["content"] = answer.text or None
        message["tool_calls"] = json.loads(answer.tool_calls)
    if reasoning and not index:
        message["reasoning_content"] = reasoning
    return {
        "index": index,
        "message": message,
        "logprobs": None,
        "finish_reason": spelt_finish(answer),
    }


def _numbered(calls: str) -> str:
    """Calls as a delta has them."""
    return json.dumps([{"index": i, **call} for i, call in enumerate(json.loads(calls))])
