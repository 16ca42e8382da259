"""Adds to what a key has spent, exactly, however many servers do so at once.

Reading and writing are one: SQLite lets one writer in at a time; on PostgreSQL, whoever adds holds
the key's row, so that keys wait for themselves alone.

A connection that is lost while a transaction is being committed leaves open whether it was. The
caller is told that nothing was written, and will try again, so the next addition to the same key
asks the database what became of it and takes back what was written after all.
"""

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Connection, Engine, Text, bindparam, literal_column, select, text
from sqlalchemy.exc import DBAPIError

from partbook.store.inserting import insert_into
from partbook.store.key_schema import api_keys, key_days

__all__ = ["Addition", "Spending", "Spent"]

# Made once: to put a statement together takes SQLAlchemy longer than to run it.
_OF_MONTH = select(key_days.c.day, key_days.c.usd).where(
    key_days.c.key_id == bindparam("key_id"),
    key_days.c.day >= bindparam("first"),
    key_days.c.day <= bindparam("last"),
)

_HOLD = (
    select(
        literal_column("pg_current_xact_id()::text", Text),
        # Of a server that stands still in the middle, the row is taken away again.
        literal_column("set_config('idle_in_transaction_session_timeout', '30s', true)", Text),
    )
    .where(api_keys.c.key_id == bindparam("key_id"))
    .with_for_update(key_share=True)
)
"""Takes a key's row on PostgreSQL; gives the transaction's name. `FOR NO KEY UPDATE`, so that rows
may go on to refer to the key."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a key has spent, in dollars, by all servers on the store."""

    day: Decimal
    month: Decimal
    """That of the day."""


@dataclass(frozen=True, slots=True)
class Addition:
    """News about a key."""

    key_id: str
    day: str
    """Of UTC, like `2026-11-29`."""
    usd: Decimal
    """May be below 0, where less was billed than was held for it."""
    requests: int
    """How many more there were."""


@dataclass(frozen=True, slots=True)
class _Doubt:
    """An addition of which nobody knows whether it was written."""

    transaction: str
    added: Addition | None
    """None: it only took earlier ones back."""


class Spending:
    """What this process adds, to any key; each addition is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_server = engine.dialect.name == "postgresql"
        insert = insert_into(engine, key_days)
        new = insert.excluded
        self._add = insert.on_conflict_do_update(
            index_elements=["key_id", "day"],
            set_={"usd": new.usd, "requests": key_days.c.requests + new.requests},
        )
        self._doubts: dict[str, list[_Doubt]] = {}
        """By key, the oldest first; each would have taken back those before it."""

    def add(
        self, news: Addition, within: tuple[Decimal | None, Decimal | None]
    ) -> tuple[Spent, bool]:
        """Add, unless a limit is exceeded; as `ApiKeys.spend`.

        Raises:
            SQLAlchemyError: it was not added; where that is not certain, the next call sees to it.
        """
        with self._engine.connect() as connection:
            transaction = self._begin(connection, news.key_id)
            is_mended = self._take_back(connection, news.key_id)
            before = _spent(connection, news.key_id, news.day)
            after = Spent(before.day + news.usd, before.month + news.usd)
            is_too_much = news.usd > 0 and (
                _exceeds(after.day, within[0]) or _exceeds(after.month, within[1])
            )
            if is_too_much and not is_mended:
                connection.rollback()
                return before, False
            if not is_too_much:
                self._write(connection, news, before.day)
            self._commit(connection, news.key_id, transaction, None if is_too_much else news)
            return (before, False) if is_too_much else (after, True)

    def _begin(self, connection: Connection, key_id: str) -> str | None:
        """Let nobody else add to this key; the transaction's name, where it has one."""
        if not self._is_server:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return None
        # What is read after this is what the holder before has left: each statement sees what was
        # committed when it began.
        row = connection.execute(_HOLD, {"key_id": key_id}).first()
        return None if row is None else str(row[0])

    def _take_back(self, connection: Connection, key_id: str) -> bool:
        """Undo what was written although the caller was told that it was not."""
        for doubt in reversed(self._doubts.get(key_id, ())):
            # It held the key's row, so it has come to its end by now.
            became = connection.scalar(
                text("SELECT pg_xact_status(CAST(:name AS xid8))"), {"name": doubt.transaction}
            )
            if became == "committed":  # and has taken back those before it
                if (added := doubt.added) is not None:
                    undone = Addition(key_id, added.day, -added.usd, -added.requests)
                    self._write(connection, undone, _spent(connection, key_id, added.day).day)
                return True
        return False

    def _write(self, connection: Connection, news: Addition, before: Decimal) -> None:
        row = {
            "key_id": news.key_id,
            "day": news.day,
            "usd": format(before + news.usd, "f"),
            "requests": news.requests,
        }
        connection.execute(self._add, row)

    def _commit(
        self,
        connection: Connection,
        key_id: str,
        transaction: str | None,
        added: Addition | None,
    ) -> None:
        try:
            connection.commit()
        except DBAPIError:
            if transaction is not None:
                self._doubts.setdefault(key_id, []).append(_Doubt(transaction, added))
            raise
        self._doubts.pop(key_id, None)


def _spent(connection: Connection, key_id: str, day: str) -> Spent:
    month = day[:7]
    asked = {"key_id": key_id, "first": f"{month}-01", "last": f"{month}-31"}
    usd = {row.day: Decimal(row.usd) for row in connection.execute(_OF_MONTH, asked)}
    return Spent(usd.get(day, Decimal(0)), sum(usd.values(), start=Decimal(0)))


def _exceeds(usd: Decimal, limit: Decimal | None) -> bool:
    return limit is not None and usd > limit
