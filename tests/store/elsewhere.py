"""What any other program can do to a store, in SQL."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, NullPool, create_engine, text

from partbook.store.place import resolve

__all__ = ["ask", "change", "connected", "locked"]


@contextmanager
def connected(place: str) -> Iterator[Connection]:
    """A connection of another program's."""
    engine = create_engine(resolve(place), poolclass=NullPool)
    with engine.connect() as connection:
        yield connection


def change(place: str, statement: str, **values: object) -> None:
    """Change something."""
    with connected(place) as connection:
        connection.execute(text(statement), values)
        connection.commit()


def ask(place: str, query: str) -> object:
    """The first column of the first row."""
    with connected(place) as connection:
        return connection.scalar(text(query))


@contextmanager
def locked(place: str) -> Iterator[Connection]:
    """Another program is in the middle of writing; roll the connection back to end it."""
    with connected(place) as connection:
        is_file = connection.dialect.name == "sqlite"
        lock = "BEGIN IMMEDIATE" if is_file else "LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE"
        connection.execute(text(lock))
        yield connection
