import asyncio

import pytest

from partbook.errors import WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.breaker import COOL_DOWN_S, Breaker

ASK = [Message("user", "q")]


class Model:
    """Fails in this way until it is mended."""

    def __init__(self, kind="server"):
        self.kind = kind
        self.calls = 0
        self.gate = None
        self.reached = asyncio.Event()

    async def chat(self, messages, sampling, on_text=None):
        self.calls += 1
        if self.gate is not None:
            self.reached.set()
            await self.gate.wait()
        if self.kind is None:
            return Completion("a", Usage(1, 1))
        raise WorkerError(f"it is {self.kind}", kind=self.kind)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


async def fails(breaker, times=1):
    for _ in range(times):
        with pytest.raises(WorkerError) as caught:
            await breaker.chat(ASK, Sampling())
    return caught.value


async def test_after_failures_in_a_row_the_model_is_not_called():
    model = Model()
    breaker = Breaker(model, failures=3)

    last = await fails(breaker, 3)
    refusal = await fails(breaker)

    assert model.calls == 3
    assert last.kind == "server"
    assert (refusal.kind, refusal.usage) == ("unavailable", Usage())
    assert str(refusal) == "not called, it is left alone for 30 s after: it is server"


async def test_an_answer_between_failures_starts_the_count_again():
    model = Model()
    breaker = Breaker(model, failures=3)

    await fails(breaker, 2)
    model.kind = None
    await breaker.chat(ASK, Sampling())
    model.kind = "server"
    await fails(breaker, 2)

    assert not breaker.is_open


async def test_after_the_cool_down_one_call_decides():
    model, clock = Model(), Clock()
    breaker = Breaker(model, failures=1, clock=clock)
    await fails(breaker)

    clock.now = COOL_DOWN_S
    await fails(breaker)
    assert (breaker.is_open, model.calls) == (True, 2)
    clock.now = 2 * COOL_DOWN_S
    model.kind = None
    answer = await breaker.chat(ASK, Sampling())

    assert (answer.text, breaker.is_open) == ("a", False)


async def test_while_one_call_tries_the_others_are_refused():
    model, clock = Model(), Clock()
    breaker = Breaker(model, failures=1, clock=clock)
    await fails(breaker)
    clock.now = COOL_DOWN_S
    model.kind, model.gate = None, asyncio.Event()

    trial = asyncio.create_task(breaker.chat(ASK, Sampling()))
    await model.reached.wait()
    refusal = await fails(breaker)
    model.gate.set()

    assert refusal.kind == "unavailable"
    assert (await trial).text == "a"


async def test_a_cancelled_trial_decides_nothing():
    model, clock = Model(), Clock()
    breaker = Breaker(model, failures=1, clock=clock)
    await fails(breaker)
    clock.now = COOL_DOWN_S
    model.kind, model.gate = None, asyncio.Event()
    trial = asyncio.create_task(breaker.chat(ASK, Sampling()))
    await model.reached.wait()

    trial.cancel()
    await asyncio.wait([trial])
    model.gate.set()

    assert (await breaker.chat(ASK, Sampling())).text == "a"


@pytest.mark.parametrize("kind", ["refused", "context", "filter", "rate_limit", "quota", "unknown"])
async def test_faults_of_the_call_do_not_count(kind):
    model = Model(kind)
    breaker = Breaker(model, failures=2)

    await fails(breaker, 5)

    assert model.calls == 5


@pytest.mark.parametrize("kind", ["auth", "not_found"])
async def test_what_will_not_mend_itself_opens_it_at_once(kind):
    model = Model(kind)
    breaker = Breaker(model)

    await fails(breaker, 2)

    assert (model.calls, breaker.is_open) == (1, True)


async def test_a_trial_that_is_refused_for_its_own_sake_shows_that_the_worker_is_there():
    model, clock = Model(), Clock()
    breaker = Breaker(model, failures=1, clock=clock)
    await fails(breaker)
    clock.now = COOL_DOWN_S
    model.kind = "refused"

    await fails(breaker)

    assert not breaker.is_open
