"""Opens the database behind a store, and brings its tables to the newest version.

The usual case reads one version number and is done. A new store begins with the newest tables.
Alembic is imported only where there is something to migrate: it costs more than all else that a
small command does. psycopg is imported only where the store is on PostgreSQL.
"""

import time
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from partbook.errors import StoreError
from partbook.store.faults import as_store_errors, is_locked
from partbook.store.place import shown
from partbook.store.schema import HEAD, VERSION_TABLE, metadata

__all__ = ["MIGRATION_LOCK", "open_engine"]

MIGRATION_LOCK = 0x70617274
"""Number of the PostgreSQL advisory lock under which tables are made and changed: `part`."""

_MAPPED = 2**28
"""How many bytes of a SQLite file are read without being copied; the rest is read as usual."""


_AGAIN_S = 0.02
"""Until a locked file is tried again, in seconds."""


def open_engine(url: URL, busy_timeout_s: float) -> Engine:
    """Connect, create the file where there is none, and migrate what is older.

    Args:
        url: as `resolve` gives it.
        busy_timeout_s: how long to wait for another program that is writing.

    Raises:
        StoreError: the file cannot be opened or the database not be reached, it is something else,
            or it is of a newer version.
    """
    place = shown(url)
    is_file = url.get_backend_name() == "sqlite"
    engine = _of_file(url, busy_timeout_s) if is_file else _of_server(url, busy_timeout_s, place)
    with as_store_errors(place):
        try:
            _bring_up_to_date(engine, place, busy_timeout_s)
        except BaseException:
            engine.dispose()
            raise
    return engine


def _bring_up_to_date(engine: Engine, place: str, busy_timeout_s: float) -> None:
    """Migrate what is older.

    SQLite does not wait where two programs turn a new file to a write-ahead log at once: one of
    them is told that it is locked, and tries again here.
    """
    until = time.monotonic() + busy_timeout_s
    while True:
        try:
            with engine.connect() as connection:
                if _is_behind(connection, place):
                    connection.rollback()
                    _migrate(connection, place)
            return
        except OperationalError as err:
            if not is_locked(err) or time.monotonic() >= until:
                raise
            time.sleep(_AGAIN_S)


def _of_file(url: URL, busy_timeout_s: float) -> Engine:
    place = str(url.database)
    if not place.startswith("file:"):  # SQLite's own spelling, which says itself what to create
        _create_file(Path(place))
    # SQLite waits this long for another writer before it reports that it is busy.
    engine = create_engine(url, connect_args={"timeout": busy_timeout_s})
    event.listen(engine, "connect", _prepare)
    return engine


def _of_server(url: URL, busy_timeout_s: float, place: str) -> Engine:
    try:
        from partbook.store.postgres import postgres_engine  # noqa: PLC0415 - needs psycopg
    except ImportError as err:
        raise StoreError(
            f"the store {place} needs psycopg ({err}): pip install 'partbook[postgres]'"
        ) from err
    return postgres_engine(url, busy_timeout_s, place)


def _create_file(path: Path) -> None:
    """Make an empty file that only the user can read: questions and answers are private."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
    except OSError as err:
        raise StoreError(
            f"the store {path} cannot be created: {err.strerror}; "
            "name a place that you may write to in PARTBOOK_STORE"
        ) from err


def _prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    # With a write-ahead log, NORMAL loses nothing when a program ends, and nothing but the last
    # moments when the power does. https://www.sqlite.org/pragma.html#pragma_synchronous
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = NORMAL")
    # A list of all runs reads a page for nearly each of them; mapped, that takes half the time.
    cursor.execute(f"PRAGMA mmap_size = {_MAPPED}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _is_behind(connection: Connection, place: str) -> bool:
    """Whether there is something to migrate.

    Raises:
        StoreError: the database is not a store, or a newer Partbook's.
    """
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE not in tables:
        if tables:
            another = "file" if connection.dialect.name == "sqlite" else "database"
            raise StoreError(
                f"{place} is a database of something else, with tables "
                f"{', '.join(tables[:3])}; name another {another}"
            )
        return True
    found = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    version = "" if found is None else str(found)
    if version > HEAD:
        raise StoreError(
            f"the store {place} was written by a newer Partbook (schema {version}, this one "
            f"knows up to {HEAD}); update Partbook, or name another store"
        )
    return version != HEAD


def _migrate(connection: Connection, place: str) -> None:
    # Locked at once, so that of two programs that open a new store, one waits and finds it done.
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
    if not _is_behind(connection, place):
        pass
    elif not inspect(connection).get_table_names():
        _create_tables(connection)
    else:
        from partbook.store import migrating  # noqa: PLC0415 - needs Alembic, which few stores do

        migrating.upgrade(connection)
    connection.commit()


def _create_tables(connection: Connection) -> None:
    """What all migrations together would make of an empty database."""
    metadata.create_all(connection)
    connection.exec_driver_sql(
        f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
        f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
    )
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES (:head)"), {"head": HEAD})
