import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import HealthCheck, given, settings
from sqlalchemy import create_engine

from partbook.errors import StoreError
from partbook.message import Usage
from partbook.step_trace import StepTrace
from partbook.store import RunRow, Store, Tags, default_url
from partbook.store.migrating import configuration, upgrade
from partbook.store.schema import HEAD, VERSION_TABLE, metadata
from partbook.trace import RoundTrace, Trace
from tests.store.elsewhere import change, locked
from tests.store.small_disk import on_a_small_disk
from tests.traces import QUESTION, a_trace, traces


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "runs.db"


@pytest.fixture
def place(any_store):
    return any_store


@pytest.fixture
def store(place):
    with Store.open(place) as opened:
        yield opened


def asked(run_id: str, question: str = "q", answer: str | None = None) -> Trace:
    rounds = () if answer is None else (RoundTrace(answer=answer),)
    return Trace(run_id, question, "demo", ("coder",), 100.0, 1.0, "answered", rounds)


def test_a_saved_run_is_loaded_as_it_was(store):
    store.save(a_trace())

    assert store.load("run-1") == a_trace()


@settings(
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(traces())
def test_any_run_is_loaded_as_it_was(store, trace):
    store.save(trace)

    assert store.load(trace.run_id) == trace


def test_runs_outlive_the_store_object(place):
    with Store.open(place) as first:
        first.save(a_trace())

    with Store.open(place) as second:
        assert second.load("run-1") == a_trace()


def test_a_list_says_what_a_run_was_and_what_it_took(store):
    store.save(a_trace(), Tags(task="digits", label="first try", verdict="right"))

    assert store.runs() == [
        RunRow(
            run_id="run-1",
            started_at=1_764_000_000.0,
            seconds=2.5,
            status="answered",
            reason=None,
            question=QUESTION,
            answer="115",
            pool="demo",
            source="conductor",
            workflow_name="",
            calls=4,
            prompt_tokens=1000,
            completion_tokens=200,
            cost_usd=Decimal("0.001"),
            task="digits",
            label="first try",
            verdict="right",
        )
    ]


def test_an_unknown_price_stays_unknown_in_a_list(store):
    steps = (StepTrace(0, "coder", (), 0.0, 1.0, "a", usage=None, cost_usd=None),)
    rounds = (RoundTrace(steps=steps, answer="a"),)
    store.save(Trace("r", "q", "demo", ("coder",), 0.0, 1.0, "answered", rounds))

    assert store.runs()[0].cost_usd is None


def test_runs_are_listed_from_the_last_to_the_first(store):
    store.save_many([a_trace("b", at=2.0), a_trace("c", at=3.0), a_trace("a", at=1.0)])

    assert [row.run_id for row in store.runs()] == ["c", "b", "a"]
    assert [row.run_id for row in store.runs(limit=2)] == ["c", "b"]
    assert [trace.run_id for trace in store.traces(limit=2)] == ["c", "b"]


def test_the_latest_run_is_the_one_that_was_started_last(store):
    store.save_many([a_trace("late", at=2.0), a_trace("early", at=1.0)])

    assert store.latest() == a_trace("late", at=2.0)


def test_an_empty_store_has_no_latest_run(store):
    assert store.latest() is None
    assert store.runs() == []
    assert list(store.traces()) == []


def test_saving_no_runs_is_no_error(store):
    store.save_many([])

    assert store.runs() == []


def test_a_run_that_is_saved_again_replaces_the_first(store):
    store.save(asked("r", "before"))
    store.save(asked("r", "after"))

    assert store.load("r").question == "after"
    assert [row.question for row in store.runs()] == ["after"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("paris", ["q"]), ("Answer is", ["a"]), ("50%", ["q"]), ("5_%", []), ("파리", ["a"])],
)
def test_a_list_can_be_searched_by_the_words_of_question_and_answer(store, text, found):
    store.save(asked("q", "Is Paris 50% green?", "no"))
    store.save(asked("a", "Where?", "The answer is 파리"))

    assert [row.run_id for row in store.runs(text=text)] == found


def test_a_list_can_be_searched_by_the_workers_that_were_called(store):
    store.save(a_trace("called"))
    store.save(asked("not called"))

    assert [row.run_id for row in store.runs(worker="coder")] == ["called"]
    assert [trace.run_id for trace in store.traces(worker="coder")] == ["called"]
    assert store.runs(worker="code") == []
    assert store.runs(worker="Coder") == []


def test_a_beginning_that_only_one_run_has_is_enough(store):
    store.save_many([asked("abc1"), asked("abd1"), asked("abc12")])

    assert store.load("abd").run_id == "abd1"


def test_a_whole_id_is_not_taken_for_a_beginning(store):
    store.save_many([asked("abc"), asked("abcd")])

    assert store.load("abc").run_id == "abc"


def test_a_beginning_that_several_runs_have_is_refused_with_their_ids(store):
    store.save_many([asked("abc"), asked("abd"), asked("x")])

    with pytest.raises(StoreError, match=r"several runs begin with 'ab': abc, abd; give more"):
        store.load("ab")


def test_no_more_than_five_candidates_are_listed(store):
    store.save_many([asked(f"a{i}") for i in range(9)])

    with pytest.raises(StoreError, match=r"'a': a0, a1, a2, a3, a4, \.\.\.; give more"):
        store.load("a")


def test_an_unknown_run_is_refused_with_the_last_ids(store):
    store.save_many([a_trace("one", at=1.0), a_trace("two", at=2.0)])

    with pytest.raises(StoreError, match="no run begins with 'zz'; the last ones are two, one"):
        store.load("zz")


def test_a_percent_sign_is_no_wildcard(store):
    store.save(asked("abc"))

    with pytest.raises(StoreError, match="no run begins with '%'"):
        store.load("%")


def test_an_unknown_run_of_an_empty_store_is_refused(store):
    with pytest.raises(StoreError, match="no run begins with 'a'; the store is empty"):
        store.load("a")


def test_text_that_utf8_cannot_hold_is_stored(store):
    store.save(asked("r", "half \ud83d and \0", "half \ud83d"))

    assert store.load("r").question == "half \ud83d and \0"
    assert store.runs()[0].question == "half ? and �"


def test_what_cannot_be_a_name_finds_nothing(store):
    store.save(asked("r"), Tags(task="half \ud83d and \0"))

    assert store.runs()[0].task == "half ? and �"
    for name in ("\0", "r\0", "\ud83d"):
        with pytest.raises(StoreError, match="no run begins with"):
            store.load(name)


def test_ids_are_sorted_as_python_sorts_them(store):
    ids = ["B", "a", "Z", "_", "b1", "b-", "é", "1"]
    store.save_many([asked(run_id) for run_id in ids])

    assert [row.run_id for row in reversed(store.runs())] == sorted(ids)


def test_more_tokens_than_a_database_counts_are_stored(store):
    steps = (StepTrace(0, "coder", (), 0.0, 1.0, "a", usage=Usage(10**30, 1)),)
    store.save(
        Trace("r", "q", "demo", ("coder",), 0.0, 1.0, "answered", (RoundTrace(steps=steps),))
    )

    assert store.runs()[0].prompt_tokens == 2**63 - 1
    assert store.load("r").usage == Usage(10**30, 1)


def test_all_runs_of_a_transaction_are_kept_or_none(place):
    with Store.open(place) as store, pytest.raises(ValueError, match="shorter"):
        store.save_many([asked("a"), asked("b")], [Tags()])

    with Store.open(place) as store:
        assert store.runs() == []


def test_only_the_user_may_read_a_new_store(path):
    with Store.open(path) as store:
        store.save(a_trace())

        for file in (path, Path(f"{path}-wal")):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_writing_uses_a_write_ahead_log(path):
    Store.open(path).close()
    with sqlite3.connect(path) as other:
        (mode,) = other.execute("PRAGMA journal_mode").fetchone()
    other.close()

    assert mode == "wal"


def test_opening_an_up_to_date_store_does_not_import_alembic(place):
    Store.open(place).close()
    code = (
        "import sys; from partbook.store import Store; Store.open(sys.argv[1]).close();"
        "print('alembic' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, place], capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"


FOUR_AT_ONCE = """
import os, sys
from partbook.store import Store
from tests.traces import a_trace
start, go = os.pipe()
for i in range(4):
    if os.fork() == 0:
        os.close(go)
        os.read(start, 1)  # until the last one is there
        with Store.open(sys.argv[1]) as store:
            store.save(a_trace(f"run-{i}"))
        sys.exit()
os.close(go)
print([os.wait()[1] for _ in range(4)])
"""


def test_programs_that_open_a_new_store_at_once_all_succeed(place):
    done = subprocess.run(
        [sys.executable, "-c", FOUR_AT_ONCE, place],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )

    assert (done.stdout, done.stderr) == ("[0, 0, 0, 0]\n", "")
    with Store.open(place) as store:
        assert sorted(row.run_id for row in store.runs()) == ["run-0", "run-1", "run-2", "run-3"]


def test_the_migrations_lead_to_the_tables_that_the_code_uses(path):
    path.parent.mkdir()
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        difference = compare_metadata(context, metadata)
        version = context.get_current_revision()
    engine.dispose()

    assert difference == []
    assert version == HEAD


def test_a_new_store_is_what_the_migrations_would_have_made_of_it(path, tmp_path):
    Store.open(path).close()
    migrated = tmp_path / "migrated.db"
    engine = create_engine(f"sqlite:///{migrated}")
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()

    assert tables_of(path) == tables_of(migrated)


def tables_of(path: Path) -> list[tuple[str, ...]]:
    """Every column and index of a database, and the version in it."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute(
            'SELECT m.name, c.name, c.type, c."notnull", c.pk FROM sqlite_master m, '
            "pragma_table_info(m.name) c ORDER BY 1, 2"
        ).fetchall()
        found += database.execute(
            "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' ORDER BY 1"
        ).fetchall()
        return found + database.execute(f"SELECT * FROM {VERSION_TABLE}").fetchall()


def test_the_newest_migration_is_the_version_the_code_expects():
    assert ScriptDirectory.from_config(configuration()).get_current_head() == HEAD


def test_a_store_of_a_newer_version_is_refused(place):
    Store.open(place).close()
    change(place, f"UPDATE {VERSION_TABLE} SET version_num = '9000'")

    with pytest.raises(StoreError, match=rf"a newer Partbook \(schema 9000, .* {HEAD}\)"):
        Store.open(place)


def test_a_newer_trace_in_the_store_is_refused(store, place):
    store.save(a_trace())
    change(place, "UPDATE runs SET trace = :trace", trace=json.dumps({"version": 2}))

    with pytest.raises(StoreError, match="newer Partbook"):
        store.load("run-1")


@pytest.mark.parametrize("damage", ["{", "[" * 100_000], ids=["cut off", "deep"])
def test_a_damaged_trace_in_the_store_is_refused(store, place, damage):
    store.save(a_trace())
    change(place, "UPDATE runs SET trace = :trace", trace=damage)

    with pytest.raises(StoreError, match="a stored trace is not JSON"):
        store.load("run-1")


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("shopping list " * 100)

    with pytest.raises(StoreError, match=r"notes\.txt is not a SQLite database; name another"):
        Store.open(path)

    assert path.read_text() == "shopping list " * 100


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "places.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.close()

    with pytest.raises(StoreError, match="a database of something else, with tables bookmarks"):
        Store.open(path)

    with sqlite3.connect(path) as other:
        names = other.execute("SELECT name FROM sqlite_master").fetchall()
    other.close()
    assert names == [("bookmarks",)]


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "empty.db"
    path.touch()

    with Store.open(path) as store:
        store.save(a_trace())
        assert len(store.runs()) == 1


def test_a_directory_in_the_place_of_a_store_is_refused(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path)


def test_a_place_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match=r"cannot be created: Not a directory; .*PARTBOOK_STORE"):
        Store.open(tmp_path / "file" / "data" / "runs.db")


def test_a_store_that_may_only_be_read_can_be_read_but_not_written(path):
    with Store.open(path) as store:
        store.save(a_trace())

    with Store.open(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert store.load("run-1") == a_trace()
        with pytest.raises(StoreError, match="may only be read; check the permissions"):
            store.save(a_trace("run-2"))


def test_a_store_that_another_program_is_writing_can_be_read_but_not_written(place):
    with Store.open(place) as store:
        store.save(a_trace())

    with Store.open(place, busy_timeout_s=0.01) as store, locked(place) as other:
        assert store.load("run-1") == a_trace()
        with pytest.raises(StoreError, match="is locked by another program"):
            store.save(a_trace("run-2"))
        other.rollback()
        store.save(a_trace("run-2"))

        assert len(store.runs()) == 2


FILL_A_SMALL_DISK = """
from partbook.errors import StoreError
from partbook.store import Store
from tests.traces import a_trace
with Store.open(disk + "/runs.db") as store:
    kept = 0
    try:
        while kept < 1000:
            store.save(a_trace(f"run-{kept}"))
            kept += 1
    except StoreError as err:
        print(err)
    print(kept > 0, len(store.runs()) == kept)
"""


def test_a_full_disk_is_named_and_what_was_kept_stays_readable(tmp_path):
    message, readable = on_a_small_disk(tmp_path, "256k", FILL_A_SMALL_DISK)

    assert "runs.db cannot grow, the disk is full; free some space" in message
    assert readable == "True True"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_memory_is_no_store(url):
    with pytest.raises(StoreError, match="a store is a file, not memory"):
        Store.open(url)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("mysql://me:secret@host/runs", "mysql"),
        ("postgresql+psycopg2://x/y", "postgresql.psycopg2"),
    ],
)
def test_a_url_of_another_database_is_refused(url, found):
    expected = f"a path, a sqlite:/// or a postgresql:// URL was expected, found one of '{found}'"
    with pytest.raises(StoreError, match=expected):
        Store.open(url)


def test_a_store_is_opened_by_url_too(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/by-url.db") as store:
        store.save(a_trace())

    assert (tmp_path / "by-url.db").exists()


def test_the_environment_names_the_store(monkeypatch):
    monkeypatch.setenv("PARTBOOK_STORE", "/somewhere/else.db")

    assert default_url() == "/somewhere/else.db"


def test_without_the_environment_runs_are_in_the_users_data_directory(monkeypatch):
    monkeypatch.delenv("PARTBOOK_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", "/home/somebody/data")

    assert default_url() == os.path.join("/home/somebody/data", "partbook", "runs.db")
