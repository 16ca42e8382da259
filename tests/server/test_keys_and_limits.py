"""Keys, budgets, rates and what a server keeps to itself. Rules are those of docs/serving.md."""

import asyncio
import datetime
import logging
from decimal import Decimal

import pytest

from partbook.conduct import Conductor, Fixed
from partbook.errors import WorkerError
from partbook.message import Usage
from partbook.price import FREE, Price
from partbook.server.account import Account
from partbook.server.admission import KeyDesk, is_loopback
from partbook.server.metrics import Metrics
from partbook.server.rate import Rate
from partbook.server.refusal import Refusal
from partbook.server.siblings import Siblings
from partbook.store import ApiKeys
from tests.fakes import pool_of
from tests.server.live import TWO, serving
from tests.server.models import Refusing, Saying, Stepwise
from tests.store.elsewhere import change

DOLLAR = Price(Decimal(1_000_000), Decimal(1_000_000))
"""A dollar a token."""


@pytest.fixture
def keys(any_store):
    with ApiKeys.open(any_store) as opened:
        yield opened


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_rule_18_without_a_good_key_nobody_is_answered(keys):
    _, key = keys.create("ann")
    async with serving(pool_of(Saying(("42",))), admission=KeyDesk(keys)) as client:
        none, wrong = await client.chat(), await client.chat(bearer("pb-wrong"))
        good, other_header = await client.chat(bearer(key)), await client.chat({"x-api-key": key})
        models, metrics = await client.get("/v1/models"), await client.get("/metrics")
        health = await client.get("/healthz")

    assert [reply.status for reply in (none, wrong, models, metrics)] == [401] * 4
    assert none.error["code"] == "invalid_api_key"
    assert none.headers["WWW-Authenticate"] == "Bearer"
    assert [reply.status for reply in (good, other_header, health)] == [200] * 3


async def test_the_store_has_no_key(tmp_path):
    with ApiKeys.open(tmp_path / "keys.db") as keys:
        kept, key = keys.create("ann")

    found = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())

    assert kept.hash.encode() in found
    assert key.encode() not in found
    assert key.removeprefix("pb-").encode() not in found


async def test_a_key_that_is_revoked_or_made_while_the_server_runs_is_known_soon(keys):
    _, key = keys.create("ann")
    admission = KeyDesk(keys, refresh_s=0.0)
    async with serving(pool_of(Saying(("42",))), admission=admission) as client:
        before = await client.chat(bearer(key))
        keys.revoke("ann")
        _, new = keys.create("bob")
        after, other = await client.chat(bearer(key)), await client.chat(bearer(new))

    assert [reply.status for reply in (before, after, other)] == [200, 401, 200]


async def test_rule_19_a_rate_is_kept_and_said(keys):
    _, key = keys.create("ann", requests_per_minute=2)
    async with serving(pool_of(Saying(("42",))), admission=KeyDesk(keys)) as client:
        replies = [await client.chat(bearer(key)) for _ in range(3)]

    assert [reply.status for reply in replies] == [200, 200, 429]
    assert [r.headers["x-ratelimit-remaining-requests"] for r in replies[:2]] == ["1", "0"]
    assert replies[2].error["code"] == "rate_limit_exceeded"
    assert 1 <= int(replies[2].headers["Retry-After"]) <= 30


async def test_rule_19_a_budget_is_kept_by_requests_that_run_at_once(keys):
    """Each call holds some hundred dollars while it runs: two fit into the limit, and no more."""
    _, key = keys.create("ann", usd_per_day=Decimal(250))
    worker = Stepwise()
    pool = pool_of(worker, price=DOLLAR)
    body = {"model": "partbook/w0", "max_tokens": 80}
    async with serving(pool, admission=KeyDesk(keys)) as client:
        asking = [asyncio.create_task(client.chat(bearer(key), **body)) for _ in range(4)]
        refused = [
            await reply for _, reply in zip(range(2), asyncio.as_completed(asking), strict=False)
        ]
        for _ in range(2):
            worker.pieces.put_nowait("42")
            worker.pieces.put_nowait(None)
        replies = await asyncio.gather(*asking)

    assert [reply.status for reply in refused] == [402, 402]
    assert sorted(reply.status for reply in replies) == [200, 200, 402, 402]
    assert refused[0].error["code"] == "insufficient_quota"
    assert int(refused[0].headers["Retry-After"]) >= 1
    assert sum(keys.spent(month()).popitem()[1].values()) == Decimal(10)


def month() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()[:7]


async def test_what_was_spent_is_known_to_the_next_server(keys):
    _, key = keys.create("ann", usd_per_month=Decimal(200))
    pool = pool_of(Saying(("42",), Usage(100, 50)), price=DOLLAR)
    async with serving(pool, admission=KeyDesk(keys)) as client:
        first = await client.chat(bearer(key), model="partbook/w0", max_tokens=10)
    async with serving(pool, admission=KeyDesk(keys)) as client:
        second = await client.chat(bearer(key), model="partbook/w0", max_tokens=100)

    assert (first.status, second.status) == (200, 402)


async def test_rule_19_two_servers_on_one_store_keep_a_budget_together(keys, any_store):
    """Each call holds some hundred dollars while it runs: two fit, wherever they are asked for."""
    _, key = keys.create("ann", usd_per_day=Decimal(250))
    worker, other_worker = Stepwise(), Stepwise()
    body = {"model": "partbook/w0", "max_tokens": 80}
    with ApiKeys.open(any_store) as other_keys:
        async with (
            serving(pool_of(worker, price=DOLLAR), admission=KeyDesk(keys)) as one,
            serving(pool_of(other_worker, price=DOLLAR), admission=KeyDesk(other_keys)) as two,
        ):
            asking = [asyncio.create_task(each.chat(bearer(key), **body)) for each in (one, two)]
            await asyncio.gather(worker.reached.wait(), other_worker.reached.wait())
            refused = [await each.chat(bearer(key), **body) for each in (one, two)]
            for model in (worker, other_worker):
                for piece in ("42", None, "42", None):
                    model.pieces.put_nowait(piece)
            answered = await asyncio.gather(*asking)
            later = [await each.chat(bearer(key), **body) for each in (one, two)]

    assert [(reply.status, reply.error["code"]) for reply in refused] == [
        (402, "insufficient_quota")
    ] * 2
    assert [reply.status for reply in (*answered, *later)] == [200] * 4
    assert sum(keys.spent(month()).popitem()[1].values()) == Decimal(4 * 5)


async def test_what_another_server_has_spent_is_known_before_a_request_is_read(keys, any_store):
    kept, key = keys.create("ann", usd_per_month=Decimal(100))
    worker = Saying(("42",))
    async with serving(pool_of(worker, price=FREE), admission=KeyDesk(keys)) as client:
        before = await client.chat(bearer(key))
        with ApiKeys.open(any_store) as other:
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            other.spend(kept.key_id, today, Decimal(101), 1)
        await client.chat(bearer(key))
        after = await client.stream(bearer(key))

    assert (before.status, after.status) == (200, 402)


async def test_a_client_that_leaves_has_spent_the_worst_case_of_its_call(keys):
    _, key = keys.create("ann")
    worker = Stepwise()
    async with serving(pool_of(worker, price=DOLLAR), admission=KeyDesk(keys)) as client:
        asking = asyncio.create_task(client.chat(bearer(key), model="partbook/w0", max_tokens=100))
        await worker.reached.wait()
        asking.cancel()
        await worker.cancelled.wait()

    assert sum(keys.spent(month()).popitem()[1].values()) > Decimal(100)


async def test_a_key_may_be_for_some_workers_only(keys):
    _, key = keys.create("ann", workers=("w1",))
    pool = pool_of(Saying(("a",)), Saying(("b",)))
    workflows = {"two": TWO}
    conductor = Saying(("model_id = [0]\nsubtasks = ['Answer.']\naccess_list = [[]]",))
    async with serving(
        pool, Conductor(conductor, price=FREE), admission=KeyDesk(keys), workflows=workflows
    ) as client:
        conducted = await client.chat(bearer(key))
        own = await client.chat(bearer(key), model="partbook/w1")
        other = await client.chat(bearer(key), model="partbook/w0")
        fixed = await client.chat(bearer(key), model="partbook/two")
        models = await client.get("/v1/models", **bearer(key))

    assert conducted.text == "b"  # its only worker is number 0 now
    assert (own.status, own.text) == (200, "b")
    assert (other.status, other.error["code"]) == (403, "worker_not_allowed")
    assert (fixed.status, fixed.error["code"]) == (403, "worker_not_allowed")
    assert "partbook/w0" not in [model["id"] for model in models.body["data"]]


async def test_a_budget_needs_prices(keys):
    _, key = keys.create("ann", usd_per_day=Decimal(5))
    async with serving(pool_of(Saying(("42",)), price=None), admission=KeyDesk(keys)) as client:
        reply = await client.chat(bearer(key))

    assert (reply.status, reply.error["code"]) == (400, "unknown_price")


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Host": "evil.example:8000"}, {"Origin": "null"}],
)
async def test_without_keys_a_page_of_another_host_is_not_answered(headers):
    async with serving(pool_of(Saying(("42",)))) as client:
        refused = await client.chat(headers)
        local = await client.chat({"Origin": "http://localhost:3000"})

    assert (refused.status, refused.error["code"]) == (403, "not_local")
    assert local.status == 200


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("::1", True),
        ("http://localhost:3000", True),
        ("0.0.0.0", False),
        ("localhost.evil.example", False),
        ("127.evil.example", False),
        ("", False),
    ],
)
def test_what_is_this_machine(host, expected):
    assert is_loopback(host) is expected


async def test_more_requests_at_once_than_allowed_are_told_to_come_back():
    worker = Stepwise()
    async with serving(pool_of(worker), endpoint={"most_at_once": 1}) as client:
        asking = asyncio.create_task(client.chat())
        await worker.reached.wait()
        refused = await client.chat()
        worker.pieces.put_nowait("42")
        worker.pieces.put_nowait(None)
        answered = await asking

    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
    assert answered.status == 200


async def test_a_server_that_is_to_end_lets_what_runs_come_to_its_end():
    worker = Stepwise()
    async with serving(pool_of(worker)) as client, client.open_stream() as reply:
        await worker.reached.wait()
        client.server.should_exit = True
        worker.pieces.put_nowait("42")
        worker.pieces.put_nowait(None)
        raw = await reply.read()

    assert raw.endswith(b"data: [DONE]\n\n")
    assert b'"finish_reason":"stop"' in raw


async def test_what_still_runs_after_the_grace_is_told_and_ended():
    worker = Stepwise()
    async with serving(pool_of(worker), grace_s=0.2) as client, client.open_stream() as reply:
        await worker.reached.wait()
        client.server.should_exit = True
        raw = await reply.read()

    assert worker.cancelled.is_set()
    assert b'"code": "shutting_down"' in raw
    assert raw.endswith(b"data: [DONE]\n\n")


async def test_rule_24_the_log_has_who_and_how_much_and_no_word_that_was_said(caplog):
    caplog.set_level(logging.INFO)
    pool = pool_of(Saying(("a secret answer",)), Saying(("another secret",)))
    async with serving(pool, Fixed(TWO)) as client:
        asked = [{"role": "user", "content": "a secret question"}]
        await client.chat({"Authorization": "Bearer a-secret-key"}, messages=asked)
        await client.stream(messages=asked)
        await client.chat(model="a secret model")

    lines = [r.message for r in caplog.records if r.name == "partbook.access"]
    assert len(lines) == 3
    assert '"calls": 2' in lines[0]
    assert "secret" not in "".join(r.getMessage() for r in caplog.records)


async def test_rule_24_traces_are_for_keys_that_were_made_for_it_and_of_runs_that_were_kept(keys):
    trusted = keys.create("ann", sees_traces=True)[1]
    async with serving(pool_of(Saying(("42",)))) as client:
        nobody = await client.get("/v1/runs/abc")
    async with serving(pool_of(Saying(("42",))), admission=KeyDesk(keys)) as client:
        not_kept = await client.get("/v1/runs/abc", **bearer(trusted))

    assert (nobody.status, nobody.error["code"]) == (403, "traces_not_allowed")
    assert (not_kept.status, not_kept.error["code"]) == (404, "run_not_found")
    assert "--keep" in not_kept.error["message"]


async def test_a_key_whose_account_cannot_be_written_is_not_served(keys, any_store):
    _, key = keys.create("ann", usd_per_day=Decimal(250))
    worker = Saying(("42",))
    pool = pool_of(worker, price=DOLLAR)
    async with serving(pool, admission=KeyDesk(keys)) as client:
        await client.get("/v1/models", **bearer(key))  # the key is known
        change(any_store, "ALTER TABLE key_days RENAME TO key_days_2")
        replies = [await client.chat(bearer(key), model=m) for m in ("partbook", "partbook/w0")]

    assert [(r.status, r.error["code"]) for r in replies] == [(503, "account_unavailable")] * 2
    assert worker.heard == []


async def test_health_is_open_and_metrics_count():
    async with serving(pool_of(Saying(("42",)))) as client:
        await client.chat()
        await client.stream()
        health, ready = await client.get("/healthz"), await client.get("/readyz")
        metrics = (await client.get("/metrics")).body

    assert (health.body["status"], ready.body["status"]) == ("ok", "ready")
    for line in (
        'partbook_requests_total{route="chat",status="200"} 2',
        "partbook_calls_total 2",
        'partbook_tokens_total{kind="prompt"} 20',
        "partbook_first_text_seconds_count 1",
    ):
        assert line in metrics


async def test_what_is_being_answered_is_told_by_each_process_of_a_port(tmp_path):
    one, other = (Siblings(tmp_path, name) for name in ("one", "other"))
    worker = Stepwise()
    async with serving(pool_of(worker)) as client:
        asking = asyncio.create_task(client.chat())
        await worker.reached.wait()
        one.tell(client.endpoint.metrics)
        during = other.text(Metrics())
        worker.pieces.put_nowait("42")
        worker.pieces.put_nowait(None)
        await asking
        one.tell(client.endpoint.metrics)
        after = other.text(Metrics())

    assert "partbook_requests_in_flight 1\n" in during
    assert "partbook_requests_in_flight 0\n" in after


@pytest.mark.parametrize("model", ["partbook", "partbook/w0"])
async def test_metrics_and_the_log_count_calls_that_brought_no_answer(model, caplog):
    caplog.set_level(logging.INFO, logger="partbook.access")
    worker = Refusing(WorkerError("busy", kind="server", usage=Usage(7, 3), retry_after_s=0))
    async with serving(pool_of(worker, retries=1, price=DOLLAR)) as client:
        reply = await client.chat(model=model)
        metrics = (await client.get("/metrics")).body

    assert reply.status == 502
    assert "partbook_calls_total 2\n" in metrics
    assert 'partbook_tokens_total{kind="completion"} 6\n' in metrics
    assert '"calls": 2, "prompt_tokens": 14' in caplog.messages[0]
    assert '"cost_usd": "20"' in caplog.messages[0]


async def test_a_bucket_fills_evenly():
    now = 0.0
    rate = Rate(60, lambda: now)
    for _ in range(60):
        await rate.take()

    with pytest.raises(Refusal) as caught:
        await rate.take()
    now = 1.0
    await rate.take()

    assert caught.value.retry_after_s == pytest.approx(1.0)


async def test_a_new_day_begins_at_nothing_and_a_month_goes_on():
    day = datetime.date(2026, 11, 29)
    account = Account(Decimal(5), Decimal(8), today=lambda: day)
    account.begin(day, Decimal(5), Decimal(6))

    with pytest.raises(Refusal):
        await account.check()
    day = datetime.date(2026, 11, 30)
    await account.check()
    day = datetime.date(2026, 12, 1)

    assert [budget.usd for budget in account.budgets()] == [0, 0]
