"""Who may see and do what: keys, other sites, other people's runs."""

from decimal import Decimal

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.price import Price
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys
from tests.fakes import pool_of
from tests.page.live import QUESTION, ask, page_serving
from tests.server.models import Saying

ROUTES = (
    "/page/about",
    "/page/runs",
    "/page/runs/abc",
    "/page/asks/abc/events",
    "/page/spend",
    "/page/savings",
    "/page/reports",
    "/page/reports/abc",
    "/page/trainings",
    "/page/trainings/abc",
)


@pytest.fixture
def keys(place):
    with ApiKeys.open(place) as opened:
        yield opened


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def status_of(client, path: str, **headers: str) -> tuple[int, str | None]:
    reply = await client.get(path, **headers)
    return reply.status, reply.body.get("error", {}).get("code") if reply.body else None


async def test_without_a_good_key_nothing_is_told_but_the_page_itself(place, keys):
    _, good = keys.create("ann")
    keys.revoke("ann")
    async with page_serving(
        pool_of(Saying(("42",))), place, keys=keys, admission=KeyDesk(keys)
    ) as client:
        without = {await status_of(client, path) for path in ROUTES}
        revoked = {await status_of(client, path, **bearer(good)) for path in ROUTES}
        asked = await client.post("/page/asks", b'{"question": "q"}')
        page = await client.session.get(client.url + "/assets/nothing.js")

    assert without == {(401, "invalid_api_key")}
    assert revoked == {(401, "invalid_api_key")}
    assert asked.status == 401
    assert page.status == 404


async def test_a_plain_key_sees_its_own_runs_and_no_others(place, keys):
    (_, ann), (_, bob) = keys.create("ann"), keys.create("bob")
    async with page_serving(
        pool_of(Saying(("42",))), place, keys=keys, admission=KeyDesk(keys), keep=True
    ) as client:
        run_id = await ask(client, key=ann)
        async with client.session.get(
            f"{client.url}/page/asks/{run_id}/events", headers=bearer(ann)
        ) as reply:
            await reply.read()
        own = await client.get("/page/runs", **bearer(ann))
        others = await client.get("/page/runs", **bearer(bob))
        found = [
            await status_of(client, f"/page/runs/{run_id}", **bearer(bob)),
            await status_of(client, f"/page/asks/{run_id}/events", **bearer(bob)),
        ]
        stop = await client.post(f"/page/asks/{run_id}/stop", b"", **bearer(bob))
        spend = [await status_of(client, path, **bearer(ann)) for path in ROUTES[4:]]

    assert [run["id"] for run in own.body["runs"]] == [run_id]
    assert (others.body["runs"], others.body["total"]) == ([], 0)
    assert found == [(404, "run_not_found")] * 2
    assert stop.status == 404
    assert spend == [(403, "traces_not_allowed")] * 6


async def test_a_key_that_was_made_for_it_sees_everything_but_keys(place, keys):
    (_, ann), (_, eve) = keys.create("ann"), keys.create("eve", sees_traces=True)
    async with page_serving(
        pool_of(Saying(("42",))), place, keys=keys, admission=KeyDesk(keys)
    ) as client:
        run_id = await ask(client, f"My key is {ann}.", key=ann)
        run = await client.get(f"/page/runs/{run_id}", **bearer(eve))
        spend = await client.get("/page/spend", **bearer(eve))
        about = await client.get("/page/about", **bearer(eve))

    assert run.body["trace"]["question"] == "My key is [key]."
    assert spend.status == 200
    assert (about.body["needs_key"], about.body["sees_runs"]) == (True, True)


async def test_a_key_is_offered_its_workers_alone(place, keys):
    _, key = keys.create("ann", workers=("w1",))
    async with page_serving(
        pool_of(Saying(("no",)), Saying(("yes",))), place, keys=keys, admission=KeyDesk(keys)
    ) as client:
        about = (await client.get("/page/about", **bearer(key))).body
        data = b'{"question": "q", "system": "worker:w0"}'
        refused = await client.post("/page/asks", data, **bearer(key))

    assert [worker["name"] for worker in about["workers"]] == ["w1"]
    assert [one["id"] for one in about["systems"] if "worker" in one["id"]] == ["worker:w1"]
    assert (refused.status, refused.error["code"]) == (403, "worker_not_allowed")


async def test_budget_and_rate_of_a_key_hold(place, keys):
    dear = Price(Decimal(1), Decimal(1))
    _, poor = keys.create("poor", usd_per_day=Decimal("0"))
    _, slow = keys.create("slow", requests_per_minute=1)
    async with page_serving(
        pool_of(Saying(("42",)), price=dear), place, keys=keys, admission=KeyDesk(keys)
    ) as client:
        no_money = await client.post("/page/asks", b'{"question": "q"}', **bearer(poor))
        await ask(client, key=slow)
        too_fast = await client.post("/page/asks", b'{"question": "q"}', **bearer(slow))

    assert (no_money.status, no_money.error["code"]) == (402, "insufficient_quota")
    assert (too_fast.status, too_fast.error["code"]) == (429, "rate_limit_exceeded")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
    ids=lambda headers: next(iter(headers)),
)
async def test_a_page_of_another_site_is_refused(place, headers):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        read = {(await client.get(path, **headers)).status for path in ROUTES}
        data = f'{{"question": "{QUESTION}"}}'.encode()
        asked = await client.post("/page/asks", data, **headers)
        stopped = await client.post("/page/asks/abc/stop", b"", **headers)

    assert read == {403}
    assert (asked.status, stopped.status) == (403, 403)


async def test_no_answer_is_for_other_sites_or_for_keeping(place):
    async with page_serving(pool_of(Saying(("42",))), place) as client:
        replies = [await client.get(path) for path in ("/page/about", "/page/runs", "/page/spend")]

    for reply in replies:
        assert reply.status == 200
        assert reply.headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in reply.headers
