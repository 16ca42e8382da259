"""The simulator beside the executor: the same requests end at the same moments, to the microsecond.

The executor really plays them, with its own limits, in an event loop whose clock jumps; nothing
of the machine is in its times, so that any difference is a difference of rules.
"""

import asyncio
import random
from dataclasses import dataclass

import pytest

from partbook.budget import Budget
from partbook.errors import WorkerError
from partbook.execute import play
from partbook.message import Completion, Sampling, Usage
from partbook.models.breaker import Breaker
from partbook.models.limited import Limited
from partbook.models.paced import Paced
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.simulate.figures import Assumed, Mix, Plan, PlannedRound, PlannedStep, WorkerFigures
from partbook.simulate.playing import Player
from partbook.simulate.serving import Stage
from partbook.simulate.world import World
from partbook.stage import Stage as Playing
from partbook.workflow import Step, Workflow
from tests.simulate.virtual_time import run

SECONDS = (0.7, 1.9, 3.1)
USAGE = Usage(0, 100)
MOST = 200
"""Tokens of an answer; what the few words of a prompt add to it changes nothing below."""


@dataclass
class Slow:
    """Answers after the same time; or fails after it, in a way that does not pass."""

    seconds: float
    fails: bool = False

    async def chat(self, messages, sampling, on_text=None):
        await asyncio.sleep(self.seconds)
        if self.fails:
            raise WorkerError("no", usage=Usage(), kind="server")
        return Completion("yes", USAGE, "slow")


def some_workflow(rng: random.Random) -> Workflow:
    steps = []
    for i in range(rng.randint(1, 5)):
        access = tuple(j for j in range(i) if rng.random() < 0.5)
        steps.append(Step(rng.randrange(3), "do", access))
    return Workflow(tuple(steps))


def plan_of(workflow: Workflow) -> Plan:
    steps = tuple(PlannedStep(f"w{s.worker}", s.access) for s in workflow.steps)
    return Plan((PlannedRound(0, steps),))


def really(workflows, moments, turns, requests=None, tokens=None, failing=None, fallbacks=()):
    """Seconds of each request as the executor plays it; None where it failed."""

    async def all_of_them() -> list[float | None]:
        clock = asyncio.get_running_loop().time
        workers = []
        for i, seconds in enumerate(SECONDS):
            model = Slow(seconds, fails=i == failing)
            paced = Paced(model, requests=requests, tokens=tokens, clock=clock)
            limited = Limited(Breaker(paced, clock=clock), turns)
            spec = WorkerSpec(
                f"w{i}",
                "http",
                sampling=Sampling(MOST),
                price=FREE,
                retries=0,
                fallbacks=fallbacks if i == failing else (),
            )
            workers.append(Worker(spec, limited))
        pool = AgentPool("p", tuple(workers))

        async def one(workflow: Workflow, at_s: float) -> float | None:
            await asyncio.sleep(at_s)
            begun = clock()
            stage = Playing("q", pool, Budget(), lambda event: None, clock)
            try:
                await play(workflow, stage)
            except WorkerError:
                return None
            return clock() - begun

        pairs = zip(workflows, moments, strict=True)
        return await asyncio.gather(*(one(*pair) for pair in pairs))

    return run(all_of_them())


def simulated(workflows, moments, turns, requests=None, tokens=None, failing=None, fallbacks=()):
    workers = {
        f"w{i}": WorkerFigures(
            f"w{i}",
            Assumed(seconds, seconds, USAGE, "stated"),
            FREE,
            turns,
            requests,
            tokens,
            MOST,
            retries=0,
            faults={"server": 1.0} if i == failing else {},
            fallbacks=fallbacks if i == failing else (),
        )
        for i, seconds in enumerate(SECONDS)
    }
    plans = [plan_of(workflow) for workflow in workflows]
    stage = Stage(workers, Mix(plans, [1.0] * len(plans), "stated"))
    world, rng = World(), random.Random(0)
    player = Player(world, stage.room(world, rng), rng, None)
    found = []
    for plan, at_s in zip(plans, moments, strict=True):
        world.at(at_s, lambda plan=plan: found.append(player.begin(plan)[0]))
    world.run()
    return [played.seconds if played.status == "answered" else None for played in found]


def ends(moments, seconds):
    """When requests end, sorted."""
    return sorted(at_s + taken_s for at_s, taken_s in zip(moments, seconds, strict=True))


@pytest.mark.parametrize("turns", [1, 2, 40])
@pytest.mark.parametrize("seed", range(3))
def test_requests_that_wait_for_turns_end_when_the_executors_do(turns, seed):
    rng = random.Random(seed)
    workflows = [some_workflow(rng) for _ in range(40)]
    moments = sorted(rng.uniform(0, 60) for _ in range(40))

    found = simulated(workflows, moments, turns)

    assert found == pytest.approx(really(workflows, moments, turns), abs=1e-6)


@pytest.mark.parametrize("limits", [{"requests": 9}, {"tokens": 2099}])
@pytest.mark.parametrize("seed", range(3))
def test_requests_that_wait_for_the_minute_end_when_the_executors_do(limits, seed):
    rng = random.Random(seed)
    workflows = [some_workflow(rng) for _ in range(30)]
    moments = sorted(rng.uniform(0, 40) for _ in range(30))

    found = simulated(workflows, moments, 3, **limits)

    expected = really(workflows, moments, 3, **limits)
    # Of calls that come at the same moment, either may be the first.
    assert ends(moments, found) == pytest.approx(ends(moments, expected), abs=1e-6)
    assert max(found) > 2 * max(simulated(workflows, moments, 3))


@pytest.mark.parametrize("fallbacks", [(), ("w2",)])
def test_a_worker_that_is_down_is_left_alone_and_its_fallback_asked_as_the_executor_does(fallbacks):
    rng = random.Random(3)
    workflows = [some_workflow(rng) for _ in range(40)]
    moments = sorted(rng.uniform(0, 120) for _ in range(40))

    found = simulated(workflows, moments, 2, failing=1, fallbacks=fallbacks)

    expected = really(workflows, moments, 2, failing=1, fallbacks=fallbacks)
    assert [one is None for one in found] == [one is None for one in expected]
    pairs = [(a, b) for a, b in zip(found, expected, strict=True) if a and b]
    # Two calls of one moment may end in either order, and one of them finds the breaker open.
    assert sum(abs(a - b) > 1e-6 for a, b in pairs) <= 1
    assert any(one is None for one in found) is not bool(fallbacks)
