"""Which stored runs this process plays, known to every other one on the same database.

A journal is locked on the machine that it is on. A run that is already in the store can be taken up
on any machine, so on PostgreSQL the session that does so holds an advisory lock with the run's
name. It ends with the process, however that ends.
"""

import hashlib
from contextlib import ExitStack

from sqlalchemy import Engine, text

__all__ = ["Playing", "lock_number"]


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
            asked = text("SELECT pg_try_advisory_lock(:number)")
            if not connection.scalar(asked, {"number": lock_number(run_id)}):
                return False
            session.callback(connection.invalidate)  # ends the session, and with it the lock
            self._sessions.push(session.pop_all())
        return True

    def close(self) -> None:
        """Let go of them."""
        self._sessions.close()
