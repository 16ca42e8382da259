"""What is particular to a store on a PostgreSQL server: being reached, lost, shared and refused."""

import os
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect

from partbook.errors import StoreError
from partbook.event import RunFinished
from partbook.store import ApiKeys, BatchWriter, Store, Tags
from partbook.store.migrating import upgrade
from partbook.store.place import journal_folder, resolve, shown
from partbook.store.schema import HEAD, VERSION_TABLE, metadata
from tests.store.elsewhere import ask, change, connected, locked
from tests.store.lossy import lossy, old_server
from tests.traces import a_trace, events

DAY = "2026-11-30"
SECRET = "p@ss/w:rd %"


@pytest.fixture(autouse=True)
def own_journals(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.fixture
def place(postgres):
    url = postgres.database()
    yield url
    postgres.drop(url)


@pytest.fixture
def empty(postgres):
    url = postgres.database(empty=True)
    yield url
    postgres.drop(url)


@pytest.fixture
def near():
    """A folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="partbook-") as folder:
        yield Path(folder)


def by_way_of(place: str, folder: Path) -> str:
    return f"{place.partition('?')[0]}?host={folder}"


def refusal(place: str) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(place, busy_timeout_s=0.5)
    return str(caught.value)


def test_the_migrations_lead_to_the_tables_that_the_code_uses(empty):
    engine = create_engine(resolve(empty))
    with engine.begin() as connection:
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        difference = compare_metadata(context, metadata)
        version = context.get_current_revision()
    engine.dispose()

    assert difference == []
    assert version == HEAD


def test_a_new_store_is_what_the_migrations_would_have_made_of_it(place, empty):
    engine = create_engine(resolve(empty))
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()

    assert columns_of(place) == columns_of(empty)


def columns_of(place: str) -> dict[str, object]:
    with connected(place) as connection:
        inspector = inspect(connection)
        return {
            name: (
                [str(column) for column in inspector.get_columns(name)],
                inspector.get_pk_constraint(name),
                inspector.get_foreign_keys(name),
                inspector.get_indexes(name),
                inspector.get_unique_constraints(name),
            )
            for name in sorted(inspector.get_table_names())
        }


def test_a_store_of_an_older_version_is_brought_to_the_newest(place):
    with Store.open(place) as store:
        store.save(a_trace())
    change(place, "ALTER TABLE api_keys DROP COLUMN sees_traces")
    change(place, "DROP TABLE key_rates, gate_calls")
    change(place, f"UPDATE {VERSION_TABLE} SET version_num = '0003'")

    with Store.open(place) as store:
        assert store.load("run-1") == a_trace()
    assert ask(place, f"SELECT version_num FROM {VERSION_TABLE}") == HEAD
    assert ask(place, "SELECT count(sees_traces) FROM api_keys") == 0


def test_a_database_of_something_else_is_refused_and_left_alone(empty):
    change(empty, "CREATE TABLE bookmarks (url TEXT)")

    assert "a database of something else, with tables bookmarks; name another data" in refusal(
        empty
    )
    with connected(empty) as connection:
        assert inspect(connection).get_table_names() == ["bookmarks"]


def test_a_store_can_be_in_a_schema_of_its_own(place):
    change(place, "CREATE SCHEMA two")

    with (
        Store.open(place) as first,
        Store.open(f"{place}&options=-csearch_path%3Dtwo") as second,
    ):
        first.save(a_trace())

        assert (len(first.runs()), second.runs()) == (1, [])


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("postgresql://127.0.0.1:1/runs", "postgresql://127.0.0.1:1/runs cannot be reached; check"),
        ("postgresql:///runs?host=/nowhere", "postgresql:///nowhere/runs cannot be reached; check"),
        ("postgres://nobody.invalid/runs", "postgresql://nobody.invalid/runs cannot be reached; "),
    ],
)
def test_a_server_that_is_away_is_named(place, said):
    pytest.importorskip("psycopg")

    assert said in refusal(place)


def test_a_database_that_is_not_there_is_named(postgres):
    assert "does not exist; make it: createdb (" in refusal(postgres.url("nothing_here"))


@pytest.mark.parametrize("password", ["", "wrong-" + SECRET])
def test_a_user_without_the_right_password_is_refused_without_showing_it(postgres, place, password):
    database = place.partition("?")[0].rpartition("/")[2]

    message = refusal(postgres.url(database, "guarded", password))

    assert "does not let this user in; check user and password in PARTBOOK_STORE" in message
    assert "wrong" not in message


def test_the_right_password_opens_the_store_and_stays_out_of_every_message(postgres, place):
    database = place.partition("?")[0].rpartition("/")[2]

    message = refusal(postgres.url(database, "guarded", SECRET))

    assert "may not be used by this user; grant what is missing" in message
    assert "w:rd" not in message

    change(place, "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO guarded")
    with ApiKeys.open(postgres.url(database, "guarded", SECRET)) as keys:
        kept, _ = keys.create("ann")
        assert keys.spend(kept.key_id, DAY, Decimal(1), 1)[1]
    with Store.open(postgres.url(database, "guarded", SECRET)) as store:
        store.save(a_trace())
        assert "w:rd" not in f"{store.place}{store.journals}{store!r}"
        change(place, "REVOKE ALL ON runs FROM guarded")
        with pytest.raises(StoreError, match="may not be used by this user") as caught:
            store.save(a_trace("run-2"))
    assert "w:rd" not in str(caught.value)


def test_a_server_without_a_free_connection_is_named(postgres, place):
    database = place.partition("?")[0].rpartition("/")[2]
    change(place, f"ALTER DATABASE {database} CONNECTION LIMIT 0")

    message = refusal(postgres.url(database, "guarded", SECRET))

    assert "has no free connection; raise max_connections of the server" in message


def test_more_at_once_than_a_process_has_connections_is_refused_in_the_end(place):
    with Store.open(place, busy_timeout_s=0.01) as store, ExitStack() as readers:
        for _ in range(6):
            readers.enter_context(store.reading())

        with pytest.raises(StoreError, match="has no free connection in this process"):
            store.runs()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:sec/ret@host/runs",
        "postgresql://me:123/secret@host/runs",
        "postgresql://me:secret@host:port/runs",
        "postgresql://me:secret@host/",
        "postgresql://me:se@cret@host/runs",
        "postgresql://me:secret@127.0.0.1:1/runs?sslmode=never",
        "postgresql://me@127.0.0.1:1/runs?password=secret&connect_timeout=1",
        "oracle://me:secret@host/runs",
    ],
)
def test_no_message_about_a_url_shows_its_password(url):
    pytest.importorskip("psycopg")

    message = refusal(url)

    assert "ret" not in message


def test_a_server_that_is_too_old_is_refused(near):
    pytest.importorskip("psycopg")
    with old_server(near, "12.22"):
        message = refusal(f"postgresql:///runs?host={near}")

    assert message.endswith("/runs is on PostgreSQL 12; 13 or newer is needed")


def test_a_database_that_cannot_hold_every_letter_is_refused(near):
    pytest.importorskip("psycopg")
    with old_server(near, "15.1", encoding="LATIN1"):
        message = refusal(f"postgresql:///runs?host={near}")

    assert "has the encoding LATIN1; make its database with: createdb --encoding UTF8" in message


def test_without_psycopg_the_message_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from partbook.store import Store; Store.open('postgresql://me:secret@host/runs')"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    last = done.stderr.splitlines()[-1]
    assert "the store postgresql://me@host/runs needs psycopg" in last
    assert last.endswith("pip install 'partbook[postgres]'")
    assert "secret" not in last


def test_a_command_says_so_in_one_line_and_ends_with_2(postgres):
    place = postgres.url("nothing_here", "postgres", "secret")

    done = subprocess.run(
        [sys.executable, "-m", "partbook", "runs"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PARTBOOK_STORE": place},
    )

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: the store postgresql://postgres@")
    assert "does not exist; make it: createdb" in line
    assert "secret" not in line


def test_a_store_with_a_file_needs_no_psycopg(tmp_path):
    code = (
        "import sys; from partbook.store import Store; Store.open(sys.argv[1]).close();"
        "print('psycopg' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "runs.db")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "False\n"


async def test_runs_that_a_connection_lost_in_the_middle_are_written_by_the_next_try(place):
    with Store.open(place, busy_timeout_s=30.0) as store:
        writer = BatchWriter(store)
        with locked(place) as other:
            writer.put(a_trace("a"))
            writer.put(a_trace("b"))
            ending = threading.Thread(target=end_who_waits, args=(other,))
            ending.start()
            gone = r"runs not written: 2; .*(was closed by|lost the connection to) its server"
            with pytest.raises(StoreError, match=gone):
                await writer.flush()
            ending.join()
            assert ask(place, "SELECT count(*) FROM runs") == 0
        await writer.aclose()

        assert sorted(row.run_id for row in store.runs()) == ["a", "b"]


def end_who_waits(other) -> None:
    """End the session that waits for the lock, as soon as one does."""
    query = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    while not other.exec_driver_sql(query).scalar():
        pass


@pytest.mark.parametrize("lost", ["before", "after"])
def test_a_run_whose_commit_was_lost_is_there_once_after_the_next_try(postgres, place, near, lost):
    with (
        lossy(postgres.folder, near) as way,
        Store.open(by_way_of(place, near)) as store,
    ):
        way.cut_before_commit() if lost == "before" else way.cut_after_commit()
        with pytest.raises(StoreError, match="lost the connection to its server; try again"):
            store.save(a_trace())
        store.save(a_trace())

        assert [row.run_id for row in store.runs()] == ["run-1"]


@pytest.mark.parametrize("lost", ["before", "after"])
@pytest.mark.parametrize("usd", ["2.5", "-0.75"])
def test_what_is_added_again_after_a_lost_commit_counts_once(postgres, place, near, lost, usd):
    with (
        lossy(postgres.folder, near) as way,
        ApiKeys.open(by_way_of(place, near)) as keys,
    ):
        kept, _ = keys.create("ann")
        keys.spend(kept.key_id, DAY, Decimal(10), 1)
        for _ in range(2):  # lost twice in a row
            way.cut_before_commit() if lost == "before" else way.cut_after_commit()
            with pytest.raises(StoreError, match="lost the connection to its server; try again"):
                keys.spend(kept.key_id, DAY, Decimal(usd), 1)
        spent, added = keys.spend(kept.key_id, DAY, Decimal(usd), 1)
        again, _ = keys.spend(kept.key_id, DAY, Decimal(1), 1)

    assert (spent.day, added) == (10 + Decimal(usd), True)
    assert again.day == 11 + Decimal(usd)
    assert ask(place, "SELECT requests FROM key_days") == 3


def test_a_commit_that_was_lost_and_does_not_fit_any_more_is_taken_back(postgres, place, near):
    within = Decimal(10), None
    with (
        lossy(postgres.folder, near) as way,
        ApiKeys.open(by_way_of(place, near)) as keys,
    ):
        kept, _ = keys.create("ann")
        way.cut_after_commit()
        with pytest.raises(StoreError):
            keys.spend(kept.key_id, DAY, Decimal(9), 0, within)
        spent, added = keys.spend(kept.key_id, DAY, Decimal(11), 0, within)

    assert (spent.day, added) == (0, False)
    assert ask(place, "SELECT usd FROM key_days") == "0"


def test_a_server_that_was_started_anew_is_found_again(postgres, place):
    with Store.open(place) as store:
        store.save(a_trace("before"))
        postgres.stop()
        with pytest.raises(StoreError, match=r"cannot be reached|was closed|lost the connection"):
            store.save(a_trace("meanwhile"))
        postgres.start()
        store.save(a_trace("after"))

        assert sorted(row.run_id for row in store.runs()) == ["after", "before"]


def test_a_run_is_taken_up_by_one_machine_at_a_time(place, tmp_path, monkeypatch):
    def taken_up_on(machine: str) -> Store:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / machine))
        return Store.open(place)

    with taken_up_on("one") as one, taken_up_on("two") as two:
        journal = one.journal("{}")
        for event in [*events()[:7], RunFinished("failed", 1.5, "worker", "down")]:
            journal.add(event)
        one.save(one.load("run-1"), Tags(setup="{}"))
        journal.discard()
        first = one.reopen("run-1")

        with pytest.raises(StoreError, match="run run-1 is being played by another process"):
            two.reopen("run-1")

        first.journal.discard()
        one.close()
        two.reopen("run-1").journal.discard()


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("postgresql://me:secret@db.example:6543/runs", "postgresql://me@db.example:6543/runs"),
        ("postgresql:///runs", "postgresql://localhost/runs"),
        ("postgresql:///runs?host=a&host=b&port=1", "postgresql://a,b:1/runs"),
        ("sqlite:////data/runs.db", "/data/runs.db"),
    ],
)
def test_a_store_is_named_without_a_password(place, name):
    assert shown(resolve(place)) == name


def test_journals_are_on_this_machine_in_a_folder_for_each_database(tmp_path):
    folders = [
        Path(journal_folder(resolve(f"postgresql://{place}")))
        for place in ("me:secret@db/a-b", "you@db/a-b", "db/a.b", "db/a_b")
    ]

    assert folders[0] == folders[1]
    assert len(set(folders)) == 3
    assert folders[0].parent == tmp_path / "partbook"
    assert folders[0].name.startswith("db-a-b-")
    assert folders[0].name.endswith(".unfinished")
