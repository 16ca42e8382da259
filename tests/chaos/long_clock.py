"""A server whose clock jumps: days begin anew, and nothing else changes.

The clock of the day is moved by libfaketime (Debian's package `faketime`); the clock that counts
seconds runs on, as it does where somebody sets the time.
"""

import asyncio
import json
import random
import urllib.error
import urllib.request
from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path

import pytest

from partbook.store import ApiKeys, Store
from tests.chaos.provider import PRICE, Provider, answer_of
from tests.chaos.test_storm import POOL, WORKFLOW, Storm

FAKE = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
LIMIT_USD = Decimal("0.0016")
"""What a few requests cost; the worst case of the next one is above it."""

NOTICED_S = 1
"""How often the server's clock looks where it is."""

pytestmark = pytest.mark.skipif(FAKE is None, reason="needs libfaketime: apt-get install faketime")


def asked(url: str, key: str, question: str) -> tuple[int, str]:
    """Status, and the answer or the error's code."""
    body = {"model": "partbook", "messages": [{"role": "user", "content": question}]}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return reply.status, json.load(reply)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as err:
        with err:
            return err.code, json.load(err)["error"]["code"]


async def test_a_clock_that_jumps_begins_days_and_breaks_nothing(tmp_path, monkeypatch):
    clock = tmp_path / "clock"
    clock.write_text("@2026-11-30 12:00:00")
    (tmp_path / "two.toml").write_text(WORKFLOW)
    with ApiKeys.open(tmp_path / "store.db") as keys:
        _, key = keys.create("ann", usd_per_day=LIMIT_USD)
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(Provider(random.Random(1), {"late": 1.0}))
        (tmp_path / "pool.toml").write_text(
            POOL.format(folder=tmp_path, url=provider.url, price=PRICE)
        )
        with monkeypatch.context() as patch:
            patch.setenv("LD_PRELOAD", str(FAKE))
            patch.setenv("FAKETIME_TIMESTAMP_FILE", str(clock))
            patch.setenv("FAKETIME_CACHE_DURATION", str(NOTICED_S))
            patch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            storm = await stack.enter_async_context(Storm(tmp_path, provider))

        async def jump(to: str) -> None:
            clock.write_text(f"@{to}")
            await asyncio.sleep(NOTICED_S + 0.5)

        async def ask(number: int) -> tuple[int, str]:
            return await asyncio.to_thread(asked, storm.url, key, f"question-{number}")

        first_day = [await ask(0)]
        while first_day[-1][0] == 200 and len(first_day) < 12:
            first_day.append(await ask(len(first_day)))
        await jump("2026-12-02 11:00:00")
        second_day = [await ask(20)]
        await jump("2026-11-30 11:00:00")
        first_day_again = [await ask(21)]
        await jump("2026-12-03 23:59:50")
        under_way = asyncio.create_task(ask(22))
        await jump("2027-01-20 00:00:00")
        last = await under_way
        status = await storm.end()
    with Store.open(tmp_path / "store.db") as store:
        seconds = [row.seconds for row in store.runs()]
    with ApiKeys.open(tmp_path / "store.db") as keys:
        by_day = [usd for days in keys.spent("2026-11").values() for usd in days.values()]

    assert len(first_day) > 2
    assert first_day[-1] == (402, "insufficient_quota")
    assert second_day == [(200, answer_of("question-20", "step-b"))]
    assert first_day_again == [(402, "insufficient_quota")]
    assert last == (200, answer_of("question-22", "step-b"))
    assert all(0 < one < 20 for one in seconds if one is not None)
    assert max(by_day) <= LIMIT_USD
    assert status == 0
