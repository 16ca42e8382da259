import asyncio
import json
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.conduct import Fixed, conduct
from partbook.errors import WorkerError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.cached import Cached, CompletionCache, completions_dir
from partbook.price import Price
from tests.fakes import Echo, Failing, Gate, Scripted, pool_of

ASK = [Message("system", "Be brief."), Message("user", "q")]
WHO = {"kind": "http", "endpoint": "http://far/v1", "model": "m"}


@pytest.fixture
def cache(tmp_path):
    return CompletionCache(tmp_path / "completions")


async def test_the_same_call_is_made_once_and_its_second_answer_takes_nothing(cache):
    model = Echo("a")
    cached = Cached(model, cache, WHO)

    first = await cached.chat(ASK, Sampling())
    second = await cached.chat(ASK, Sampling())

    assert first == Completion("a(q)", Usage(10, 5), "a")
    assert second == Completion("a(q)", Usage(), "a", cached=True)
    assert len(model.heard) == 1


async def test_an_answer_outlives_the_process_that_asked(cache):
    await Cached(Echo("a"), cache, WHO).chat(ASK, Sampling())

    again = await Cached(Failing(), CompletionCache(cache.folder), WHO).chat(ASK, Sampling())

    assert again.text == "a(q)"


@pytest.mark.parametrize(
    ("who", "ask", "sampling"),
    [
        ({"model": "other"}, ASK, Sampling()),
        ({"endpoint": "http://near/v1"}, ASK, Sampling()),
        ({}, ASK[1:], Sampling()),
        ({}, [Message("user", "Be brief."), ASK[1]], Sampling()),
        ({}, ASK, Sampling(max_tokens=5)),
        ({}, ASK, Sampling(temperature=0.0)),
        ({}, ASK, Sampling(seed=0)),
        ({}, ASK, Sampling(stop=("x",))),
        ({}, ASK, Sampling(grammar="root ::= [a-z]")),
        ({}, ASK, Sampling(reasoning_effort="low")),
        ({}, ASK, Sampling(top_p=0.5)),
    ],
)
async def test_a_call_that_differs_in_anything_is_another_call(cache, who, ask, sampling):
    await Cached(Echo("a"), cache, WHO).chat(ASK, Sampling())
    model = Echo("b")

    await Cached(model, cache, WHO | who).chat(ask, sampling)

    assert len(model.heard) == 1


async def test_only_whole_answers_are_kept(cache):
    for finish in ("length", "filter", "error"):
        model = _Ending(Completion("cut", Usage(1, 1), "m", finish))
        cached = Cached(model, cache, WHO)
        await cached.chat(ASK, Sampling())
        await cached.chat(ASK, Sampling())
        assert model.asked == 2


async def test_a_blank_answer_is_not_kept(cache):
    model = _Ending(Completion(" ", Usage(1, 1), "m"))

    for _ in range(2):
        await Cached(model, cache, WHO).chat(ASK, Sampling())

    assert model.asked == 2


async def test_a_failure_is_not_kept(cache):
    with pytest.raises(WorkerError):
        await Cached(Failing(), cache, WHO).chat(ASK, Sampling())

    assert (await Cached(Echo("a"), cache, WHO).chat(ASK, Sampling())).text == "a(q)"


async def test_the_same_call_at_the_same_time_is_made_once(cache):
    gate = Gate()
    cached = Cached(gate, cache, WHO)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(cached.chat(ASK, Sampling())) for _ in range(5)]
        await gate.reached.wait()
        gate.opened.set()

    assert gate.waiting == 1
    assert [task.result().cached for task in tasks] == [False, True, True, True, True]


async def test_where_the_first_of_two_gives_up_the_second_asks(cache):
    gate = Gate()
    cached = Cached(gate, cache, WHO)
    first = asyncio.create_task(cached.chat(ASK, Sampling()))
    await gate.reached.wait()
    second = asyncio.create_task(cached.chat(ASK, Sampling()))

    first.cancel()
    gate.opened.set()

    assert (await second).text == "through"
    assert gate.waiting == 2


async def test_a_kept_answer_is_streamed_in_one_piece(cache):
    cached = Cached(Scripted(["two words"]), cache, WHO)
    await cached.chat(ASK, Sampling())
    pieces: list[str] = []

    await cached.chat(ASK, Sampling(), pieces.append)

    assert pieces == ["two words"]


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b'{"text":1}', b'{"text":"a","usage":[1]}', b"\xff" * 9, b"[" * 100_000],
)
async def test_a_damaged_file_is_no_answer_and_is_replaced(cache, damage):
    cached = Cached(Echo("a"), cache, WHO)
    await cached.chat(ASK, Sampling())
    (file,) = cache.folder.rglob("*.json")
    file.write_bytes(damage)

    again = await cached.chat(ASK, Sampling())
    third = await cached.chat(ASK, Sampling())

    assert (again.cached, third.cached) == (False, True)


async def test_a_cache_that_cannot_be_written_keeps_nobody_from_an_answer(tmp_path, caplog):
    (tmp_path / "completions").touch()
    cached = Cached(Echo("a"), CompletionCache(tmp_path / "completions"), WHO)

    assert (await cached.chat(ASK, Sampling())).text == "a(q)"
    assert "an answer cannot be kept" in caplog.text


async def test_a_file_holds_what_came_back_and_nothing_of_what_was_said(cache):
    await Cached(Echo("a"), cache, WHO).chat([Message("user", "secret")], Sampling())
    (file,) = cache.folder.rglob("*.json")

    kept = json.loads(file.read_text())

    assert set(kept) == {"text", "usage", "model", "finish_reason", "cached"}
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.name == file.name[:2]


async def test_a_run_marks_kept_answers_which_cost_nothing_and_count_as_no_call(cache):
    price = Price(Decimal(1), Decimal(10))
    echo = Echo("a")
    pool = pool_of(Cached(echo, cache, WHO), price=price)
    single = Fixed(FixedWorkflow("single", "", (FixedStep("w0", "go"),)))
    first = await conduct("q", pool, single)

    again = await conduct("q", pool, single, limits=Limits(usd=Decimal("0.1"), calls=1))
    step = again.rounds[0].steps[0]

    assert (first.calls, first.rounds[0].steps[0].cached) == (1, False)
    assert (again.answer, step.cached, again.calls) == (first.answer, True, 0)
    assert (again.cost_usd, again.usage) == (0, Usage())
    assert replace(step, cached=False) != step


def test_kept_answers_are_in_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PARTBOOK_CACHE", str(tmp_path))

    assert completions_dir() == tmp_path / "completions"


class _Ending:
    """Always ends in the same way."""

    def __init__(self, completion: Completion) -> None:
        self.completion = completion
        self.asked = 0

    async def chat(self, messages, sampling, on_text=None) -> Completion:
        self.asked += 1
        return self.completion
