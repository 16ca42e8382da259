import asyncio
import time

import pytest

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.paced import Paced

ASK = [Message("user", "q")]
WINDOW_S = 0.1


class Timed:
    """Notes when it was called, and answers or fails."""

    def __init__(self, usage=None, error=None):
        self.usage = usage or Usage(1, 1)
        self.error = error
        self.at: list[float] = []
        self.heard: list[str] = []

    async def chat(self, messages, sampling, on_text=None):
        self.at.append(time.monotonic())
        self.heard.append(messages[-1].text)
        if self.error is not None:
            raise self.error
        return Completion("a", self.usage)

    def most_in_a_window(self):
        return max(sum(start <= other < start + WINDOW_S for other in self.at) for start in self.at)


async def chats(paced, count, max_tokens=1):
    async with asyncio.TaskGroup() as group:
        for i in range(count):
            ask = [Message("user", str(i))]
            group.create_task(paced.chat(ask, Sampling(max_tokens=max_tokens)))


async def test_no_window_has_more_calls_than_allowed_and_all_are_made_in_order():
    model = Timed()

    async with asyncio.timeout(10):
        await chats(Paced(model, requests=4, window_s=WINDOW_S), 10)

    assert model.most_in_a_window() == 4
    assert model.heard == [str(i) for i in range(10)]


async def test_no_window_has_more_tokens_than_allowed():
    model = Timed(Usage(50, 50))

    async with asyncio.timeout(10):
        await chats(Paced(model, tokens=300, window_s=WINDOW_S), 8, max_tokens=100)

    assert model.most_in_a_window() == 3


async def test_what_a_call_did_not_take_is_free_for_the_next_at_once():
    model = Timed(Usage(5, 5))

    async with asyncio.timeout(10):
        await chats(Paced(model, tokens=1000, window_s=3600), 9, max_tokens=900)

    assert len(model.at) == 9


async def test_a_call_that_is_larger_than_the_limit_goes_alone():
    model = Timed(Usage(10, 10))
    paced = Paced(model, tokens=15, window_s=WINDOW_S)

    async with asyncio.timeout(10):
        await chats(paced, 2, max_tokens=100)

    assert model.most_in_a_window() == 1


async def test_a_failed_call_counts_and_gives_its_tokens_back():
    model = Timed(error=WorkerError("no", usage=Usage()))
    paced = Paced(model, tokens=1000, window_s=3600)

    async with asyncio.timeout(10):
        for _ in range(3):
            with pytest.raises(WorkerError):
                await paced.chat(ASK, Sampling(max_tokens=900))

    assert len(model.at) == 3


async def test_a_call_that_is_cancelled_while_it_waits_leaves_its_place():
    model = Timed()
    paced = Paced(model, requests=1, window_s=WINDOW_S)
    await paced.chat(ASK, Sampling())
    waiting = asyncio.create_task(paced.chat([Message("user", "first")], Sampling()))
    behind = asyncio.create_task(paced.chat([Message("user", "second")], Sampling()))
    await asyncio.wait([waiting], timeout=0)

    waiting.cancel()
    async with asyncio.timeout(10):
        await behind

    assert model.heard == ["q", "second"]
