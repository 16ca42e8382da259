"""What the page is told before anything is asked."""

from decimal import Decimal

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from partbook.budget import Limits
from partbook.conduct import Conductor
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE, Price
from tests.page.live import page_serving
from tests.server.live import PIN, fixed
from tests.server.models import Saying


def worker(name: str, **settings) -> Worker:
    return Worker(WorkerSpec(name, settings.pop("kind", "http"), **settings), Saying(("42",)))


async def test_it_says_who_plays_and_within_which_limits(tmp_path):
    price = Price(Decimal("0.20"), Decimal(1))
    pool = AgentPool(
        "mixed",
        (
            worker("near", endpoint="http://127.0.0.1:8080/v1", card="near", price=FREE),
            worker("far", endpoint="https://api.example/v1", model="m", price=price),
            worker("free", endpoint="https://api.example/v1", labels=("open",)),
            worker("sums", kind="calculator", roles=("calculate",)),
            worker("itself", kind="conductor"),
        ),
    )
    two = fixed(("near", "Think.", ()), name="two")
    async with page_serving(
        pool,
        tmp_path / "runs.db",
        Conductor(Saying(("42",)), price=FREE),
        workflows={"two": two},
        limits=Limits(Decimal("0.5"), 10, None, 60.0),
    ) as client:
        about = (await client.get("/page/about")).body

    assert about["model"] == PIN
    assert about["pool"] == {"name": "mixed", "about": "for tests"}
    assert (about["conductor"], about["workflow"]) == ("conductor", None)
    assert [(w["name"], w["place"]) for w in about["workers"]] == [
        ("near", "local"),
        ("far", "provider"),
        ("free", "open"),
        ("sums", "local"),
        ("itself", None),
    ]
    assert about["workers"][1] == {
        "name": "far",
        "kind": "http",
        "model": "m",
        "card": "",
        "roles": [],
        "place": "provider",
        "price": {"input_usd": "0.2", "output_usd": "1"},
    }
    assert [system["id"] for system in about["systems"]] == [
        "conductor",
        "workflow:two",
        "worker:near",
        "worker:far",
        "worker:free",
        "worker:sums",
    ]
    assert about["limits"] == {"usd": "0.5", "calls": 10, "tokens": None, "timeout_s": 60.0}
    assert (about["most_rounds"], about["needs_key"], about["keeps_runs"]) == (5, False, False)
