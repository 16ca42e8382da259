"""Opens the database behind a store, and brings its tables to the newest version.

The usual case reads one version number and is done. A new store begins with the newest tables.
Alembic is imported only where there is something to migrate: it costs more than all else that a
small command does.
"""

from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from partbook.errors import StoreError
from partbook.store.faults import as_store_errors
from partbook.store.schema import HEAD, VERSION_TABLE, metadata

__all__ = ["open_engine", "resolve"]


def resolve(place: str | Path) -> URL:
    """The URL of a store that is named by a path or a URL.

    Raises:
        StoreError: it is a URL of something else than a SQLite file.
    """
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(Path(place).expanduser()))
    try:
        url = make_url(place)
    except ArgumentError as err:
        raise StoreError(f"a path or a sqlite:/// URL was expected, found {place!r}") from err
    if url.get_backend_name() != "sqlite":
        raise StoreError(
            f"a path or a sqlite:/// URL was expected, found one of {url.get_backend_name()!r}; "
            "only SQLite stores can be opened"
        )
    if not url.database or url.database == ":memory:":
        raise StoreError("a store is a file, not memory; name one: sqlite:///runs.db")
    return url


def open_engine(url: URL, busy_timeout_s: float) -> Engine:
    """Connect, create the file where there is none, and migrate what is older.

    Raises:
        StoreError: the file cannot be opened, is something else, or is of a newer version.
    """
    place = str(url.database)
    if not place.startswith("file:"):  # SQLite's own spelling, which says itself what to create
        _create_file(Path(place))
    with as_store_errors(place):
        # SQLite waits this long for another writer before it reports that it is busy.
        engine = create_engine(url, connect_args={"timeout": busy_timeout_s})
        event.listen(engine, "connect", _prepare)
        try:
            with engine.connect() as connection:
                if _is_behind(connection, place):
                    connection.rollback()
                    _migrate(connection, place)
        except BaseException:
            engine.dispose()
            raise
    return engine


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
            raise StoreError(
                f"{place} is a database of something else, with tables "
                f"{', '.join(tables[:3])}; name another file"
            )
        return True
    found = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    version = "" if found is None else str(found)
    if version > HEAD:
        raise StoreError(
            f"the store {place} was written by a newer Partbook (schema {version}, this one "
            f"knows up to {HEAD}); update Partbook, or name another file"
        )
    return version != HEAD


def _migrate(connection: Connection, place: str) -> None:
    connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    # Taken at once, so that of two programs that open a new file, one waits and finds it done.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
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
    connection.exec_driver_sql(f"INSERT INTO {VERSION_TABLE} VALUES (?)", (HEAD,))
