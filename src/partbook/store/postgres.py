"""A PostgreSQL database behind a store: how it is reached, and what its errors mean.

It is imported where a URL names PostgreSQL, for it needs psycopg. Every connection gives up a lock
that another program holds for too long, and notices within seconds that its server has gone.
What PostgreSQL reports has a code, which is the border here; while a connection is being made,
there is only the text. https://www.postgresql.org/docs/current/errcodes-appendix.html
"""

import math
from typing import Any

import psycopg
from psycopg.rows import TupleRow
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from partbook.errors import StoreError

__all__ = ["OLDEST", "explain_postgres", "postgres_engine"]

OLDEST = 130000
"""The oldest server: the first that can say what became of a transaction by its `xid8`."""

_KEPT_OPEN = 2
"""Connections of one process to one store; a server has a hundred, by default, for all."""

_AT_MOST = 6
"""How many there may be for moments in which several threads need one."""

_GONE: dict[str, str | int] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""When a server is given up that says nothing: seconds, but the last in milliseconds."""

_SENTENCES = {
    "08": "lost the connection to its server; try again once the server is there",
    "22": "cannot hold a value",
    "25006": "may only be read: the server is a standby, or is set so",
    "25P03": "was closed by its server, which had waited too long for this program",
    "28": "does not let this user in; check user and password in PARTBOOK_STORE, PGPASSWORD or "
    "~/.pgpass",
    "3D": "does not exist; make it: createdb",
    "40": "was changed by another program at the same moment; try again",
    "42501": "may not be used by this user; grant what is missing, or name another user",
    "42P01": "lacks a table that it had when it was opened; do not change its tables by hand",
    "42703": "lacks a column that it had when it was opened; do not change its tables by hand",
    "53100": "cannot grow, the server's disk is full; free some space and try again",
    "53300": "has no free connection; raise max_connections of the server, or run fewer programs",
    "53": "is short of memory or disk on its server",
    "55P03": "is locked by another program; wait for it to end, or end it",
    "57": "was closed by its server; try again once the server is there",
}
"""By code, or by the class of codes that it begins with; the longest that fits counts."""

_REFUSALS = (
    ("database", "does not exist", "3D"),
    ("authentication failed", "", "28"),
    ("no password supplied", "", "28"),
    ("role", "does not exist", "28"),
    ("no pg_hba.conf entry", "", "28"),
    ("is not permitted to log in", "", "28"),
    ("permission denied for database", "", "42501"),
    ("too many", "connections", "53300"),
    ("too many clients", "", "53300"),
    ("remaining connection slots", "", "53300"),
    ("the database system is", "", "57"),
)
"""What a text says that refuses a connection, and the code that it stands for."""


def postgres_engine(url: URL, busy_timeout_s: float, place: str) -> Engine:
    """Connections to a database; the first is made when it is needed.

    Args:
        url: of the driver `postgresql+psycopg`.
        busy_timeout_s: how long to wait for a lock that another program holds, and for a free
            connection.
        place: what the database is called in messages.
    """
    usual = _GONE | {
        "application_name": "partbook",
        "client_encoding": "utf8",
        "connect_timeout": max(2, math.ceil(busy_timeout_s)),
    }
    engine = create_engine(
        url,
        connect_args={name: usual[name] for name in usual.keys() - url.query.keys()},
        hide_parameters=True,
        isolation_level="READ COMMITTED",
        max_overflow=_AT_MOST - _KEPT_OPEN,
        pool_pre_ping=True,  # a server that was started anew is noticed before a write, not by one
        pool_size=_KEPT_OPEN,
        pool_timeout=max(2.0, busy_timeout_s),
        use_native_hstore=False,
    )
    lock_ms = max(1, round(busy_timeout_s * 1000))

    def connect(
        dialect: Dialect,
        _entry: ConnectionPoolEntry,
        arguments: tuple[str, ...],
        named: dict[str, Any],
    ) -> psycopg.Connection[TupleRow]:
        connection = psycopg.connect(*arguments, **named)
        try:
            _refuse_unfit(connection.info, place)
            connection.autocommit = True
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{lock_ms}ms",))
            connection.autocommit = False
        except BaseException:
            connection.close()
            raise
        return connection

    event.listen(engine, "do_connect", connect)
    return engine


def _refuse_unfit(server: psycopg.ConnectionInfo, place: str) -> None:
    if server.server_version < OLDEST:
        raise StoreError(
            f"the store {place} is on PostgreSQL {server.server_version // 10_000}; "
            f"{OLDEST // 10_000} or newer is needed"
        )
    if (encoding := server.parameter_status("server_encoding")) != "UTF8":
        raise StoreError(
            f"the store {place} has the encoding {encoding}; "
            "make its database with: createdb --encoding UTF8 --template template0"
        )


def explain_postgres(err: DBAPIError, place: str) -> StoreError:
    """The error as a sentence about the store at `place`."""
    cause = err.orig
    said, code = str(cause), None
    if isinstance(cause, psycopg.Error):
        said, code = cause.diag.message_primary or said, cause.sqlstate
    said = " ".join(said.split())
    if code is None:
        code = _code_of(said, is_lost=err.connection_invalidated)
    if code is None and isinstance(cause, psycopg.OperationalError):
        return StoreError(
            f"the server of the store {place} cannot be reached; check that it runs, and host and "
            f"port in PARTBOOK_STORE ({said})"
        )
    for length in (5, 2):
        if code is not None and (sentence := _SENTENCES.get(code[:length])):
            return StoreError(f"the store {place} {sentence} ({said})")
    return StoreError(f"the store {place} failed: {type(cause).__name__}: {said}")


def _code_of(said: str, *, is_lost: bool) -> str | None:
    for first, second, code in _REFUSALS:
        if first in said and second in said:
            return code
    return "08" if is_lost else None
