import asyncio
import os
import signal
import threading
import time

import pytest

from partbook.tasks.judges.killable import Answered, Killable, Spent, Unavailable

MODULE = "tests.tasks.judges.odd_jobs"


@pytest.fixture
def checkers():
    pool = Killable(MODULE, processes=2, wall_s=30)
    yield pool
    pool.close()


@pytest.mark.parametrize("question", ["hello", 3, [1, {"a": None}], "print"])
async def test_an_answer_comes_back_as_it_was_given(checkers, question):
    reply = await checkers.ask(question)

    assert reply == Answered(question)


async def test_a_question_that_uses_up_its_time_is_spent_and_the_next_one_is_answered(checkers):
    reply = await checkers.ask("spin")
    next_reply = await checkers.ask("hello")

    assert reply == Spent("the check took more than 2 s of processor time", ("heard",))
    assert next_reply == Answered("hello")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("eat", "the check needs too much memory"),
        ("dig", "the check is nested too deep"),
        ("raise", "the check broke the checker; its exit status was 1"),
        ("die", "the check broke the checker; its exit status was 7"),
    ],
)
async def test_a_question_that_breaks_its_checker_is_spent(checkers, question, reason):
    reply = await checkers.ask(question)

    assert reply == Spent(reason, ("heard",))
    assert await checkers.ask("hello") == Answered("hello")


async def test_a_checker_that_only_waits_is_not_the_questions_fault():
    checkers = Killable(MODULE, processes=1, wall_s=0.2)

    reply = await checkers.ask("sleep")

    assert reply == Unavailable("the machine was too busy to finish the check in 0 s")
    checkers.close()


async def test_checks_that_hang_for_ever_leave_every_checker_free_afterwards():
    checkers = Killable(MODULE, processes=4, wall_s=1.5)

    hung = await asyncio.gather(*(checkers.ask("sleep") for _ in range(4)))
    after = await asyncio.gather(*(checkers.ask(number) for number in range(4)))

    assert all(isinstance(reply, Unavailable) for reply in hung)
    assert after == [Answered(number) for number in range(4)]
    checkers.close()


async def test_a_module_that_does_not_start_is_no_opinion():
    checkers = Killable("tests.tasks.judges.no_such_module", processes=1)

    reply = await checkers.ask("hello")

    assert isinstance(reply, Unavailable)
    assert "did not start" in reply.reason
    checkers.close()


async def test_a_checker_sees_no_keys_and_cannot_write_files(checkers, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "secret")

    environment = await checkers.ask("environment")
    written = await checkers.ask("write")

    assert isinstance(environment, Answered)
    assert "SOME_API_KEY" not in environment.value
    assert written == Answered("refused")


async def test_a_checker_is_replaced_after_its_share_of_questions():
    checkers = Killable(MODULE, processes=1, recycle_after=3)

    pids = [(await checkers.ask("pid")).value for _ in range(6)]

    assert pids[0] == pids[1] == pids[2] != pids[3] == pids[4] == pids[5]
    checkers.close()


def test_many_threads_with_their_own_event_loops_share_the_checkers(checkers):
    replies = []

    def run(i):
        replies.append(asyncio.run(checkers.ask(i)))

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(reply.value for reply in replies) == list(range(8))


async def test_no_more_checkers_run_than_were_asked_for(checkers):
    replies = await asyncio.gather(*(checkers.ask("pid") for _ in range(20)))

    assert len({reply.value for reply in replies}) <= 2


async def test_closing_leaves_no_process_behind(checkers):
    pid = (await checkers.ask("pid")).value
    checkers.close()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def at_work(file):
    """Wait until a checker has made the file, without giving the time up."""
    until = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < until


async def test_closing_ends_a_checker_that_is_at_work(tmp_path):
    checkers = Killable(MODULE, processes=1, wall_s=60)
    task = asyncio.create_task(checkers.ask(f"touch {tmp_path / 'begun'}"))
    await asyncio.to_thread(at_work, tmp_path / "begun")
    start = time.monotonic()

    checkers.close()

    assert await task == Unavailable("a checker was killed from outside")
    assert time.monotonic() - start < 10


async def test_a_cancelled_question_ends_its_checker_and_the_next_one_is_answered(tmp_path):
    checkers = Killable(MODULE, processes=1, wall_s=60)
    task = asyncio.create_task(checkers.ask(f"touch {tmp_path / 'begun'}"))
    await asyncio.to_thread(at_work, tmp_path / "begun")
    start = time.monotonic()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert await checkers.ask("hello") == Answered("hello")
    assert time.monotonic() - start < 30
    checkers.close()


async def test_a_checker_that_died_while_it_was_idle_is_replaced(checkers):
    pid = (await checkers.ask("pid")).value
    os.kill(pid, signal.SIGKILL)

    replies = [await checkers.ask("hello") for _ in range(2)]

    assert replies[-1] == Answered("hello")


def test_a_forked_process_starts_its_own_checkers(checkers):
    asyncio.run(checkers.ask("hello"))
    read, write = os.pipe()

    child = os.fork()
    if child == 0:
        reply = asyncio.run(checkers.ask("forked"))
        os.write(write, b"right" if reply == Answered("forked") else b"wrong")
        os._exit(0)
    os.waitpid(child, 0)

    assert os.read(read, 10) == b"right"
    os.close(read)
    os.close(write)
