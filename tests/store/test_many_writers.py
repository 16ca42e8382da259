"""Several servers on one store: no run is lost, none is there twice, and budgets are exact.

Each writer has connections of its own, as a server has. `bench/store.py` does the same with fifty.
"""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from partbook.store import ApiKeys, Store
from tests.store.elsewhere import ask
from tests.traces import a_trace

WRITERS = 6
EACH = 10
PATIENT_S = 60.0
"""Longer than the others can take, however busy the machine is."""


def at_once(work) -> list[object]:
    """What `work` gives for each writer's number, all at once."""
    with ThreadPoolExecutor(WRITERS) as threads:
        return list(threads.map(work, range(WRITERS)))


def test_writers_that_make_the_store_at_once_lose_no_run_and_keep_none_twice(any_store):
    def write(writer: int) -> None:
        with Store.open(any_store, PATIENT_S) as store:
            for i in range(EACH):
                # One run of its own, and one that all of them write, in whatever order they come.
                shared = [a_trace(f"shared-{(i + writer) % 3}"), a_trace(f"{writer}-{i}", at=i)]
                store.save_many(shared if writer % 2 else shared[::-1])

    at_once(write)

    with Store.open(any_store) as store:
        ids = [row.run_id for row in store.runs()]
    own = [f"{writer}-{i}" for writer in range(WRITERS) for i in range(EACH)]
    assert sorted(ids) == sorted([*own, "shared-0", "shared-1", "shared-2"])
    assert ask(any_store, "SELECT count(*) FROM runs") == 63


@pytest.mark.parametrize(
    "within", [(Decimal("12.5"), None), (None, Decimal("12.5"))], ids=["day", "month"]
)
def test_servers_that_reserve_at_once_never_exceed_a_limit_together(any_store, within):
    with ApiKeys.open(any_store) as keys:
        kept, _ = keys.create("ann")

    def reserve(writer: int) -> int:
        added = 0
        with ApiKeys.open(any_store, PATIENT_S) as keys:
            for i in range(EACH):
                day = f"2026-11-{1 + (i + writer) % 2 * (within[0] is None):02}"
                spent, is_added = keys.spend(kept.key_id, day, Decimal("0.5"), 1, within)
                assert spent.month <= Decimal("12.5")
                added += is_added
        return added

    added = at_once(reserve)

    assert sum(added) == 25  # of 60 that were asked for
    with ApiKeys.open(any_store) as keys:
        assert sum(keys.spent("2026-11")[kept.key_id].values()) == Decimal("12.5")
    assert ask(any_store, "SELECT sum(requests) FROM key_days") == 25


def test_what_is_held_and_given_back_at_once_leaves_what_was_billed(any_store):
    with ApiKeys.open(any_store) as keys:
        kept, _ = keys.create("ann")

    def call(writer: int) -> None:
        with ApiKeys.open(any_store, PATIENT_S) as keys:
            for _ in range(EACH):
                keys.spend(kept.key_id, "2026-11-30", Decimal(2), 0)
                keys.spend(kept.key_id, "2026-11-30", Decimal("-1.999999999"), 1)

    at_once(call)

    with ApiKeys.open(any_store) as keys:
        assert keys.spent("2026-11")[kept.key_id] == {"2026-11-30": Decimal("0.000000060")}
    assert ask(any_store, "SELECT requests FROM key_days") == 60


def test_servers_that_serve_something_first_agree_on_when(any_store):
    def first(_: int) -> float:
        with ApiKeys.open(any_store, PATIENT_S) as keys:
            return keys.first_served("a")

    assert len(set(at_once(first))) == 1
