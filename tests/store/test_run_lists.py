"""Lists of runs part by part, in brief, and the traces of some. On each kind of database."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import StoreError
from partbook.store import Store, Tags
from partbook.store.listing import Place, RunFilter, row_of_trace
from partbook.store.run_lists import (
    BriefRun,
    brief_runs,
    list_part,
    open_traces,
    traces_of,
    whole_run,
)
from partbook.trace import Trace
from tests.traces import a_trace, events


@pytest.fixture
def store(any_store):
    with Store.open(any_store) as opened:
        yield opened


def ids(part) -> list[str]:
    return [row.run_id for row in part.rows]


def test_parts_of_a_list_are_the_whole_list_in_order(store):
    store.save_many([a_trace(f"run-{i}", 100.0 + i // 2) for i in range(5)])

    found, after = [], None
    while True:
        part = list_part(store, RunFilter(), 2, after)
        found.append(ids(part))
        after = part.next
        if after is None:
            break

    assert found == [["run-4", "run-3"], ["run-2", "run-1"], ["run-0"]]
    assert part.total == 5


def test_a_run_that_is_given_counts_in_place_of_the_one_in_the_store(store):
    store.save_many([a_trace("run-1", 100.0), a_trace("run-2", 200.0)])
    other = row_of_trace(Trace("run-1", "q", "p", (), 300.0, 1.0, "failed"))

    part = list_part(store, RunFilter(), 9, None, [(other, ())])
    failed = list_part(store, RunFilter(status="failed"), 9, None, [(other, ())])
    answered = list_part(store, RunFilter(status="answered"), 9, None, [(other, ())])

    assert (ids(part), part.total) == (["run-1", "run-2"], 2)
    assert ids(failed) == ["run-1"]
    assert ids(answered) == ["run-2"]


def test_a_run_with_a_journal_alone_stands_in_the_list(store):
    journal = store.journal()
    for event in events("run-9", 900.0)[:5]:
        journal.add(event)
    store.save(a_trace("run-1", 100.0))

    part = list_part(store, RunFilter(), 9)
    assert [(row.run_id, row.status) for row in part.rows] == [
        ("run-9", "running"),
        ("run-1", "answered"),
    ]
    assert [trace.run_id for trace in open_traces(store)] == ["run-9"]


def test_one_run_is_found_by_its_whole_id_with_what_it_was_marked_with(store):
    journal = store.journal()
    for event in events("run-9", 900.0)[:5]:
        journal.add(event)
    kept = a_trace("run-1", 100.0)
    store.save(kept, Tags("sums", "exam one", "right"))

    trace, row = whole_run(store, "run-1")
    begun, open_row = whole_run(store, "run-9")

    assert trace == kept
    assert [row] == list_part(store, RunFilter(status="answered"), 9).rows
    assert (row.task, row.label, row.verdict) == ("sums", "exam one", "right")
    assert (begun.run_id, open_row.status) == ("run-9", "running")
    assert whole_run(store, "run-") is None
    assert whole_run(store, "run-\0") is None


def test_filters_find_the_same_in_the_store_as_beside_it(store):
    tags = Tags("sums", "exam one", "right")
    trace = a_trace("run-1", 100.0)
    store.save(trace, tags)
    [stored] = list_part(store, RunFilter(), 1).rows
    workers = ("coder", "thinker", "checker")

    filters = [
        RunFilter(text="DIGITS"),
        RunFilter(text="nothing"),
        RunFilter(text="\0"),
        RunFilter(worker="coder"),
        RunFilter(worker="code"),
        RunFilter(status="answered"),
        RunFilter(task="sums"),
        RunFilter(task="sum"),
        RunFilter(verdict="wrong"),
        RunFilter(label="exam"),
        RunFilter(label="two"),
        RunFilter(min_usd=Decimal("0.001")),
        RunFilter(min_usd=Decimal("0.0011")),
        RunFilter(max_usd=Decimal("0.001")),
        RunFilter(max_usd=Decimal("0.0009")),
        RunFilter(since=100.0),
        RunFilter(until=100.0),
    ]
    for which in filters:
        part = list_part(store, which, 1)
        assert bool(part.rows) == which.fits(stored, workers) == (part.total == 1), which


def test_runs_in_brief_and_their_traces(store):
    store.save(a_trace("run-1", 100.0), Tags("sums"))
    store.save(a_trace("run-2", 200.0))

    assert brief_runs(store, 150.0) == [BriefRun("run-2", 200.0, 2.5, 4, None)]
    assert len(brief_runs(store, 100.0)) == 2
    assert list(traces_of(store, ["run-1", "nobody"])) == [a_trace("run-1", 100.0)]
    assert list(traces_of(store, [])) == []


@given(st.floats(allow_nan=False, allow_infinity=False), st.text("0123456789abcdef-_"))
def test_a_place_is_read_as_it_was_written(at, run_id):
    assert Place.of(str(Place(at, run_id))) == Place(at, run_id)


@pytest.mark.parametrize("text", ["", "yesterday", "_a", "nan_a", "inf_a"])
def test_anything_else_is_no_place(text):
    with pytest.raises(StoreError, match="a place in the list"):
        Place.of(text)
