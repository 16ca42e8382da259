"""A real server on loopback, for the tests of what clients see."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from partbook.conduct import Fixed, Proposer
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.pool import AgentPool
from partbook.server.admission import Admission, OpenDoor
from partbook.server.app import Endpoint
from partbook.server.served import Served
from partbook.server.serving import Serving, listening

PIN = "partbook-2026-11-29-abc123"

ASK = [{"role": "user", "content": "What is 6*7?"}]


def fixed(*steps: tuple[str, str, tuple[int, ...]], name: str = "plan") -> FixedWorkflow:
    """A workflow of (worker, subtask, access)."""
    return FixedWorkflow(name, "", tuple(FixedStep(*step) for step in steps))


ONE = fixed(("w0", "Answer.", ()))
TWO = fixed(("w0", "Think.", ()), ("w1", "Answer.", (0,)))


@dataclass
class Whole:
    """A reply that came as a whole."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        return self.body["choices"][0]["message"]["content"]

    @property
    def error(self) -> dict[str, Any]:
        return self.body["error"]


@dataclass
class Streamed:
    """A reply that came as a stream, as far as it came."""

    status: int
    headers: dict[str, str]
    raw: str

    @property
    def events(self) -> list[str]:
        """The data of each event."""
        return [
            line.removeprefix("data: ")
            for block in self.raw.split("\n\n")
            for line in block.split("\n")
            if line.startswith("data: ")
        ]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        return [json.loads(data) for data in self.events if data != "[DONE]"]

    def joined(self, field: str = "content", index: int = 0) -> str:
        return "".join(
            choice["delta"].get(field) or ""
            for chunk in self.chunks
            for choice in chunk.get("choices", ())
            if choice["index"] == index
        )

    @property
    def finish_reasons(self) -> list[str]:
        return [
            choice["finish_reason"]
            for chunk in self.chunks
            for choice in chunk.get("choices", ())
            if choice["finish_reason"] is not None
        ]


@dataclass
class Client:
    """Speaks to the server."""

    url: str
    session: aiohttp.ClientSession
    endpoint: Endpoint
    server: Serving

    async def get(self, path: str, **headers: str) -> Whole:
        async with self.session.get(self.url + path, headers=_names(headers)) as reply:
            text = await reply.text()
            is_json = reply.content_type == "application/json"
            return Whole(reply.status, dict(reply.headers), json.loads(text) if is_json else text)

    async def post(self, path: str, data: bytes, **headers: str) -> Whole:
        async with self.session.post(self.url + path, data=data, headers=_names(headers)) as reply:
            return Whole(reply.status, dict(reply.headers), json.loads(await reply.read()))

    async def chat(self, headers: dict[str, str] | None = None, **body: Any) -> Whole:
        data = json.dumps({"model": "partbook", "messages": ASK, **body}).encode()
        return await self.post("/v1/chat/completions", data, **(headers or {}))

    async def stream(self, headers: dict[str, str] | None = None, **body: Any) -> Streamed:
        async with self.open_stream(headers, **body) as reply:
            raw = (await reply.read()).decode()
            return Streamed(reply.status, dict(reply.headers), raw)

    def open_stream(self, headers: dict[str, str] | None = None, **body: Any) -> Any:
        data = {"model": "partbook", "messages": ASK, "stream": True, **body}
        return self.session.post(
            f"{self.url}/v1/chat/completions", json=data, headers=_names(headers or {})
        )


def _names(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@asynccontextmanager
async def serving(
    pool: AgentPool,
    proposer: Proposer | None = None,
    *,
    admission: Admission | None = None,
    grace_s: float = 5.0,
    endpoint: dict[str, Any] | None = None,
    **served: Any,
) -> AsyncIterator[Client]:
    """A server for a pool; without a proposer it plays the first worker's answer."""
    offered = Served(pool, proposer or Fixed(ONE), PIN, 1_790_000_000, **served)
    made = Endpoint(offered, admission or OpenDoor(), **(endpoint or {}))
    async with listening_at(made, grace_s) as client:
        yield client


@asynccontextmanager
async def listening_at(made: Endpoint, grace_s: float) -> AsyncIterator[Client]:
    """A server for an endpoint, on a free port; it ends in order whatever happens meanwhile."""
    server = Serving(made, grace_s)
    sock = listening("127.0.0.1", 0)
    task = asyncio.create_task(server.serve([sock]))
    try:
        async with aiohttp.ClientSession() as session:
            yield Client(f"http://127.0.0.1:{sock.getsockname()[1]}", session, made, server)
    finally:
        server.should_exit = True
        await task
