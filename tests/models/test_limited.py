import asyncio

import pytest

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.limited import Limited

ASK = [Message("user", "q")]


class Held:
    """Answers when it is told to, and counts the calls in flight."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.in_flight = 0
        self.peak = 0
        self.calls = 0
        self.full = asyncio.Event()

    async def chat(self, messages, sampling, on_text=None):
        self.calls += 1
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        if self.in_flight == 2:
            self.full.set()
        try:
            await self.gate.wait()
        finally:
            self.in_flight -= 1
        if on_text is not None:
            on_text("a")
        return Completion("a", Usage(1, 1))


async def test_no_more_calls_are_in_flight_than_allowed():
    model = Held()
    limited = Limited(model, 2)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(limited.chat(ASK, Sampling())) for _ in range(7)]
        await model.full.wait()
        model.gate.set()

    assert model.peak == 2
    assert [task.result().text for task in tasks] == ["a"] * 7


async def test_a_cancelled_call_gives_its_turn_back():
    model = Held()
    limited = Limited(model, 2)
    both = [asyncio.create_task(limited.chat(ASK, Sampling())) for _ in range(2)]
    await model.full.wait()

    for task in both:
        task.cancel()
    await asyncio.wait(both)
    model.gate.set()

    assert (await limited.chat(ASK, Sampling())).text == "a"
    assert model.calls == 3


async def test_a_call_cancelled_while_it_waits_never_reaches_the_model():
    model = Held()
    limited = Limited(model, 2)
    both = [asyncio.create_task(limited.chat(ASK, Sampling())) for _ in range(2)]
    await model.full.wait()
    third = asyncio.create_task(limited.chat(ASK, Sampling()))
    await asyncio.wait([third], timeout=0)

    third.cancel()
    await asyncio.wait([third])
    model.gate.set()
    await asyncio.wait(both)

    assert model.calls == 2


async def test_a_failed_call_gives_its_turn_back():
    class Failing:
        async def chat(self, messages, sampling, on_text=None):
            raise WorkerError("no")

    limited = Limited(Failing(), 1)

    for _ in range(2):
        with pytest.raises(WorkerError):
            await asyncio.wait_for(limited.chat(ASK, Sampling()), 5)


async def test_pieces_of_text_pass_through():
    model = Held()
    model.gate.set()
    heard = []

    await Limited(model, 1).chat(ASK, Sampling(), heard.append)

    assert heard == ["a"]


def test_a_limit_below_one_is_refused():
    with pytest.raises(ConfigError, match="at least 1, not 0"):
        Limited(Held(), 0)
