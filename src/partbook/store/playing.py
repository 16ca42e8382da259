"""Which stored runs this process plays, known to every other one on the same database.

A journal is locked on the machine that it is on. A run that is already in the store can be taken up
on any machine, so on PostgreSQL the session that does so holds an advisory lock with the run's
name. It ends with the process, however that ends.
"""

import hashlib
from contextlib import ExitStack

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

__all__ = ["Playing", "lock_number"]


_TRY = text("SELECT pg_try_advisory_lock(:number)")
_UNLOCK = text("SELECT pg_advisory_unlock(:number)")


def lock_number(name: str) -> int:
    """The number of PostgreSQL's advisory lock with this name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)


class Playing:
    """The runs that were taken up by one store, until it is closed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sessions = ExitStack()

    def claim(self, run_id: str) -> bool:
        """Take a run up; False: somebody else has.

        Raises:
            SQLAlchemyError: the database could not be asked.
        """
        if self._engine.dialect.name != "postgresql":
            return True  # the file of the journal is locked
        with ExitStack() as session:
            connection = session.enter_context(self._engine.connect())
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            number = lock_number(run_id)
            if not connection.scalar(_TRY, {"number": number}):
                return False
            session.callback(_let_go, connection, number)
            self._sessions.push(session.pop_all())
        return True

    def close(self) -> None:
        """Let go of them."""
        self._sessions.close()


def _let_go(connection: Connection, number: int) -> None:
    """Unlock by word: a session that is only ended holds its lock until the server notices."""
    try:
        connection.scalar(_UNLOCK, {"number": number})
    except SQLAlchemyError:
        connection.invalidate()  # ends the session, and with it the lock
