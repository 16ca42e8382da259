"""Counts together what all servers on one store may do only so often, or so much of at once.

Two things are counted. A key's rate is one number: the moment at which nothing of its minute is
taken any more. A gate lets calls in: each is a row that counts for as long as it says. A call in
flight counts for a lease that its server renews, so that of a server that dies nothing is left
after `LEASE_S`; a call that counts in a minute is there until the minute is over.

Whoever counts lets nobody else count the same: SQLite has one writer at a time, on PostgreSQL it is
an advisory lock with the name of what is counted. The time is PostgreSQL's, since two machines'
clocks differ; on a file it is this machine's.
"""

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, bindparam, delete, func, select, text, update

from partbook.store.faults import as_store_errors
from partbook.store.inserting import insert_into, replacing
from partbook.store.limit_schema import gate_calls, key_rates
from partbook.store.playing import lock_number

__all__ = ["LEASE_S", "MINUTE_S", "Counting", "Entry", "Gate"]

LEASE_S = 30.0
"""How long a call in flight counts whose server is not heard of."""

MINUTE_S = 60.0

_ROUNDING_S = 1e-4
"""Seconds since the epoch that were added up a thousand times are off by less."""


# Made once: to put a statement together takes SQLAlchemy longer than to run it.
_FULL_AT = select(key_rates.c.full_at).where(key_rates.c.key_id == bindparam("key_id"))

_AT_GATE = gate_calls.c.gate == bindparam("at")
_COUNTS = gate_calls.c.until > bindparam("now")

_INSIDE = select(
    func.count().label("rows"),
    func.count().filter(_COUNTS).label("calls"),
    func.coalesce(func.sum(gate_calls.c.tokens).filter(_COUNTS), 0).label("tokens"),
    func.min(gate_calls.c.until).filter(_COUNTS).label("next_at"),
).where(_AT_GATE)

_FORGET = delete(gate_calls).where(_AT_GATE, ~_COUNTS)
_LET_IN = gate_calls.insert()
_LET_OUT = delete(gate_calls).where(
    _AT_GATE, gate_calls.c.call_id.in_(bindparam("ids", expanding=True))
)
_SETTLE = (
    update(gate_calls)
    .where(_AT_GATE, gate_calls.c.call_id == bindparam("id"))
    .values(tokens=bindparam("took"))
)

_LOCK = text(
    # Of a server that stands still in the middle, the lock is taken away again.
    "SELECT set_config('idle_in_transaction_session_timeout', '30s', true), "
    "pg_advisory_xact_lock(:number)"
)
_NOW = text("SELECT extract(epoch FROM clock_timestamp())")


@dataclass(frozen=True, slots=True)
class Gate:
    """What lets calls in."""

    name: str
    """Servers that use the same one count together."""
    calls: int | None
    """Most that count at the same time; None: no limit."""
    tokens: int | None = None
    """Most of all that count at the same time; one call alone may have more. None: no limit."""
    counts_s: float = LEASE_S
    """How long a call counts, unless it is renewed or taken out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of calls at a gate."""

    call_ids: tuple[str, ...]
    """Of those that were let in: the first ones, as many as there was room for."""
    wait_s: float = 0.0
    """Where there was no room for all: until the next call stops counting by itself."""


class Counting:
    """What one process counts together with others; each method is one transaction.

    All of them raise StoreError where the database cannot be asked.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._place = place
        self._is_server = engine.dialect.name == "postgresql"
        self._take = replacing(engine, key_rates)
        insert = insert_into(engine, gate_calls)
        self._renew = insert.on_conflict_do_update(
            index_elements=["gate", "call_id"], set_={"until": insert.excluded.until}
        )

    def take(self, key_id: str, per_minute: int) -> tuple[bool, float]:
        """Take one of a key's requests.

        Args:
            key_id: the key.
            per_minute: how many it has, in a bucket that fills evenly.

        Returns:
            Whether there was one, and the seconds until the bucket is full.
        """
        with self._alone(f"rate {key_id}") as (connection, now):
            full_at = max(connection.scalar(_FULL_AT, {"key_id": key_id}) or now, now)
            after = full_at + MINUTE_S / per_minute
            if after > now + MINUTE_S + _ROUNDING_S:
                return False, full_at - now
            connection.execute(self._take, {"key_id": key_id, "full_at": after})
            return True, after - now

    def enter(self, gate: Gate, tokens: Sequence[int] = (0,)) -> Entry:
        """Let calls in, in their order, as long as there is room.

        Args:
            gate: where.
            tokens: what each of them may take.
        """
        with self._alone(f"gate {gate.name}") as (connection, now):
            here = {"at": gate.name, "now": now}
            inside = connection.execute(_INSIDE, here).one()
            if inside.rows > inside.calls:
                connection.execute(_FORGET, here)
            fitting = _fitting(gate, inside.calls, int(inside.tokens), tokens)
            until = now + gate.counts_s
            ids = tuple(secrets.token_hex(8) for _ in range(fitting))
            rows = [
                {"gate": gate.name, "call_id": call_id, "tokens": n, "until": until}
                for call_id, n in zip(ids, tokens, strict=False)
            ]
            if rows:
                connection.execute(_LET_IN, rows)
            next_at = until if inside.next_at is None else inside.next_at
            return Entry(ids, next_at - now)

    def settle(self, gate: Gate, tokens: Mapping[str, int]) -> None:
        """Say how many tokens calls took, by their ids; they may still count."""
        rows = [
            {"at": gate.name, "id": call_id, "took": n} for call_id, n in sorted(tokens.items())
        ]
        with as_store_errors(self._place), self._engine.begin() as connection:
            connection.execute(_SETTLE, rows)

    def leave(self, gate: Gate, call_ids: Sequence[str]) -> None:
        """Take calls out."""
        with as_store_errors(self._place), self._engine.begin() as connection:
            connection.execute(_LET_OUT, {"at": gate.name, "ids": list(call_ids)})

    def renew(self, gate: Gate, call_ids: Sequence[str]) -> None:
        """Let calls count as if they came now; one that was given up meanwhile is in again."""
        with self._alone(f"gate {gate.name}") as (connection, now):
            until = now + gate.counts_s
            rows = [
                {"gate": gate.name, "call_id": call_id, "until": until, "tokens": 0}
                for call_id in call_ids
            ]
            connection.execute(self._renew, rows)

    @contextmanager
    def _alone(self, name: str) -> Iterator[tuple[Connection, float]]:
        """A transaction in which nobody else counts what has this name, and the time."""
        with as_store_errors(self._place), self._engine.connect() as connection:
            if self._is_server:
                connection.execute(_LOCK, {"number": lock_number(name)})
                # Asked for after the lock was waited for, by a statement of its own.
                now = float(connection.scalars(_NOW).one())
            else:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                now = time.time()
            yield connection, now
            connection.commit()


def _fitting(gate: Gate, calls: int, used: int, tokens: Sequence[int]) -> int:
    """How many more calls fit beside those that count."""
    for i, more in enumerate(tokens):
        if gate.calls is not None and calls + i >= gate.calls:
            return i
        if gate.tokens is not None and calls + i > 0 and used + more > gate.tokens:
            return i
        used += more
    return len(tokens)
