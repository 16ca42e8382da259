"""A worker that asks for the user's tool, and answers with what the tool said.

    python tool_worker.py PORT

Without tools it answers as the mock server does.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from mock_server import USAGE, MockServer, event, send

CALL = {"id": "call_1", "type": "function"}
FUNCTION = {"name": "weather", "arguments": '{"city": "Seoul"}'}
TOLD = "The tool said: {}"


class ToolWorker(MockServer):
    async def answer(self, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> None:
        asked = json.loads(body) if body else {}
        if not asked.get("tools"):
            await super().answer(head, body, writer)
            return
        last = asked["messages"][-1]
        told = TOLD.format(last["content"]) if last["role"] == "tool" else None
        if asked.get("stream"):
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
            writer.writelines(streamed(asked["model"], told))
            writer.close()
        else:
            send(writer, whole(asked["model"], told))


def whole(model: str, told: str | None) -> bytes:
    calls = {"tool_calls": [CALL | {"function": FUNCTION}]} if told is None else {}
    message = {"role": "assistant", "content": told, **calls}
    reason = "tool_calls" if told is None else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model}
    return json.dumps({**head, "choices": [choice], "usage": USAGE}).encode()


def streamed(model: str, told: str | None) -> Iterator[bytes]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    for delta in call_deltas() if told is None else [{"content": told}]:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}
        yield event({**head, "choices": [choice]})
    reason = "tool_calls" if told is None else "stop"
    yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    yield event({**head, "choices": [], "usage": USAGE})
    yield b"data: [DONE]\n\n"


def call_deltas() -> Iterator[dict[str, Any]]:
    """A call as models stream it: its arguments in pieces."""
    name, said = FUNCTION["name"], FUNCTION["arguments"]
    yield {"tool_calls": [{"index": 0, **CALL, "function": {"name": name, "arguments": ""}}]}
    for piece in (said[:9], said[9:]):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


async def main(port: int) -> None:
    server = await asyncio.start_server(ToolWorker(0).serve, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main(int(sys.argv[1])))
