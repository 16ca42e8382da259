"""The store that a command finds, and the clock that it shows times by."""

import os
import time
from collections.abc import Callable, Iterator

import pytest

from partbook.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    """The store of the test, opened."""
    with Store.open(os.environ["PARTBOOK_STORE"]) as opened:
        yield opened


@pytest.fixture
def live_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the zone of local time, for the test."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def utc(live_in: Callable[[str], None]) -> None:
    """Local time is that of UTC."""
    live_in("UTC")
