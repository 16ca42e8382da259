"""What went wrong in the database, as a `StoreError` with a sentence and something to do.

SQLite names each of its errors; the names are the border here, not the texts, which differ between
versions. https://www.sqlite.org/rescode.html What PostgreSQL reports is left to `postgres.py`.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from partbook.errors import StoreError

__all__ = ["as_store_errors", "explain", "is_locked"]

_SENTENCES = {
    "SQLITE_NOTADB": "is not a SQLite database; name another file",
    "SQLITE_CORRUPT": "is damaged; `sqlite3 FILE .recover` may save what is left",
    "SQLITE_FULL": "cannot grow, the disk is full; free some space and try again",
    "SQLITE_BUSY": "is locked by another program; wait for it to end, or end it",
    "SQLITE_LOCKED": "is locked by another program; wait for it to end, or end it",
    "SQLITE_READONLY": "may only be read; check the permissions of the file and its directory",
    "SQLITE_CANTOPEN": "cannot be opened; check that the directory exists and may be written to",
    "SQLITE_PERM": "may not be used; check the permissions of the file and its directory",
    "SQLITE_IOERR": "cannot be read or written, the disk or its file system failed",
}
"""By the primary name of the error; an extended name begins with it: `SQLITE_READONLY_DBMOVED`."""


def explain(err: sqlite3.Error | SQLAlchemyError, place: str) -> StoreError:
    """The error as a sentence about the store at `place`."""
    cause = err.orig if isinstance(err, DBAPIError) else err
    if isinstance(err, DBAPIError) and not isinstance(cause, sqlite3.Error):
        from partbook.store.postgres import explain_postgres  # noqa: PLC0415 - needs psycopg

        return explain_postgres(err, place)
    if isinstance(err, PoolTimeoutError):
        return StoreError(
            f"the store {place} has no free connection in this process: too much is asked at once"
        )
    for primary, sentence in _SENTENCES.items():
        if _is_named(cause, primary):
            return StoreError(f"the store {place} {sentence} ({cause})")
    return StoreError(f"the store {place} failed: {type(cause).__name__}: {cause}")


def is_locked(err: DBAPIError) -> bool:
    """Whether SQLite says that another program has the file."""
    return _is_named(err.orig, "SQLITE_BUSY") or _is_named(err.orig, "SQLITE_LOCKED")


def _is_named(cause: BaseException | None, primary: str) -> bool:
    """Whether SQLite gave an error this primary name; only those that it reported have one."""
    name = str(vars(cause).get("sqlite_errorname", "")) if isinstance(cause, sqlite3.Error) else ""
    return name == primary or name.startswith(primary + "_")


@contextmanager
def as_store_errors(place: str) -> Iterator[None]:
    """Turn what the database raises inside into `StoreError`."""
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError) as err:
        raise explain(err, place) from err
