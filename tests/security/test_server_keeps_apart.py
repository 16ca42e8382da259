"""What a server remembers, shows and logs: nobody hears through it what is not theirs."""

import logging
from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.conduct import Conductor
from partbook.price import FREE
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys
from tests.page.live import ask, events_in, page_serving
from tests.security.tellers import Troupe, secrets_in
from tests.server.live import serving
from tests.server.models import Saying

PLAN = (
    'model_id = [0, 1, 2]\nsubtasks = ["TASK-0-0", "TASK-0-1", "TASK-0-2"]\n'
    "access_list = [[], [], [0]]"
)
"""Nobody reads the second step."""
MORE = {"role": "user", "content": "And once more?"}


@pytest.fixture
def keys(tmp_path) -> Iterator[ApiKeys]:
    with ApiKeys.open(tmp_path / "runs.db") as opened:
        yield opened


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_a_plan_that_is_kept_for_the_next_turn_keeps_its_access_lists():
    troupe = Troupe()
    conductor = Conductor(Saying((PLAN,)), price=FREE)
    asked = [{"role": "user", "content": "What is 6*7?"}]
    async with serving(troupe.pool("turns", "tagged", "tagged"), conductor) as client:
        one = await client.chat(messages=asked)
        said = {"role": "assistant", "content": one.text}
        two = await client.chat(messages=[*asked, said, MORE])

    assert two.headers["x-partbook-plan"] == "kept"
    # The last answer of the first turn is a part of the conversation that the client sends.
    assert secrets_in(one.text) == {"0-2"}
    first, second = troupe.heard[:3], troupe.heard[3:]
    assert {call.mark: call.secrets for call in first} == {
        "0-0": set(),
        "0-1": set(),
        "0-2": {"0-0"},
    }
    assert {call.mark: call.secrets for call in second} == {
        "0-0": {"0-2"},
        "0-1": {"0-2"},
        "0-2": {"0-2", "0-0"},
    }


ROUTES = (
    "/page/asks/{}/events",
    "/page/runs/{}",
    "/page/runs",
    "/page/runs?text=SECRET",
    "/page/about",
    "/page/spend",
    "/page/savings",
    "/page/reports",
    "/page/trainings",
    "/v1/runs/{}",
    "/v1/models",
    "/metrics",
)
"""Everywhere that something of a run of somebody else could be shown."""


async def test_the_pages_events_say_what_each_worker_heard_and_only_to_who_asked(
    tmp_path, keys, caplog
):
    caplog.set_level(logging.DEBUG)
    _, anns = keys.create("ann")
    _, bobs = keys.create("bob")
    troupe = Troupe()
    conductor = Conductor(Saying((PLAN,)), price=FREE)
    async with page_serving(
        troupe.pool("turns", "tagged", "plain"),
        tmp_path / "runs.db",
        conductor,
        keys=keys,
        admission=KeyDesk(keys),
        keep=True,
    ) as client:
        run_id = await ask(client, "Is it SECRET-9-9?", anns)
        own = await shown(client, f"/page/asks/{run_id}/events", anns)
        others = [await shown(client, route.format(run_id), bobs) for route in ROUTES]
        stop = await client.post(f"/page/asks/{run_id}/stop", b"", **bearer(bobs))

    events = events_in(own[1])
    heard = {
        e["step"]: secrets_in(str(e["messages"])) for e in events if e["type"] == "step_started"
    }
    assert (own[0], events[-1]["type"]) == (200, "ended")
    assert heard == {0: {"9-9"}, 1: {"9-9"}, 2: {"9-9", "0-0"}}
    assert {call.mark: call.secrets for call in troupe.heard} == {
        f"0-{step}": secrets for step, secrets in heard.items()
    }
    assert {status for status, _ in others} == {200, 403, 404}
    assert [text for _, text in others if "SECRET" in text or "TASK" in text] == []
    assert stop.status == 404
    assert "SECRET" not in caplog.text


async def test_whoever_may_see_all_runs_sees_them_without_keys_of_this_server(tmp_path, keys):
    _, anns = keys.create("ann")
    _, owners = keys.create("owner", sees_traces=True)
    troupe = Troupe()
    conductor = Conductor(Saying((PLAN,)), price=FREE)
    async with page_serving(
        troupe.pool("turns", "tagged", "plain"),
        tmp_path / "runs.db",
        conductor,
        keys=keys,
        admission=KeyDesk(keys),
        keep=True,
    ) as client:
        run_id = await ask(client, f"SECRET-9-9 and {anns}", anns)
        await shown(client, f"/page/asks/{run_id}/events", anns)
        kept = await shown(client, f"/page/runs/{run_id}", owners)
        live = await shown(client, f"/page/asks/{run_id}/events", owners)

    assert [status for status, _ in (kept, live)] == [200, 200]
    assert "SECRET-9-9 and [key]" in kept[1]
    assert [anns in text for _, text in (kept, live)] == [False, False]


async def shown(client, path: str, key: str) -> tuple[int, str]:
    async with client.session.get(client.url + path, headers=bearer(key)) as reply:
        return reply.status, await reply.text()
