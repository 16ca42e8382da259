import random
from typing import get_args

import pytest

from partbook.errors import FaultKind, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.retry import REACTIONS, Retrying, RetryPolicy

ASK = [Message("user", "q")]


class Faulty:
    """Fails with these errors, one after the other, and then answers."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.calls = 0

    async def chat(self, messages, sampling, on_text=None):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return Completion("a", Usage(1, 1))


def retrying(model, *, retries=2, left_s=float("inf"), policy=None):
    told, waits = [], []

    async def sleep(seconds):
        waits.append(seconds)

    def on_retry(err, attempt, wait_s):
        told.append((err.kind, attempt))

    return (
        Retrying(
            model,
            retries,
            on_retry,
            lambda: left_s,
            policy or RetryPolicy(),
            random.Random(1),
            sleep,
        ),
        told,
        waits,
    )


def busy(**said):
    return WorkerError("busy", kind="server", **said)


def test_every_kind_of_fault_has_its_reaction():
    assert set(REACTIONS) == set(get_args(FaultKind))


async def test_a_fault_that_passes_is_told_and_waited_for():
    model = Faulty(busy(), WorkerError("reset", kind="broken_stream"))
    wrapped, told, waits = retrying(model)

    answer = await wrapped.chat(ASK, Sampling())

    assert answer.text == "a"
    assert told == [("server", 0), ("broken_stream", 1)]
    assert len(waits) == 2


async def test_the_last_try_is_raised_and_not_told():
    model = Faulty(busy(), busy(), WorkerError("the last", kind="server"))
    wrapped, told, _ = retrying(model)

    with pytest.raises(WorkerError, match="the last"):
        await wrapped.chat(ASK, Sampling())

    assert (model.calls, len(told)) == (3, 2)


async def test_a_time_out_is_tried_again_once():
    model = Faulty(*[WorkerError("late", kind="timeout")] * 5)
    wrapped, _, _ = retrying(model, retries=4)

    with pytest.raises(WorkerError):
        await wrapped.chat(ASK, Sampling())

    assert model.calls == 2


@pytest.mark.parametrize("kind", ["auth", "not_found", "refused", "context", "filter", "unknown"])
async def test_what_would_come_again_is_not_tried_again(kind):
    model = Faulty(WorkerError("no", kind=kind))
    wrapped, told, waits = retrying(model)

    with pytest.raises(WorkerError):
        await wrapped.chat(ASK, Sampling())

    assert (model.calls, told, waits) == (1, [], [])


async def test_a_bug_is_not_tried_again():
    model = Faulty(ZeroDivisionError())
    wrapped, _, _ = retrying(model)

    with pytest.raises(ZeroDivisionError):
        await wrapped.chat(ASK, Sampling())

    assert model.calls == 1


async def test_a_wait_beyond_what_is_left_is_not_begun():
    model = Faulty(busy(retry_after_s=5.0))
    wrapped, _, waits = retrying(model, left_s=5.0)

    with pytest.raises(WorkerError):
        await wrapped.chat(ASK, Sampling())

    assert waits == []


@pytest.mark.parametrize(
    ("attempt", "low", "high"), [(0, 0.25, 0.5), (1, 0.5, 1), (6, 15, 30), (999, 15, 30)]
)
def test_waits_double_up_to_the_cap_and_half_of_each_is_drawn(attempt, low, high):
    waits = [
        RetryPolicy().wait_s(busy(), attempt, 1000, random.Random(seed)) for seed in range(200)
    ]

    assert all(wait is not None and low <= wait <= high for wait in waits)
    assert max(waits) - min(waits) > 0.4 * high


def test_the_wait_that_was_asked_for_is_never_cut():
    waits = [
        RetryPolicy().wait_s(busy(retry_after_s=3.0), 0, 1, random.Random(s)) for s in range(50)
    ]

    assert all(wait is not None and 3 <= wait <= 3.5 for wait in waits)
    assert len(set(waits)) > 40


def test_a_wait_that_is_too_long_is_none():
    policy = RetryPolicy(max_retry_after_s=60)

    assert policy.wait_s(busy(retry_after_s=60.1), 0, 5, random.Random(0)) is None
    assert policy.wait_s(busy(retry_after_s=60.0), 0, 5, random.Random(0)) is not None
