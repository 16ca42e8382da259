"""A PostgreSQL server of the tests' own: started once, in a temporary folder, and stopped after.

It comes from the system's packages. It listens on a socket in its folder and on no port, so several
test runs, and the workers of one, do not meet. PostgreSQL refuses to be run by root, so root runs
it as `nobody`, who exists everywhere. What it has to keep is not forced to the disk.
"""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from partbook.store import Store

__all__ = ["PASSWORD", "PostgresServer", "postgres_programs", "running_postgres"]

_START_S = 60.0
PASSWORD = "p@ss/w:rd %"
"""Of the user `guarded`, who needs one."""


def postgres_programs() -> Path | None:
    """The folder of the server's programs; None: it is not installed."""
    folders = [*glob("/usr/lib/postgresql/*/bin"), *glob("/usr/pgsql-*/bin")]
    if (found := shutil.which("initdb")) is not None:
        folders.append(str(Path(found).resolve().parent))
    fit = [Path(folder) for folder in folders if (Path(folder) / "postgres").exists()]
    return fit[-1] if fit else None


class PostgresServer:
    """One server with databases that tests ask for."""

    def __init__(self, programs: Path, folder: Path, **who: object) -> None:
        self._programs, self.folder, self._who = programs, folder, who
        self._numbers = itertools.count()
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Make the files of the server, and a user with a password."""
        made = subprocess.run(
            [
                *(self._programs / "initdb", "-D", self.folder / "data", "-U", "postgres"),
                *("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            **self._who,  # type: ignore[call-overload]
        )
        assert made.returncode == 0, made.stderr
        (self.folder / "data" / "pg_hba.conf").write_text(
            "local all guarded scram-sha-256\nlocal all all trust\n"
        )
        self.start()
        role = sql.SQL("CREATE ROLE guarded LOGIN PASSWORD {}").format(PASSWORD)
        self.execute(role)
        self.execute("CREATE DATABASE ready")
        Store.open(self.url("ready")).close()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *(self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder),
                *("-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            **self._who,  # type: ignore[call-overload]
        )
        deadline = time.monotonic() + _START_S
        while True:
            try:
                return self.execute("SELECT 1")
            except psycopg.OperationalError:
                assert self._process.poll() is None, "PostgreSQL ended while it started"
                assert time.monotonic() < deadline, "PostgreSQL did not start"
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop it at once, as a crash does; what was committed is there when it starts again."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_START_S)
            self._process = None

    def url(self, database: str, user: str = "postgres", password: str = "") -> str:
        """The URL of a database."""
        who = user if not password else f"{user}:{quote(password, safe='')}"
        return f"postgresql://{who}@/{database}?host={self.folder}"

    def database(self, *, empty: bool = False) -> str:
        """The URL of a new database.

        Args:
            empty: it has no tables; otherwise it has the newest ones.
        """
        name = f"test_{next(self._numbers)}"
        template = "template0" if empty else "ready"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, whoever is connected to it."""
        name = url.partition("?")[0].rpartition("/")[2]
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str | sql.Composed, database: str = "postgres") -> None:
        """Run a statement as the server's master."""
        where = f"host={self.folder} user=postgres dbname={database}"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def running_postgres(programs: Path) -> Iterator[PostgresServer]:
    """A server for as long as the block."""
    who: dict[str, object] = {}
    # Not pytest's own folder: nobody else may go into it, and a socket's path has to be short.
    folder = Path(tempfile.mkdtemp(prefix="partbook-pg-"))
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    server = PostgresServer(programs, folder, **who)
    try:
        server.prepare()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)
