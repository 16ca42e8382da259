import asyncio
import logging
import threading
from dataclasses import replace

import pytest

from partbook.budget import Limits
from partbook.errors import WorkerError
from partbook.message import Completion, Usage
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.reward import Tariff
from partbook.train.environment import Environment, lab_environment
from partbook.train.playing_loop import playing_loop
from tests.fakes import Failing
from tests.train.lab_case import RIGHT, ROW, WRONG

ONE = 'model_id = [0]\nsubtasks = ["x"]\naccess_list = [[]]'


class Asleep:
    """Answers when it is told to; counts those who wait."""

    def __init__(self, expected):
        self.waiting, self.expected, self.all_here = 0, expected, asyncio.Event()

    async def chat(self, messages, sampling, on_text=None):
        self.waiting += 1
        if self.waiting == self.expected:
            self.all_here.set()
        await self.all_here.wait()
        return Completion("done", Usage(1, 1), "asleep")


class Stubborn:
    """Does not let itself be cancelled."""

    def __init__(self):
        self.end = asyncio.Event()

    async def chat(self, messages, sampling, on_text=None):
        while not self.end.is_set():
            try:
                await self.end.wait()
            except asyncio.CancelledError:
                continue
        raise WorkerError("too late")


def environment(model, judge=None, timeout_s=None, calls=None, grace_s=1.0, loop=None):
    pool = AgentPool("p", (Worker(WorkerSpec("w", "lab", price=FREE), model),))

    async def yes(row, answer):
        return True

    limits = Limits(timeout_s=timeout_s, calls=calls)
    return Environment(lambda row: pool, judge or yes, limits, grace_s, loop)


async def test_a_rollout_is_parsed_played_and_judged():
    outcomes = await lab_environment().score([ROW] * 3, [RIGHT, WRONG, "no lists"])

    assert [(one.reward, one.verdict) for one in outcomes] == [
        (1.0, "right"),
        (0.5, "wrong"),
        (0.0, "unparsed"),
    ]
    assert [one.valid for one in outcomes] == [True, True, False]
    assert outcomes[0].trace.answer.endswith("Answer: 5")


async def test_the_policy_is_asked_once_and_its_text_is_in_the_trace():
    (outcome,) = await lab_environment().score([ROW], ["no lists"])

    (proposal,) = outcome.trace.rounds[0].proposals
    assert proposal.text == "no lists"
    assert outcome.trace.calls == 1


async def test_a_right_answer_pays_its_price_and_a_wrong_one_does_not():
    priced = replace(lab_environment(), tariff=Tariff(0.4, full_usd=1e-9))

    outcomes = await priced.score([ROW] * 2, [RIGHT, WRONG])

    assert [(one.reward, one.verdict) for one in outcomes] == [(0.6, "right"), (0.5, "wrong")]


async def test_a_worker_that_is_down_is_no_reward_of_zero():
    (outcome,) = await environment(Failing()).score([ROW], [ONE])

    assert (outcome.reward, outcome.verdict, outcome.valid) == (None, "worker", True)


async def test_a_limit_is_no_reward_of_zero():
    (outcome,) = await environment(Failing(), calls=0).score([ROW], [ONE])

    assert (outcome.reward, outcome.verdict) == (None, "calls")


async def test_all_rollouts_are_in_flight_at_once():
    model = Asleep(expected=50)

    outcomes = await environment(model, timeout_s=5.0).score([ROW] * 50, [ONE] * 50)

    assert [one.reward for one in outcomes] == [1.0] * 50


async def test_a_rollout_ends_at_its_deadline():
    (outcome,) = await environment(Asleep(expected=2), timeout_s=0.05).score([ROW], [ONE])

    assert (outcome.reward, outcome.verdict) == (None, "timeout")


async def test_a_worker_that_cannot_be_cancelled_does_not_hold_up_the_others():
    model = Stubborn()
    patient = environment(model, timeout_s=0.05, grace_s=0.1)

    outcomes = await patient.score([ROW, ROW], [ONE, "no lists"])

    assert [one.verdict for one in outcomes] == ["timeout", "unparsed"]
    model.end.set()


async def test_a_judge_that_raises_costs_its_rollout_and_no_other(caplog):
    async def judge(row, answer):
        raise ZeroDivisionError("a bug")

    with caplog.at_level(logging.ERROR):
        outcomes = await environment(Asleep(1), judge).score([ROW, ROW], [ONE, "no lists"])

    assert [(one.reward, one.verdict) for one in outcomes] == [(None, "bug"), (0.0, "unparsed")]
    assert "ZeroDivisionError" in caplog.text


async def test_a_judge_that_cannot_say_gives_no_reward():
    async def judge(row, answer):
        return None

    (outcome,) = await environment(Asleep(1), judge).score([ROW], [ONE])

    assert (outcome.reward, outcome.verdict) == (None, "not judged")


async def test_rows_and_texts_must_match():
    with pytest.raises(ValueError, match="1 rows and 0 texts"):
        await lab_environment().score([ROW], [])


async def test_nothing_to_score_is_no_mistake():
    assert await lab_environment().score([], []) == []


async def test_rollouts_are_played_in_the_loop_of_the_environment():
    async def judge(row, answer):
        return asyncio.get_running_loop() is playing.loop

    with playing_loop() as playing:
        outcomes = await environment(Asleep(1), judge, loop=playing.loop).score([ROW], [ONE])

    assert [one.verdict for one in outcomes] == ["right"]


async def test_a_judge_that_blocks_its_loop_costs_rewards_and_not_the_run():
    free = threading.Event()

    async def judge(row, answer):
        return free.wait(30)

    with playing_loop() as playing:
        hindered = environment(Asleep(1), judge, 0.05, grace_s=0.05, loop=playing.loop)
        outcomes = await hindered.score([ROW, ROW], [ONE, "no lists"])
        free.set()

    assert [(one.reward, one.verdict) for one in outcomes] == [(None, "blocked")] * 2


async def test_rows_and_texts_must_match_in_another_loop_too():
    with playing_loop() as playing, pytest.raises(ValueError, match="do not match"):
        await lab_environment(loop=playing.loop).score([ROW], [])
