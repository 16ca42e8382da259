"""Which store is meant where none is named, and how a store is named in a message.

A URL may hold a password; what is shown of it, and where the journals of its runs are, is decided
here alone.
"""

import hashlib
import os
import re
from pathlib import Path

from platformdirs import user_data_path
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from partbook.errors import StoreError

__all__ = ["STORE_VARIABLE", "default_url", "journal_folder", "resolve", "shown"]

STORE_VARIABLE = "PARTBOOK_STORE"
"""Environment variable with the path or URL of the store to use."""

_EXPECTED = "a path, a sqlite:/// or a postgresql:// URL was expected"


def default_url() -> str:
    """The path or URL in `PARTBOOK_STORE`, else `runs.db` in the user's data directory."""
    named = os.environ.get(STORE_VARIABLE, "").strip()
    return named or str(_user_data() / "runs.db")


def resolve(place: str | Path) -> URL:
    """The URL of a store that is named by a path or a URL.

    Raises:
        StoreError: it is a URL of something else than a SQLite file or a PostgreSQL database.
    """
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(Path(place).expanduser()))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError) as err:
        raise StoreError(f"{_EXPECTED}, found {_without_password(place)!r}") from err
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite":
            if not url.database or url.database == ":memory:":
                raise StoreError("a store is a file, not memory; name one: sqlite:///runs.db")
            return url
        case "postgresql" | "postgres" | "postgresql+psycopg":
            return _checked(url.set(drivername="postgresql+psycopg"))
        case other:
            raise StoreError(f"{_EXPECTED}, found one of {other!r}")


def _checked(url: URL) -> URL:
    if not url.database:
        raise StoreError(
            "a database was expected at the end of the store's URL: postgresql://HOST/DATABASE"
        )
    if "@" in f"{url.host}{url.database}":
        # A part of the password was taken for something else, so nothing of it may be shown.
        raise StoreError(
            "the store's URL cannot be read: write @ / : # ? % in a user or password as "
            "%40 %2F %3A %23 %3F %25, or leave the password to PGPASSWORD or ~/.pgpass"
        )
    return url


def shown(url: URL) -> str:
    """A store as messages name it: the path of its file, or its URL without a password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    user = f"{url.username}@" if url.username else ""
    return f"postgresql://{user}{_server(url)}/{url.database}"


def journal_folder(url: URL) -> str:
    """Where the journals of a store's runs are: beside its file, or in the user's data directory.

    A journal is written for every step of a run and locked as a file, so it stays on the machine
    that plays the run.
    """
    if url.get_backend_name() == "sqlite":
        return f"{url.database}.unfinished"
    which = f"{_server(url)}/{url.database}"
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", which).strip("-.")[:80]
    name = f"{readable}-{hashlib.sha256(which.encode()).hexdigest()[:8]}.unfinished"
    return str(_user_data() / name)


def _server(url: URL) -> str:
    """Host and port as far as the URL names them; it may do so behind its question mark."""
    named = url.query.get("host", url.host) or "localhost"
    host = named if isinstance(named, str) else ",".join(named)
    port = url.port or url.query.get("port")
    return f"{host}:{port}" if isinstance(port, int | str) else host


def _user_data() -> Path:
    return user_data_path("partbook", appauthor=False)


def _without_password(place: str) -> str:
    return re.sub(r"//.*@", "//...@", place.partition("?")[0])
