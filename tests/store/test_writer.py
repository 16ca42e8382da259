import asyncio
import logging
import threading

import pytest

from partbook.errors import StoreError
from partbook.store import BatchWriter, Store, Tags
from partbook.store.writer import BATCH
from tests.store import elsewhere
from tests.traces import a_trace


@pytest.fixture
def place(any_store):
    return any_store


@pytest.fixture
def store(place):
    with Store.open(place, busy_timeout_s=0.01) as opened:
        yield opened


@pytest.fixture
def locked(place, store):
    """Another program that is in the middle of writing."""
    with elsewhere.locked(place) as other:
        yield other


def kept(place) -> int:
    """The runs that any other program finds in the store."""
    return elsewhere.ask(place, "SELECT count(*) FROM runs")


async def test_what_was_put_is_in_the_file_after_a_flush(store, place):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"))
        writer.put(a_trace("b"))
        await writer.flush()

        assert kept(place) == 2


async def test_what_was_put_is_in_the_file_after_the_block(store):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"), Tags(verdict="right"))

    assert store.load("a") == a_trace("a")
    assert store.runs()[0].verdict == "right"


async def test_what_was_put_is_written_without_a_flush(store, place):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"))
        async with asyncio.timeout(10):
            while kept(place) == 0:  # noqa: ASYNC110 - the file is what is asked, as others would
                await asyncio.sleep(0)

        assert store.load("a") == a_trace("a")


async def test_more_runs_than_a_batch_holds_are_all_written_in_order(store):
    runs = [f"run-{i:04}" for i in range(BATCH * 3 + 7)]

    async with BatchWriter(store) as writer:
        for i, run_id in enumerate(runs):
            writer.put(a_trace(run_id, at=float(i)))

    assert [row.run_id for row in reversed(store.runs())] == runs


async def test_the_last_of_two_runs_with_one_id_is_kept(store):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a", at=1.0))
        writer.put(a_trace("a", at=2.0))

    assert [row.started_at for row in store.runs()] == [2.0]


async def test_a_flush_of_nothing_is_no_error(store, place):
    async with BatchWriter(store) as writer:
        await writer.flush()

    assert kept(place) == 0


async def test_runs_are_written_even_where_the_block_is_left_by_an_error(store, place):
    async def fail() -> None:
        async with BatchWriter(store) as writer:
            writer.put(a_trace("a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert kept(place) == 1


async def test_the_event_loop_goes_on_while_the_thread_waits_for_a_lock(place):
    with Store.open(place, busy_timeout_s=30.0) as store, elsewhere.locked(place) as other:
        async with BatchWriter(store) as writer:
            writer.put(a_trace("a"))
            flushing = asyncio.create_task(writer.flush())
            for _ in range(100):
                await asyncio.sleep(0)

            assert not flushing.done()

            other.rollback()
            await flushing

        assert kept(place) == 1


async def test_a_write_that_fails_is_reported_by_the_flush(store, locked):
    writer = BatchWriter(store)
    writer.put(a_trace("a"))

    with pytest.raises(StoreError, match=r"runs not written: 1; the store .* is locked"):
        await writer.flush()

    locked.rollback()
    await writer.aclose()


async def test_what_could_not_be_written_is_written_by_the_next_flush(store, locked, place):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"))
        with pytest.raises(StoreError):
            await writer.flush()

        locked.rollback()
        writer.put(a_trace("b"))
        await writer.flush()

        assert kept(place) == 2


async def test_a_failure_takes_nothing_that_was_written_before(store, place):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"))
        await writer.flush()
        with elsewhere.locked(place):
            writer.put(a_trace("b"))
            with pytest.raises(StoreError):
                await writer.flush()

            assert kept(place) == 1

    assert kept(place) == 2


async def test_a_failure_is_logged_once_and_so_is_its_end(store, locked, caplog):
    caplog.set_level(logging.INFO, logger="partbook.store.writer")
    async with BatchWriter(store) as writer:
        for run_id in ("a", "b", "c"):
            writer.put(a_trace(run_id))
            with pytest.raises(StoreError):
                await writer.flush()
        locked.rollback()

    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert "is locked by another program" in caplog.messages[0]


async def test_what_could_not_be_written_is_tried_again_though_no_other_run_comes(
    store, locked, place, caplog
):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"))
        async with asyncio.timeout(10):
            while not caplog.records:  # noqa: ASYNC110 - the log is what is asked
                await asyncio.sleep(0)
        locked.rollback()

        async with asyncio.timeout(10):
            while kept(place) == 0:  # noqa: ASYNC110 - the file is what is asked
                await asyncio.sleep(0.05)


async def test_a_bug_while_nobody_waits_is_in_the_log(store, caplog):
    writer = BatchWriter(store)
    writer.put("no trace")
    async with asyncio.timeout(10):
        while not caplog.records:  # noqa: ASYNC110 - the log is what is asked, as a person would
            await asyncio.sleep(0)

    assert caplog.messages == ["runs cannot be written, by a bug"]
    with pytest.raises(AttributeError):
        await writer.aclose()


async def test_closing_reports_what_is_lost(store, locked):
    writer = BatchWriter(store)
    writer.put(a_trace("a"))
    writer.put(a_trace("b"))

    with pytest.raises(StoreError, match="runs not written: 2; "):
        await writer.aclose()


async def test_a_store_that_may_only_be_read_is_reported(tmp_path):
    Store.open(tmp_path / "runs.db").close()
    with Store.open(f"sqlite:///file:{tmp_path}/runs.db?mode=ro&uri=true") as read_only:
        writer = BatchWriter(read_only)
        writer.put(a_trace("a"))

        with pytest.raises(StoreError, match="may only be read"):
            await writer.aclose()


async def test_of_too_many_waiting_runs_the_oldest_are_given_up_and_counted(store, locked):
    async with BatchWriter(store, max_waiting=3) as writer:
        for i in range(5):
            writer.put(a_trace(f"run-{i}", at=float(i)))

        with pytest.raises(StoreError, match="runs given up because too many waited: 2; "):
            await writer.flush()

        locked.rollback()

    assert [row.run_id for row in store.runs()] == ["run-4", "run-3", "run-2"]


async def test_a_closed_writer_takes_nothing_more(store):
    writer = BatchWriter(store)
    await writer.aclose()
    await writer.aclose()

    with pytest.raises(StoreError, match="is closed"):
        writer.put(a_trace("a"))


async def test_closing_ends_the_thread(store):
    async with BatchWriter(store) as writer:
        writer.put(a_trace("a"))
        await writer.flush()
        ours = [t for t in threading.enumerate() if t.name.startswith("partbook-store")]

    for thread in ours:
        thread.join(timeout=10)
    assert [thread.is_alive() for thread in ours] == [False]
