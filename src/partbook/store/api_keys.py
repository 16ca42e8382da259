"""ApiKeys: the keys of a server, in the store.

A key is shown once, when it is made; the store has its SHA-256, which is enough for a random text
of 256 bits. Each method is one transaction and may be called from any thread.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Engine, Row, select, update

from partbook.errors import StoreError
from partbook.store.counting import Counting
from partbook.store.faults import as_store_errors
from partbook.store.inserting import insert_into
from partbook.store.key_schema import api_keys, key_days, served
from partbook.store.opening import open_engine
from partbook.store.place import resolve, shown
from partbook.store.schema import storable
from partbook.store.spending import Addition, Spending, Spent

__all__ = ["TOTAL", "ApiKey", "ApiKeys", "Spent", "hash_of"]

PREFIX = "pb-"
"""What a key begins with, so that it can be found where it should not be."""

_BUSY_TIMEOUT_S = 5.0

TOTAL = "total"
"""Id of the account of all requests together. It stands among the keys, and none opens it."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept: without the key itself."""

    key_id: str
    name: str
    hash: str
    created_at: float
    """Seconds since the epoch."""
    revoked_at: float | None = None
    """None: it is good."""
    usd_per_day: Decimal | None = None
    """Most that its requests may cost in a day of UTC; None: no limit."""
    usd_per_month: Decimal | None = None
    """Likewise in a calendar month."""
    requests_per_minute: int | None = None
    workers: tuple[str, ...] | None = None
    """Names of the workers that it may use; None: all."""
    sees_traces: bool = False
    """Whether a server shows it whole traces, with all that was said, of anybody's runs."""


def hash_of(key: str) -> str:
    """What the store has of a key."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


class ApiKeys:
    """The keys of an open store; close it, or use it in a `with` block."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._place = place
        self._spending = Spending(engine)
        self.counting = Counting(engine, place)
        """What is counted together with other servers on the store."""

    @classmethod
    def open(cls, place: str | Path, busy_timeout_s: float = _BUSY_TIMEOUT_S) -> Self:
        """Open the store at a path or URL; create it where there is none.

        Raises:
            StoreError: it cannot be opened, is something else, or is a newer Partbook's.
        """
        url = resolve(place)
        return cls(open_engine(url, busy_timeout_s), shown(url))

    @property
    def is_of_many(self) -> bool:
        """Whether the store is on a database server, which other machines may use too."""
        return self._engine.dialect.name == "postgresql"

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def create(
        self,
        name: str,
        *,
        usd_per_day: Decimal | None = None,
        usd_per_month: Decimal | None = None,
        requests_per_minute: int | None = None,
        workers: tuple[str, ...] | None = None,
        sees_traces: bool = False,
    ) -> tuple[ApiKey, str]:
        """Make a key.

        Returns:
            What is kept of it, and the key itself, which nobody can show again.

        Raises:
            StoreError: it could not be written.
        """
        key = PREFIX + secrets.token_urlsafe(32)
        kept = ApiKey(
            secrets.token_hex(4),
            name,
            hash_of(key),
            time.time(),
            None,
            usd_per_day,
            usd_per_month,
            requests_per_minute,
            workers,
            sees_traces,
        )
        with as_store_errors(self._place), self._engine.begin() as connection:
            connection.execute(api_keys.insert(), _row_of(kept))
        return kept, key

    def all_keys(self) -> list[ApiKey]:
        """All keys, the oldest first, those that were revoked included."""
        query = (
            select(api_keys)
            .where(api_keys.c.key_id != TOTAL)
            .order_by(api_keys.c.created_at, api_keys.c.key_id)
        )
        with as_store_errors(self._place), self._engine.connect() as connection:
            return [_from_row(row) for row in connection.execute(query)]

    def revoke(self, named: str) -> ApiKey:
        """Let a key open nothing any more.

        Args:
            named: its id, or its name where one good key has it.

        Raises:
            StoreError: no good key is called so, or several are.
        """
        found = [
            key
            for key in self.all_keys()
            if key.revoked_at is None and named in (key.key_id, key.name)
        ]
        if len(found) != 1:
            which = ", ".join(f"{key.key_id} ({key.name})" for key in found) or "none"
            raise StoreError(f"one key with the id or name {named!r} was expected, found {which}")
        with as_store_errors(self._place), self._engine.begin() as connection:
            connection.execute(
                update(api_keys)
                .where(api_keys.c.key_id == found[0].key_id)
                .values(revoked_at=time.time())
            )
        return found[0]

    def spend(
        self,
        key_id: str,
        day: str,
        usd: Decimal,
        requests: int,
        within: tuple[Decimal | None, Decimal | None] = (None, None),
    ) -> tuple[Spent, bool]:
        """Add to what a key has spent in a day.

        Args:
            key_id: the key.
            day: of UTC, like `2026-11-29`.
            usd: may be below 0, where less was billed than was held for it.
            requests: how many more there were.
            within: most of the day and of its month; an amount above 0 that would lead beyond is
                not added. None: no limit.

        Returns:
            What is spent now, and whether it was added.

        Raises:
            StoreError: it could not be written.
        """
        news = Addition(key_id, day, usd, requests)
        with as_store_errors(self._place):
            return self._spending.add(news, within)

    def spent(self, month: str) -> Mapping[str, Mapping[str, Decimal]]:
        """What was spent in a month: dollars by day, by key.

        Args:
            month: like `2026-11`.
        """
        found = self._spent(month)
        found.pop(TOTAL, None)
        return found

    def spent_in_all(self, month: str) -> Mapping[str, Decimal]:
        """What all requests together were billed in a month, by day, since `open_total`."""
        return self._spent(month).get(TOTAL, {})

    def _spent(self, month: str) -> dict[str, dict[str, Decimal]]:
        query = select(key_days).where(key_days.c.day.startswith(month, autoescape=True))
        found: dict[str, dict[str, Decimal]] = {}
        with as_store_errors(self._place), self._engine.connect() as connection:
            for row in connection.execute(query):
                found.setdefault(row.key_id, {})[row.day] = Decimal(row.usd)
        return found

    def open_total(self) -> None:
        """Make the account of all requests together, if it is not there.

        Raises:
            StoreError: it could not be written.
        """
        now = time.time()
        # A hash that no text has, and revoked from the beginning.
        row = _row_of(ApiKey(TOTAL, TOTAL, TOTAL, now, revoked_at=now))
        with as_store_errors(self._place), self._engine.begin() as connection:
            connection.execute(
                insert_into(self._engine, api_keys).values(row).on_conflict_do_nothing()
            )

    def first_served(self, fingerprint: str) -> float:
        """When this was first served, in seconds since the epoch; now, where it never was."""
        with as_store_errors(self._place), self._engine.begin() as connection:
            connection.execute(
                insert_into(self._engine, served)
                .values(fingerprint=fingerprint, first_at=time.time())
                .on_conflict_do_nothing()
            )
            query = select(served.c.first_at).where(served.c.fingerprint == fingerprint)
            return float(connection.execute(query).scalar_one())


def _row_of(key: ApiKey) -> dict[str, Any]:
    day, month = key.usd_per_day, key.usd_per_month
    return {
        "key_id": key.key_id,
        "name": storable(key.name),
        "hash": key.hash,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
        "usd_per_day": None if day is None else format(day, "f"),
        "usd_per_month": None if month is None else format(month, "f"),
        "requests_per_minute": key.requests_per_minute,
        "workers": None if key.workers is None else json.dumps(key.workers),
        "sees_traces": key.sees_traces,
    }


def _from_row(row: Row[Any]) -> ApiKey:
    return ApiKey(
        row.key_id,
        row.name,
        row.hash,
        row.created_at,
        row.revoked_at,
        None if row.usd_per_day is None else Decimal(row.usd_per_day),
        None if row.usd_per_month is None else Decimal(row.usd_per_month),
        row.requests_per_minute,
        None if row.workers is None else tuple(json.loads(row.workers)),
        row.sees_traces,
    )
