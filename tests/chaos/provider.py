"""A provider in bad weather: it bills every request that reaches it, and harms replies by a seed.

What it bills is its own count, as a real provider's is: a reply that was lost on the way is billed
all the same. `clean` counts the replies that left it whole, by question and step.
"""

import asyncio
import json
import random
import re
import socket
import struct
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Self

from tests.models.scripted_server import completion, delta, event

__all__ = ["FATES", "PRICE", "Provider", "answer_of"]

FATES: Mapping[str, float] = {
    "clean": 0.72,
    "late": 0.06,
    "reset before the reply": 0.04,
    "reset in the reply": 0.05,
    "cut in the reply": 0.05,
    "half-open": 0.02,
    "wrong bytes": 0.03,
    "overloaded": 0.03,
}
"""What becomes of a request, and how often. Half-open: the connection stays, and nothing comes."""

PRICE = (Decimal(1), Decimal(10))
"""Dollars per million tokens read and written."""

LATE_S = 0.3
NEVER_S = 60.0


def answer_of(question: str, step: str) -> str:
    """What the provider answers: nobody else could have said it."""
    return f"{step} of {question} is done"


@dataclass
class Provider:
    """Listens on loopback as an OpenAI-compatible server with one model."""

    draw: random.Random
    weather: Mapping[str, float] = field(default_factory=lambda: FATES)
    billed_usd: Decimal = Decimal(0)
    fates: Counter[str] = field(default_factory=Counter)
    clean: Counter[tuple[str, str]] = field(default_factory=Counter)
    server: asyncio.Server | None = None
    busy: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self.server is not None
        self.server.close()
        for task in self.busy:
            task.cancel()
        await asyncio.gather(*self.busy, return_exceptions=True)

    @property
    def url(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.busy.add(task)
        try:
            # Cancelled only by `__aexit__`; asyncio would log it as an error of the connection.
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._answer(reader, writer):
                    pass
        finally:
            self.busy.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        assert length is not None
        body = json.loads(await reader.readexactly(int(length[1])))
        said = json.dumps(body["messages"])
        question, step = re.findall(r"question-\d+", said)[-1], re.findall(r"step-[ab]", said)[-1]
        fate = self.draw.choices(list(self.weather), list(self.weather.values()))[0]
        self.fates[fate] += 1
        if fate == "overloaded":
            return await _sent(writer, _reply({"error": {"message": "busy"}}, "529 Overloaded"))
        usage = {"prompt_tokens": len(said) // 4, "completion_tokens": 9, "total_tokens": 0}
        usage["total_tokens"] = usage["prompt_tokens"] + 9
        self.billed_usd += (usage["prompt_tokens"] * PRICE[0] + 9 * PRICE[1]) / 1_000_000
        if fate == "half-open":
            await asyncio.sleep(NEVER_S)
            return False
        await asyncio.sleep(LATE_S if fate == "late" else self.draw.uniform(0, 0.02))
        text = answer_of(question, step)
        whole = _stream(text, usage) if body.get("stream") else _reply(completion(text, **usage))
        if fate in ("clean", "late"):
            self.clean[question, step] += await _sent(writer, whole)
            return True
        at = self.draw.randrange(1, len(whole) - 1)
        if fate == "wrong bytes":
            return await _sent(writer, whole[:at] + self.draw.randbytes(8) + whole[at + 8 :])
        writer.write(b"" if fate == "reset before the reply" else whole[:at])
        await writer.drain()
        if fate != "cut in the reply":
            # A linger of 0 seconds makes the kernel send a reset in place of an orderly end.
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False


async def _sent(writer: asyncio.StreamWriter, data: bytes) -> bool:
    writer.write(data)
    await writer.drain()
    return True


def _reply(body: dict[str, Any], status: str = "200 OK") -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def _stream(text: str, usage: dict[str, int]) -> bytes:
    """Events, word by word, in chunked encoding."""
    words = re.findall(r"\S+\s*", text)
    events = [delta(word) for word in words]
    events += [delta("", "stop"), event({"choices": [], "usage": usage}), b"data: [DONE]\n\n"]
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return head + b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in events) + b"0\r\n\r\n"
