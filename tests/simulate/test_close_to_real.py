"""What the simulator says beside what happens, where waits are drawn and differ.

`bench/simulate.py` does this over sockets, with the real server; here the engine plays in an event
loop whose clock jumps, so that a busy machine changes nothing. The simulator reads a light load's
traces and is told no more. The tolerance is the bar of that script.
"""

import asyncio
import json
import math
import random
import time
from dataclasses import dataclass
from decimal import Decimal

import pytest
from aiohttp import web

from partbook.budget import Budget, Limits
from partbook.cli.opening import opened_pool
from partbook.conduct import Fixed, conduct
from partbook.config import load_pool
from partbook.event import Planned, RoundFinished, RoundStarted, RunFinished, RunStarted
from partbook.execute import play
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.lab import lab_pool
from partbook.message import Completion, Usage
from partbook.models.limited import Limited
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import Price
from partbook.simulate.figures import Assumed, WorkerFigures
from partbook.simulate.measured import Measurement
from partbook.simulate.outcome import percentile
from partbook.simulate.serving import Stage, arrivals, serve
from partbook.simulate.staging import Sources, fixed_mix, stage_of, steps_mix
from partbook.simulate.training import Course, Policy, train
from partbook.stage import Stage as Playing
from partbook.trace import Trace, TraceBuilder
from partbook.train.environment import Environment, lab_judge
from partbook.train.row import lab_rows
from partbook.workflow import Step, Workflow
from tests.simulate.virtual_time import run

WITHIN = 0.15
PRICE = Price(Decimal(1), Decimal(4))
WAITS = {"quick": (0.6, 1.4), "slow": (1.0, 2.4), "judge": (0.8, 1.8)}
SPECS = [WorkerSpec(name, "http", price=PRICE, max_concurrency=6) for name in WAITS]
PANEL = Workflow((Step(0, "think"), Step(1, "doubt"), Step(2, "settle it", (0, 1))))


@dataclass
class Slow:
    """Answers after a lognormal wait, with some tokens."""

    p50_s: float
    p95_s: float
    rng: random.Random

    async def chat(self, messages, sampling, on_text=None):
        spread = math.log(self.p95_s / self.p50_s) / 1.6448536269514722
        await asyncio.sleep(self.p50_s * math.exp(self.rng.gauss(0, spread)))
        usage = Usage(self.rng.randint(200, 1200), self.rng.randint(50, 600))
        return Completion("yes", usage, "slow")


def played(moments: list[float], seed: int) -> list[Trace]:
    """The traces of requests that come at these moments."""

    async def all_of_them() -> list[Trace]:
        clock = asyncio.get_running_loop().time
        rng = random.Random(seed)
        models = (Limited(Slow(*waits, rng), 6) for waits in WAITS.values())
        pool = AgentPool("p", tuple(map(Worker, SPECS, models)))

        async def one(number: int, at_s: float) -> Trace:
            await asyncio.sleep(at_s)
            begun, builder = clock(), TraceBuilder()
            builder.add(RunStarted(f"r{number}", "q", "p", pool.names, begun))
            builder.add(RoundStarted(0))
            builder.add(Planned(0, PANEL, "fixed"))
            stage = Playing("q", pool, Budget(), builder.add, lambda: clock() - begun)
            builder.add(RoundFinished(0, await play(PANEL, stage)))
            builder.add(RunFinished("answered", clock() - begun))
            return builder.build()

        return await asyncio.gather(*(one(*each) for each in enumerate(moments)))

    return run(all_of_them())


@pytest.fixture(scope="module")
def light_load() -> Measurement:
    measured = Measurement("a light load")
    for trace in played(arrivals(0.8, 200.0, random.Random(1)), seed=1):
        measured.add(trace)
    return measured


# The judge, of whom 6 may be asked at once, does 6.6 a second.
@pytest.mark.parametrize("rate", [2.0, 4.2, 8.0], ids=["light", "near saturation", "beyond it"])
def test_loads_that_nobody_measured_take_what_the_simulator_says(light_load, rate):
    moments = arrivals(rate, 100.0, random.Random(rate))
    mix = fixed_mix(PANEL, list(WAITS), "fixed")
    stage = stage_of(SPECS, Sources((light_load,)), mix)

    simulated = [serve(stage, moments, seed) for seed in range(5)]

    real = played(moments, seed=2)
    seconds = sorted(trace.seconds for trace in real)
    for share in (0.5, 0.95):
        said = sum(one.quantile_s(share) for one in simulated) / 5
        assert said == pytest.approx(percentile(seconds, share), rel=WITHIN)
    ends = [at_s + trace.seconds for at_s, trace in zip(moments, real, strict=True)]
    per_s = sum(end <= moments[-1] for end in ends) / moments[-1]
    assert sum(one.per_s for one in simulated) / 5 == pytest.approx(per_s, rel=WITHIN)
    usd = float(sum(trace.cost_usd for trace in real if trace.cost_usd is not None))
    assert sum(float(one.usd) for one in simulated) / 5 == pytest.approx(usd, rel=WITHIN)


def test_a_training_on_the_lab_with_slow_workers_takes_what_the_simulator_says():
    policy, turns, waits = Policy(20.0, 10.0, "stated"), 3, (1.0, 2.5)
    rows = lab_rows(4)
    text = "model_id = {0}\nsubtasks = {1}\naccess_list = [[], [0]]"

    async def real() -> tuple[float, float]:
        rng, clock = random.Random(4), asyncio.get_running_loop().time

        @dataclass
        class Late:
            model: object

            async def chat(self, messages, sampling, on_text=None):
                await Slow(*waits, rng).chat(messages, sampling)
                return await self.model.chat(messages, sampling)

        lab = lab_pool(order=rows[0].order)
        pool = AgentPool(
            "lab", tuple(Worker(w.spec, Limited(Late(w.model), turns)) for w in lab.workers)
        )
        environment = Environment(lambda row: pool, lab_judge, Limits())
        begun, waited_s = clock(), 0.0
        for _ in range(3):
            await asyncio.sleep(policy.generate_s)
            group = [row for row in rows for _ in range(12)]
            texts = [
                text.format([rng.randrange(8), rng.randrange(8)], json.dumps(["count", "sum"]))
                for _ in group
            ]
            written = clock()
            outcomes = await environment.score(group, texts)
            assert all(outcome.reward is not None for outcome in outcomes)
            waited_s += clock() - written
            await asyncio.sleep(policy.update_s)
        return clock() - begun, waited_s

    seconds, waited_s = run(real())

    calls = Assumed(*waits, Usage(100, 10), "stated")
    workers = {name: WorkerFigures(name, calls, PRICE, turns) for name in rows[0].order}
    stage, course = Stage(workers, steps_mix(2, "stated")), Course(144, 4, 12, policy)
    found = [train(stage, course, seed, 3) for seed in range(5)]
    assert sum(one.seconds for one in found) / 5 == pytest.approx(seconds, rel=WITHIN)
    assert sum(one.waiting for one in found) / 5 == pytest.approx(waited_s / seconds, rel=WITHIN)


async def test_over_sockets_nobody_is_quicker_than_the_simulator_says(tmp_path):
    """One-sided, so that a busy machine, which only makes things slower, changes nothing."""

    async def answer(request: web.Request) -> web.Response:
        await asyncio.sleep(0.25)
        message = {"role": "assistant", "content": "yes"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return web.json_response({"model": "m", "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    (tmp_path / "pool.toml").write_text(
        f'name = "p"\n[[workers]]\nname = "w"\nkind = "http"\nmodel = "m"\nmax_concurrency = 4\n'
        f'endpoint = "http://127.0.0.1:{port}/v1"\nprice = {{ input_usd = 1, output_usd = 4 }}\n'
    )
    config = load_pool(str(tmp_path / "pool.toml"))
    plan = FixedWorkflow("two", "", (FixedStep("w", "think"), FixedStep("w", "settle", (0,))))

    async with opened_pool(config) as pool:
        begun = time.monotonic()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(conduct("q", pool, Fixed(plan))) for _ in range(12)]
        seconds = time.monotonic() - begun
    await runner.cleanup()

    mix = fixed_mix(plan.resolve(pool), pool.names, "fixed")
    stated = Sources(calls=Assumed(0.25, 0.25, Usage(100, 10), "stated"))
    said = serve(stage_of(config.workers, stated, mix), [0.0] * 12, 0)
    assert said.latencies_s[-1] == pytest.approx(1.5)
    assert seconds > 0.85 * said.latencies_s[-1]
    assert said.usd == sum(task.result().cost_usd or 0 for task in tasks)
