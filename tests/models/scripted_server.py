"""A server on loopback that answers each request with the next script, byte by byte if need be."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self


class Request(NamedTuple):
    """What a client has sent."""

    line: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Abort:
    """In a script: break the connection off."""


ABORT = Abort()

Script = Sequence[bytes | asyncio.Event | Abort]
"""Bytes are written as one piece; an event is waited for; ABORT resets the connection."""


def reply(body: bytes | dict[str, Any], status: int = 200, **headers: str) -> Script:
    """A whole reply; header names are given with underscores."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"content_type": "application/json", **headers}
    head = f"HTTP/1.1 {status} Status\r\nContent-Length: {len(content)}\r\n"
    head += "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return [head.encode() + b"\r\n" + content]


def completion(text: str, **usage: Any) -> dict[str, Any]:
    """A usual reply of a chat-completions server."""
    message = {"role": "assistant", "content": text}
    return {
        "model": "m-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage or {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    }


def delta(text: str, finish_reason: str | None = None) -> bytes:
    """An event with a piece of text."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return event({"model": "m-1", "choices": [choice]})


def event(data: dict[str, Any]) -> bytes:
    """An event of a stream."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def chunk(data: bytes) -> bytes:
    """A piece of a body of unknown length; an empty one ends it."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def stream(*pieces: bytes) -> Script:
    """A streamed reply in these pieces, ended as it should be."""
    return [STREAM_HEAD, *map(chunk, pieces), chunk(b"")]


class ScriptedServer:
    """Use it as `async with ScriptedServer(script, ...) as server`."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self.url = ""
        """Base URL to be given to a client."""
        self.requests: list[Request] = []
        self.connections = 0
        self.asked = asyncio.Event()
        """Set as soon as a request has arrived."""
        self.left = asyncio.Event()
        """Set as soon as a client has closed its connection."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while True:
                    await self._read(reader)
                    await self._answer(reader, writer)
        finally:
            self.left.set()
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *fields = head.strip().split("\r\n")
        headers = {name.lower(): value for name, value in (f.split(": ", 1) for f in fields)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.requests.append(Request(line, headers, body))
        self.asked.set()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in self._scripts.pop(0):
            if isinstance(piece, Abort):
                writer.transport.abort()
            elif isinstance(piece, asyncio.Event):
                await self._wait(piece, reader)
            else:
                writer.write(piece)
                await writer.drain()

    async def _wait(self, gate: asyncio.Event, reader: asyncio.StreamReader) -> None:
        """Wait for the event, or for the client to leave: a client that waits sends nothing."""
        waits = [asyncio.create_task(gate.wait()), asyncio.create_task(reader.read(1))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.wait(waits)  # the next request is read by nobody else
        if not gate.is_set():
            raise ConnectionResetError("the client has left")
