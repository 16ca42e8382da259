"""The store that a command finds, and the clock that it shows times by."""

import os
import time
from collections.abc import Iterator

import pytest

from partbook.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    """The store of the test, opened."""
    with Store.open(os.environ["PARTBOOK_STORE"]) as opened:
        yield opened


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is that of UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
