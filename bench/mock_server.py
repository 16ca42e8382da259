"""An OpenAI-compatible server that answers every chat request after the same wait.

    python mock_server.py [PORT] [LATENCY_MS]        defaults: any free port, 50 ms

It prints its base URL as the first line. `GET /stats` tells its counters, `GET /reset` also sets
them to 0, and `GET /reset?answers=4` says how many answers a last step is to have read. Plain
asyncio, no framework, so that it takes little of the machine that is measured.
"""

import asyncio
import json
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress

ANSWER = "The answer is 42. " * 8

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 40,
    "total_tokens": 140,
    "prompt_tokens_details": {"cached_tokens": 20, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 10, "audio_tokens": 0},
}


class Stats:
    """What the server has seen."""

    def __init__(self, answers: int = 2, connections: int = 0) -> None:
        self.answers = answers
        """How many earlier answers the last step of a workflow reads."""
        self.requests = 0
        self.connections = connections
        """The most that were open at once, of those on which a model was asked."""
        self.in_flight = 0
        self.peak_in_flight = 0
        self.saw_all = 0
        """Requests that hold so many of its answers: last steps that read all earlier ones."""


def completion(model: str) -> bytes:
    message = {"role": "assistant", "content": ANSWER, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model}
    return json.dumps({**head, "choices": [choice], "usage": USAGE}).encode()


def chunks(model: str) -> Iterator[bytes]:
    """The same completion as events of a stream, a word each."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    for word in ANSWER.split(" ")[:-1]:
        delta = {"role": "assistant", "content": word + " "}
        yield event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield event({**head, "choices": [], "usage": USAGE})
    yield b"data: [DONE]\n\n"


def event(data: dict[str, object]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


class MockServer:
    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self.open = 0
        self.stats = Stats()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after another."""
        is_counted = False
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    body = await read_body(head.lower(), reader)
                    if not is_counted and not head.startswith(b"GET"):
                        is_counted = True
                        self.open += 1
                        self.stats.connections = max(self.stats.connections, self.open)
                    await self.answer(head, body, writer)
                    await writer.drain()
        finally:
            self.open -= is_counted
            writer.close()

    async def answer(self, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> None:
        if head.startswith(b"GET"):
            if head.startswith(b"GET /reset"):
                wanted = re.match(rb"GET /reset\?answers=(\d+)", head)
                self.stats = Stats(int(wanted[1]) if wanted else 2, self.open)
            send(writer, json.dumps(vars(self.stats)).encode())
            return
        asked = json.loads(body)
        await self.wait(body)
        if not asked.get("stream"):
            send(writer, completion(asked["model"]))
            return
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
        writer.write(b"transfer-encoding: chunked\r\n\r\n")
        for data in chunks(asked["model"]):
            writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        writer.write(b"0\r\n\r\n")

    async def wait(self, body: bytes) -> None:
        """What a model would do in the meantime: count and wait."""
        stats = self.stats
        stats.requests += 1
        stats.in_flight += 1
        stats.peak_in_flight = max(stats.peak_in_flight, stats.in_flight)
        stats.saw_all += body.count(b"answer is 42") >= 8 * stats.answers
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            stats.in_flight -= 1


def send(writer: asyncio.StreamWriter, body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    writer.write(head % len(body) + body)


async def read_body(head: bytes, reader: asyncio.StreamReader) -> bytes:
    """The body that a head in lower case announces."""
    if b"transfer-encoding: chunked" in head:
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
        return body
    for line in head.split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return await reader.readexactly(int(line.partition(b":")[2]))
    return b""


async def main() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    latency_s = float(sys.argv[2]) / 1000 if len(sys.argv) > 2 else 0.05
    mock = MockServer(latency_s)
    server = await asyncio.start_server(mock.serve, "127.0.0.1", port, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
