import json
import os
import resource
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from partbook.errors import StoreError
from partbook.event import Event, RunFinished, StepFinished, StepRetried, StepStarted
from partbook.message import Usage
from partbook.resume import recall
from partbook.store import BatchWriter, Store, Tags
from partbook.store.journal import Journal
from partbook.store.journal_reader import read_journal
from partbook.store.schema import UNTAGGED, row_of
from partbook.store.slots import Slots
from partbook.trace import TraceBuilder
from partbook.trace_json import trace_to_dict
from tests.store.elsewhere import locked
from tests.store.small_disk import on_a_small_disk
from tests.traces import QUESTION, a_trace, events

SETUP = '{"pool":"demo"}'


@pytest.fixture
def place(any_store):
    return any_store


@pytest.fixture
def store(place):
    with Store.open(place, busy_timeout_s=0.01) as opened:
        yield opened


def journalled(store: Store, until: int, more: list[Event] | None = None) -> Journal:
    """The journal of a run that came as far as its first `until` events."""
    journal = store.journal(SETUP)
    for event in events()[:until] + (more or []):
        journal.add(event)
    return journal


def file_of(store: Store) -> Path:
    """The only file that holds a journal; if there is none, one that does not exist."""
    files = Path(store.journals).glob("*.jsonl")
    return next((file for file in files if file.stat().st_size), Path("/none"))


def test_after_every_event_the_file_holds_what_a_trace_of_these_events_would(store):
    journal = store.journal(SETUP)
    builder = TraceBuilder()

    for event in events()[:-1]:
        journal.add(event)
        builder.add(event)
        found = read_journal(file_of(store)) if file_of(store).exists() else None
        if isinstance(event, StepFinished):
            assert found is not None
            expected = builder.build().rounds[0]
            read = found.trace.rounds[0]
            assert read.proposals == expected.proposals
            assert read.workflow == expected.workflow
            assert [s for s in read.steps if s.answer] == [s for s in expected.steps if s.answer]
            assert {s.step for s in read.steps} >= {s.step for s in expected.steps}
            assert found.setup == SETUP.replace(":", ": ")
    journal.close()


def test_what_was_paid_for_is_written_at_once_and_what_follows_from_it_is_not_written(store):
    journal = journalled(store, 0)
    written = []

    for event in events():
        before = file_of(store).stat().st_size if file_of(store).exists() else 0
        journal.add(event)
        if file_of(store).exists() and file_of(store).stat().st_size > before:
            written.append(type(event).__name__)
    journal.close()

    assert written == ["RoundStarted", "Proposed", "Planned", *["StepFinished"] * 3]


A_TRY = StepRetried(0, 0, 0, "coder", "busy", "rate_limit", 1.0, Usage(9), None)


def test_at_every_moment_the_store_would_write_the_same_with_the_journals_words(store):
    happened = events()
    happened[6:6] = [A_TRY, replace(A_TRY, attempt=1, error="down")]
    journal, builder = store.journal(), TraceBuilder()

    for event in happened:
        journal.add(event)
        builder.add(event)
        trace = builder.build()
        row = row_of(trace, UNTAGGED, journal.steps)
        assert json.loads(row["trace"]) == trace_to_dict(trace)

    assert sorted(journal.steps) == [(0, 0), (0, 1), (0, 2)]


def test_words_about_a_step_that_is_taken_up_again_are_not_used(store):
    journalled(store, 6, [A_TRY]).close()
    reopened = store.reopen("run-1")
    builder = TraceBuilder()
    for event in [events()[0], *recall(reopened.trace)]:
        builder.add(event)
    again = replace(events()[4], at_s=7.0)

    reopened.journal.add(again)
    builder.add(again)

    trace = builder.build()
    row = row_of(trace, UNTAGGED, reopened.journal.steps)
    reopened.journal.close()
    assert json.loads(row["trace"]) == trace_to_dict(trace)
    assert trace.rounds[0].steps[0].started_s == 7.0


def test_a_step_that_began_is_known_before_its_call_is_made(store):
    journal = journalled(store, 0)
    known = []

    for event in events():
        journal.add(event)
        if isinstance(event, StepStarted):
            steps = read_journal(file_of(store)).trace.rounds[0].steps
            known += [s for s in steps if s.step == event.step]
    journal.close()

    assert [(s.step, s.worker, s.started_s, s.calls, s.answer) for s in known] == [
        (0, "coder", 0.5, 1, None),
        (1, "thinker", 0.5, 1, None),
        (2, "checker", 1.75, 1, None),
    ]


def test_of_a_run_that_ended_only_steps_that_began_are_known(store):
    journalled(store, 5, [RunFinished("stopped", 0.6, "interrupted", "by the user")]).close()

    (step,) = store.load("run-1").rounds[0].steps

    assert (step.step, step.worker, step.started_s, step.finished_s) == (0, "coder", 0.5, None)


def test_a_run_taken_up_after_its_end_is_cut_short_again_as_soon_as_a_step_begins(store):
    journalled(store, 7, [RunFinished("failed", 1.5, "worker", "down")]).close()

    reopened = store.reopen("run-1")
    reopened.journal.add(events()[4])
    reopened.journal.close()

    trace = store.load("run-1")
    assert (trace.status, trace.reason) == ("stopped", "interrupted")
    assert [step.answer for step in trace.rounds[0].steps] == [None, "116"]


def test_a_run_that_is_cut_short_is_listed_loaded_and_shown_as_unfinished(store):
    journalled(store, 7).close()

    (row,) = store.runs()
    trace = store.load("run")

    assert (row.run_id, row.status, row.question) == ("run-1", "unfinished", QUESTION)
    assert (trace.status, trace.reason, trace.detail) == (
        "stopped",
        "interrupted",
        "the process ended",
    )
    assert [step.answer for step in trace.rounds[0].steps] == [None, "116"]
    assert store.latest() == trace


def test_a_run_that_is_being_played_is_listed_as_running_and_cannot_be_taken_over(store):
    journal = journalled(store, 7)

    assert [row.status for row in store.runs()] == ["running"]
    with pytest.raises(StoreError, match="run run-1 is being played by another process"):
        store.reopen("run-1")

    journal.close()


def test_unfinished_runs_stand_among_the_others_and_obey_the_filters(store):
    store.save(a_trace("early", at=1.0))
    store.save(a_trace("late", at=2_000_000_000.0))
    journalled(store, 7).close()

    assert [row.run_id for row in store.runs()] == ["late", "run-1", "early"]
    assert [row.run_id for row in store.runs(limit=2)] == ["late", "run-1"]
    assert [row.run_id for row in store.runs(worker="checker")] == ["late", "early"]
    assert [row.status for row in store.runs(text="DIGITS of")] == [
        "answered",
        "unfinished",
        "answered",
    ]


def test_a_reopened_run_goes_on_in_the_same_file(store):
    journalled(store, 7).close()

    reopened = store.reopen("run-1")
    for event in [events()[4], *events()[7:]]:
        reopened.journal.add(event)
    reopened.journal.close()
    again = read_journal(file_of(store))

    assert reopened.setup == SETUP.replace(":", ": ")
    assert again.trace == a_trace()


def test_a_failed_try_is_kept_with_what_it_cost(store):
    retried = StepRetried(0, 0, 0, "coder", "busy", "overloaded", 0.1, Usage(5, 1), None)

    journalled(store, 5, [retried]).close()
    step = store.load("run-1").rounds[0].steps[0]

    assert (step.attempts, step.calls) == ((retried,), 2)


def test_a_run_that_ended_but_was_not_stored_is_stored_when_it_is_reopened(store):
    journalled(store, 12).close()

    reopened = store.reopen("run-1")

    assert (reopened.journal, reopened.trace) == (None, a_trace())
    assert not file_of(store).exists()
    assert store.load("run-1") == a_trace()
    assert store.runs()[0].status == "answered"


def test_a_run_that_a_worker_failed_can_be_taken_up_from_the_store(store):
    journal = journalled(store, 7, [RunFinished("failed", 1.5, "worker", "down")])
    from_journal = store.load("run-1")
    journal.discard()
    store.save(from_journal, Tags(setup=SETUP))

    reopened = store.reopen("run-1")
    reopened.journal.close()

    assert reopened.trace == from_journal
    assert read_journal(file_of(store)).trace.rounds == from_journal.rounds


@pytest.mark.parametrize(
    "end", [RunFinished("stopped", 1.5, "calls", "2"), RunFinished("failed", 1.5, "workflow", "no")]
)
def test_a_run_that_is_over_is_not_reopened(store, end):
    journalled(store, 7, [end]).close()

    assert store.reopen("run-1").journal is None


def test_a_line_that_was_cut_off_is_left_out_and_overwritten(store):
    journalled(store, 7).close()
    whole = file_of(store).read_bytes()
    file_of(store).write_bytes(whole + b'{"round":0,"step":{"st')

    reopened = store.reopen("run-1")
    reopened.journal.add(events()[7])
    reopened.journal.close()

    assert file_of(store).read_bytes().startswith(whole + b'{"round":0,"step":{"step":0,')
    assert [step.answer for step in store.load("run-1").rounds[0].steps] == ["115", "116", None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"nonsense\n", "damaged in line 5: JSONDecodeError"),
        (b'{"round":7,"step":{}}\n', "damaged in line 5: KeyError"),
        (b"[]\n", "damaged in line 5: TypeError"),
    ],
)
def test_a_damaged_journal_is_refused_with_its_place(store, line, message):
    journalled(store, 5).close()
    with file_of(store).open("ab") as file:
        file.write(line)

    with pytest.raises(StoreError, match=message):
        read_journal(file_of(store))
    assert store.runs() == []


def test_a_newer_journal_is_refused(store):
    journalled(store, 5).close()
    text = file_of(store).read_text()
    file_of(store).write_text(text.replace('{"journal":1', '{"journal":2'))

    with pytest.raises(StoreError, match="written by a newer Partbook"):
        read_journal(file_of(store))


def test_only_the_user_may_read_a_journal(store):
    journalled(store, 5).close()

    assert stat.S_IMODE(file_of(store).stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of(store).parent.stat().st_mode) == 0o700


async def test_a_journal_is_removed_once_its_run_is_in_the_store(store):
    journal = journalled(store, 12)

    async with BatchWriter(store) as writer:
        writer.put(a_trace(), journal=journal)
        assert file_of(store).exists()

    assert not file_of(store).exists()
    assert store.load("run-1") == a_trace()


async def test_while_the_store_is_locked_the_journal_stays(store, place):
    journal = journalled(store, 12)
    writer = BatchWriter(store)

    with locked(place):
        writer.put(a_trace(), journal=journal)
        with pytest.raises(StoreError, match="is locked by another program"):
            await writer.flush()
        assert file_of(store).exists()
    await writer.aclose()

    assert not file_of(store).exists()


def names(store: Store) -> list[str]:
    return sorted(file.name for file in Path(store.journals).glob("*"))


def test_a_file_is_used_by_one_run_after_the_other(store):
    for run_id in ("a", "b", "c"):
        journal = store.journal()
        for event in events(run_id)[:5]:
            journal.add(event)
        assert [row.run_id for row in store.runs()] == [run_id]
        journal.discard()

    assert len(names(store)) == 1
    assert store.runs() == []


def test_runs_at_the_same_time_have_their_own_files(store):
    journals = [store.journal() for _ in range(3)]
    for run_id, journal in zip("abc", journals, strict=True):
        for event in events(run_id)[:5]:
            journal.add(event)

    assert len(names(store)) == 3
    assert sorted(row.run_id for row in store.runs()) == ["a", "b", "c"]
    for journal in journals:
        journal.close()


def test_a_store_that_is_closed_removes_the_files_that_no_run_needs(place):
    with Store.open(place) as store:
        journalled(store, 7).close()
        other = store.journal()
        for event in events("other")[:5]:
            other.add(event)
        other.discard()

    with Store.open(place) as store:
        assert [row.run_id for row in store.runs()] == ["run-1"]
        assert len(names(store)) == 1


def test_a_file_that_a_dead_process_left_empty_is_removed_by_a_resume(store):
    store.save(a_trace("done"))
    folder = Path(store.journals)
    folder.mkdir(parents=True)
    (folder / "left.jsonl").touch()
    (folder / "cut.jsonl").write_text('{"journal":1,"run')

    assert store.reopen("done").journal is None
    assert names(store) == []


def test_of_two_that_take_up_a_stored_run_one_is_refused(store, place):
    journal = journalled(store, 7, [RunFinished("failed", 1.5, "worker", "down")])
    store.save(store.load("run-1"), Tags(setup=SETUP))
    journal.discard()
    first = store.reopen("run-1")

    message = "run run-1 is being played by another process"
    with Store.open(place) as other, pytest.raises(StoreError, match=message):
        other.reopen("run-1")

    first.journal.discard()
    assert file_of(store) == Path("/none")


@contextmanager
def small_files(size_bytes):
    """No file may grow beyond so many bytes, as on a full disk.

    Over before the test is: pytest itself may be writing to a file.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_journal_that_cannot_grow_says_so_and_keeps_what_it_had(store):
    journal = journalled(store, 7)
    whole = file_of(store).read_bytes()

    with small_files(len(whole) + 20):
        with pytest.raises(StoreError, match="cannot be written: File too large; what was"):
            journal.add(events()[7])
        journal.add(RunFinished("failed", 2.0, "setup", "the disk is full"))
    journal.close()

    assert file_of(store).read_bytes() == whole


def test_a_place_where_no_journal_can_be_made_is_refused_before_anything_happens(tmp_path):
    (tmp_path / "runs.db.unfinished").touch()
    journal = Journal(Slots(f"{tmp_path}/runs.db.unfinished"))

    journal.add(events()[0])
    with pytest.raises(StoreError, match="cannot be written: Not a directory"):
        journal.add(events()[1])


FILL_A_SMALL_DISK = """
from partbook.errors import StoreError
from partbook.store import Store
from tests.traces import events
with Store.open(disk + "/runs.db") as store:
    whole = 0
    try:
        while whole < 1000:
            journal = store.journal()
            for event in events(f"run-{whole}")[:-1]:
                journal.add(event)
            journal.close()
            whole += 1
    except StoreError as err:
        print(err)
    answered = [row for row in store.runs() if row.answer == "115"]
    print(whole > 0, whole <= len(answered))
"""


def test_a_full_disk_is_named_and_earlier_journals_stay_readable(tmp_path):
    message, kept = on_a_small_disk(tmp_path, "192k", FILL_A_SMALL_DISK)

    assert "cannot be written: No space left on device" in message
    assert kept == "True True"


def test_the_lock_ends_with_its_process_however_it_ends(store, place):
    code = (
        "import os, sys\n"
        "from partbook.store import Store\nfrom tests.traces import events\n"
        "journal = Store.open(sys.argv[1]).journal()\n"
        "for event in events()[:7]: journal.add(event)\n"
        "print('there', flush=True)\nsys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    other.stdout.readline()

    with pytest.raises(StoreError, match="is being played by another process"):
        store.reopen("run-1")
    os.kill(other.pid, signal.SIGKILL)
    other.communicate()

    reopened = store.reopen("run-1")
    reopened.journal.close()
    assert [step.answer for step in reopened.trace.rounds[0].steps] == [None, "116"]
