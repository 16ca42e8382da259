"""A real server with the page on loopback, and what a browser would do with it."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from partbook.conduct import Fixed, Proposer
from partbook.page.room import PageSetup
from partbook.page.routes import page_routes
from partbook.page.static import Static
from partbook.pool import AgentPool
from partbook.server.admission import Admission, OpenDoor
from partbook.server.app import Endpoint
from partbook.server.served import Served
from partbook.store import ApiKeys, BatchWriter, Store
from tests.server.live import ONE, PIN, Client, listening_at

QUESTION = "What is 6*7?"


@asynccontextmanager
async def page_serving(
    pool: AgentPool,
    place: Path,
    proposer: Proposer | None = None,
    *,
    keys: ApiKeys | None = None,
    admission: Admission | None = None,
    keep: bool = False,
    reports: Path | None = None,
    static: Static | None = None,
    routes: dict[str, Any] | None = None,
    grace_s: float = 5.0,
    **served: Any,
) -> AsyncIterator[Client]:
    """A server with the page; without a proposer it plays the first worker's answer.

    Args:
        place: path of the store.
        keep: whether runs are kept in it.
        routes: further arguments of `page_routes`.
    """
    async with AsyncExitStack() as stack:
        store = stack.enter_context(Store.open(place))
        known = keys or stack.enter_context(ApiKeys.open(place))
        writer = await stack.enter_async_context(BatchWriter(store))
        if keep:
            served["keep"] = writer.put
        offered = Served(pool, proposer or Fixed(ONE), PIN, 1_790_000_000, **served)
        door = admission or OpenDoor()
        setup = PageSetup(
            offered, door, store, known, None, "for tests", reports, writer.flush if keep else None
        )
        made = Endpoint(offered, door, extra_routes=page_routes(setup, static, **(routes or {})))
        yield await stack.enter_async_context(listening_at(made, grace_s))


async def ask(client: Client, question: str = QUESTION, key: str = "", **fields: Any) -> str:
    """Begin a run; its id."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data = json.dumps({"question": question, **fields}).encode()
    reply = await client.post("/page/asks", data, **headers)
    assert reply.status == 202, reply.body
    found: str = reply.body["ask"]
    return found


async def refused(client: Client, **fields: Any) -> tuple[int, str | None, str | None]:
    """Status, code and field of a question that is refused."""
    data = json.dumps({"question": QUESTION, **fields}).encode()
    reply = await client.post("/page/asks", data)
    return reply.status, reply.error["code"], reply.error["param"]


async def followed(client: Client, run_id: str, after: int = 0) -> list[dict[str, Any]]:
    """The events of a run after this number, to the end."""
    path = f"{client.url}/page/asks/{run_id}/events?after={after}"
    async with client.session.get(path) as reply:
        assert reply.status == 200
        assert reply.content_type == "text/event-stream"
        return events_in((await reply.read()).decode())


def events_in(text: str) -> list[dict[str, Any]]:
    """The events in a stream, each with its number as `seq`."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "data" in fields:
            found.append(json.loads(fields["data"]) | {"seq": int(fields["id"])})
    return found


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """Their types, pieces of text left out."""
    return [event["type"] for event in events if not event["type"].endswith("_text")]
