"""The simulator beside what really happens: real sockets, the real endpoint, real rollouts.

    python bench/simulate.py [SECONDS] [SLOWER]   three rates, a provider that refuses, a training
    python bench/simulate.py --memory             what requests take of a server's memory

The workers answer after lognormal waits of some 200 ms. The simulator is told nothing of these
waits: it reads what a first, light load has left in the store (or a few first rollouts in their
traces), and says from that what the other loads will do. Requests come at the same moments in both.
Prints, for each point, simulated (mean of five seeds) beside real and the error, and ends with 1
where one is over 15 %. SECONDS is how long requests come at each rate, 30 by default; both that and
the waits are SLOWER times longer, and the rates lower, 4 by default, so that the machine hardly
shows. Linux only: --memory reads /proc.
"""

import asyncio
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
from aiohttp import web
from mock_server import ANSWER, MockServer, send
from processes import memory_mb
from serving import free_port, ready

from partbook.budget import Limits
from partbook.cli.opening import closed_pool, opened_pool
from partbook.config import load_pool, load_workflow
from partbook.lab import lab_pool
from partbook.lab.optimum import optimum
from partbook.lab.serve import lab_endpoint
from partbook.simulate.assumed import Stated, StatedWorker
from partbook.simulate.figures import Provider
from partbook.simulate.measured import Measurement
from partbook.simulate.outcome import percentile
from partbook.simulate.serving import Served, Stage, arrivals, serve
from partbook.simulate.staging import Sources, fixed_mix, stage_of
from partbook.simulate.training import Course, Policy, train
from partbook.store import Store
from partbook.train.environment import Environment, lab_judge
from partbook.train.row import Row, lab_rows, problem_of

BAR = 0.15
SEEDS = 5
CALIBRATION = 6.0
"""Requests a second of the load that the simulator may see."""
RATES = {"light": 8.0, "near saturation": 21.0, "beyond a worker's limit": 33.0}
REFUSED, AT_ONCE = 14.0, 5
"""The rate at a judge that refuses more than so many calls at once."""
WAITS = {"quick": (0.15, 0.35), "slow": (0.25, 0.6), "judge": (0.2, 0.45)}
"""Seconds of a call, p50 and p95, by worker: the simulator is not told."""
SLOWER = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
TURNS = {"quick": 8, "slow": 8, "judge": 6}

WORKER = """
[[workers]]
name = "{name}"
kind = "http"
model = "{name}"
endpoint = "{url}"
roles = ["general"]
max_concurrency = {turns}
retries = 6
price = {{ input_usd = 1, output_usd = 4 }}
"""

WORKFLOW = """
name = "panel"
about = "Two that think, one that settles it."
[[steps]]
worker = "quick"
subtask = "Think."
[[steps]]
worker = "slow"
subtask = "Doubt."
[[steps]]
worker = "judge"
subtask = "Settle it."
access = [0, 1]
"""


def lognormal(p50_s: float, p95_s: float, rng: random.Random) -> float:
    return SLOWER * p50_s * math.exp(rng.gauss(0.0, math.log(p95_s / p50_s) / 1.6448536269514722))


class Workers(MockServer):
    """Models that answer late, and of which one may refuse."""

    def __init__(
        self,
        waits: Mapping[str, tuple[float, float]],
        seed: int,
        at_once: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(0.0)
        self.waits, self._rng = waits, random.Random(seed)
        self._at_once = at_once or {}
        """Calls of a model beyond which more are refused."""
        self.inside = dict.fromkeys(waits, 0)

    async def answer(self, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> None:
        model = json.loads(body)["model"]
        if self.inside[model] >= self._at_once.get(model, 10_000):
            writer.write(b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 2\r\n")
            writer.write(b"content-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
            return
        self.inside[model] += 1
        try:
            await asyncio.sleep(lognormal(*self.waits[model], self._rng))
        finally:
            self.inside[model] -= 1
        read, written = self._rng.randint(200, 1200), self._rng.randint(50, 600)
        usage = {"prompt_tokens": read, "completion_tokens": written}
        message = {"role": "assistant", "content": ANSWER}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "c", "object": "chat.completion", "created": 1, "model": model}
        send(writer, json.dumps({**reply, "choices": [choice], "usage": usage}).encode())


@asynccontextmanager
async def listening(workers: Workers) -> AsyncIterator[str]:
    """The URL of workers, until nobody is connected to them any more."""
    server = await asyncio.start_server(workers.serve, "127.0.0.1", 0, backlog=4096)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        while workers.open:  # noqa: ASYNC110 # it has no event
            await asyncio.sleep(0.01)


@dataclass
class Real:
    """What a load really came to."""

    latencies_s: list[float]
    per_s: float
    usd: float


@asynccontextmanager
async def endpoint(
    folder: Path, url: str, turns: Mapping[str, int]
) -> AsyncIterator[tuple[str, int]]:
    """The real `partbook serve`, with a store of its own in the folder: its URL and process."""
    pool, workflow = folder / "pool.toml", folder / "panel.toml"
    workers = (WORKER.format(name=n, url=url, turns=turns[n]) for n in WAITS)
    pool.write_text(f'name = "bench"\nworkflow = "{workflow}"\n' + "".join(workers))
    workflow.write_text(WORKFLOW)
    port = free_port()
    command = ["-m", "partbook", "serve", "--pool", str(pool), "--no-log", "--no-page", "--keep"]
    process = subprocess.Popen(  # noqa: ASYNC220 # nothing else is under way
        [sys.executable, *command, "--port", str(port)],
        env=os.environ | {"PARTBOOK_STORE": str(folder / "runs.db")},
        stdout=subprocess.DEVNULL,
    )
    try:
        await ready(f"http://127.0.0.1:{port}/readyz")
        yield f"http://127.0.0.1:{port}/v1/chat/completions", process.pid
    finally:
        process.terminate()
        process.wait()


async def load(url: str, moments: Sequence[float]) -> tuple[list[float], float]:
    """Send requests at these moments; their seconds, and answers a second while they came."""
    body = {"model": "partbook", "messages": [{"role": "user", "content": "hello " * 50}]}
    ends: list[float] = []
    taken: list[float] = []
    # A connection each: one that was idle may be closed by the server while it is taken again.
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(connector=connector) as session:
        begun = time.perf_counter()

        async def one(at_s: float) -> None:
            await asyncio.sleep(begun + at_s - time.perf_counter())
            sent = time.perf_counter()
            async with session.post(url, json=body) as reply:
                text = await reply.read()
                assert reply.status == 200, text
            ends.append(time.perf_counter() - begun)
            taken.append(time.perf_counter() - sent)

        async with asyncio.TaskGroup() as group:
            for moment in moments:
                group.create_task(one(moment))
    return sorted(taken), sum(end <= moments[-1] for end in ends) / moments[-1]


async def real_load(folder: Path, url: str, moments: Sequence[float], turns: Mapping[str, int],
                    into: Measurement | None = None) -> Real:  # fmt: skip
    """Play a load on a server and a store of its own."""
    folder.mkdir()  # noqa: ASYNC240 # nothing else is under way
    async with endpoint(folder, url, turns) as (asked, _):
        latencies_s, per_s = await load(asked, moments)
    with Store.open(folder / "runs.db") as store:
        traces = list(store.traces())
    usd = sum(float(trace.cost_usd or 0) for trace in traces)
    if into is not None:
        for trace in traces:
            into.add(trace)
    return Real(latencies_s, per_s, usd)


def line(what: str, simulated: float, real: float, low: float, high: float) -> bool:
    """Print one comparison; whether it is within the bar."""
    error = abs(simulated - real) / real if real else math.inf
    mark = "" if error <= BAR else "  OVER THE BAR"
    print(
        f"  {what:22} {simulated:9.4g} ({low:.4g} to {high:.4g})  {real:9.4g}  {error:6.1%}{mark}"
    )
    return error <= BAR


def compare(
    found: Sequence[object], figures: Mapping[str, tuple[Callable[..., float], float]]
) -> bool:
    held = True
    for what, (get, real) in figures.items():
        values = [get(one) for one in found]
        held &= line(what, sum(values) / len(values), real, min(values), max(values))
    return held


def compare_load(name: str, stage: Stage, moments: Sequence[float], real: Real) -> bool:
    print(f"{name}: {len(moments)} requests in {moments[-1]:.0f} s")
    found = [serve(stage, moments, seed) for seed in range(SEEDS)]
    assert all(one.answered == len(moments) for one in found)

    def quantile(share: float) -> tuple[Callable[[Served], float], float]:
        return lambda one: one.quantile_s(share), percentile(real.latencies_s, share)

    return compare(
        found,
        {
            "p50, s": quantile(0.5),
            "p95, s": quantile(0.95),
            "answered a second": (lambda one: one.per_s, real.per_s),
            "dollars": (lambda one: float(one.usd), real.usd),
        },
    )


async def loads(folder: Path, seconds: float) -> bool:
    """The three rates, and the provider that refuses; all at once, each on a server of its own."""
    rng, seen = random.Random(11), Measurement("the first load")

    def moments(rate: float) -> list[float]:
        return arrivals(rate / SLOWER, seconds * SLOWER, rng)

    async with listening(Workers(WAITS, 1)) as url:
        await real_load(folder / "first", url, moments(CALIBRATION), TURNS, seen)
    print(f"figures: {seen.runs} requests at {CALIBRATION / SLOWER:g} a second; no other is shown")
    pool = closed_pool(load_pool(str(folder / "first" / "pool.toml")))
    specs = [worker.spec for worker in pool.workers]
    workflow = load_workflow(str(folder / "first" / "panel.toml")).resolve(pool)
    mix = fixed_mix(workflow, pool.names, "the workflow")
    usual = stage_of(specs, Sources((seen,)), mix, timeout_s=600)
    points = {name: (usual, TURNS, {}, moments(rate)) for name, rate in RATES.items()}
    turns = {**TURNS, "judge": 40}
    stated = Stated({"judge": StatedWorker(provider=Provider(AT_ONCE, True, 2.0))})
    wide = [replace(spec, max_concurrency=turns[spec.name]) for spec in specs]
    refused = stage_of(wide, Sources((seen,), stated), mix, timeout_s=600)
    points["a provider that refuses"] = refused, turns, {"judge": AT_ONCE}, moments(REFUSED)

    async def real(seed: int, name: str) -> Real:
        _, turns, at_once, come = points[name]
        async with listening(Workers(WAITS, seed, at_once)) as url:
            return await real_load(folder / name, url, come, turns)

    async with asyncio.TaskGroup() as group:
        tasks = {name: group.create_task(real(2 + i, name)) for i, name in enumerate(points)}
    held = [
        compare_load(name, stage, come, tasks[name].result())
        for name, (stage, _, _, come) in points.items()
    ]
    return all(held)


PROBLEMS, GROUP, STEPS = 4, 12, 5
POLICY = Policy(generate_s=2.0 * SLOWER, update_s=1.5 * SLOWER, source="stated")
LAB_WAIT = (0.2, 0.5)
LAB_TURNS = 3


def slow_lab(seed: int) -> web.Application:
    """The lab's workers, who take their time."""
    rng = random.Random(seed)

    @web.middleware
    async def wait(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if request.method == "POST":
            await asyncio.sleep(lognormal(*LAB_WAIT, rng))
        return await handler(request)

    app = lab_endpoint()
    app.middlewares.append(wait)
    return app


def rollouts(rows: Sequence[Row], rng: random.Random) -> list[str]:
    """What a policy could have written: the best plan's parts, to workers drawn anew."""
    texts = []
    for row in rows:
        steps = optimum(problem_of(row), lab_pool(row.world, row.order)).workflow.steps
        who = [rng.randrange(len(row.order)) for _ in steps]
        texts.append(
            f"model_id = {who}\nsubtasks = {json.dumps([step.subtask for step in steps])}\n"
            f"access_list = {[list(step.access) for step in steps]}"
        )
    return texts


async def training(folder: Path) -> bool:
    """A policy that writes and learns by the clock alone; its rollouts are really played."""
    runner = web.AppRunner(slow_lab(2))
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    names = lab_rows(1)[0].order
    url = f"http://127.0.0.1:{port}/v1"
    workers = "".join(WORKER.format(name=name, url=url, turns=LAB_TURNS) for name in names)
    (folder / "lab.toml").write_text('name = "slow-lab"\nworkflow = "single"\n' + workers)
    config, rng = load_pool(str(folder / "lab.toml")), random.Random(5)
    rows = lab_rows(PROBLEMS * STEPS)
    seen, usd, waited_s = Measurement("first rollouts"), 0.0, 0.0
    async with opened_pool(config) as pool:
        environment = Environment(
            lambda row: pool.pick([pool.find(name) for name in row.order]),
            lab_judge,
            Limits(timeout_s=600.0),
        )
        for _ in range(8):  # a few at a time: a call that waits tells nothing of its worker
            some = [rng.choice(rows) for _ in range(12)]
            for outcome in await environment.score(some, rollouts(some, rng)):
                assert outcome.trace is not None
                seen.add(outcome.trace)
        groups = [[row for row in rows[i : i + PROBLEMS] for _ in range(GROUP)]
                  for i in range(0, len(rows), PROBLEMS)]  # fmt: skip
        written = [rollouts(group, rng) for group in groups]
        begun = time.perf_counter()
        for group, texts in zip(groups, written, strict=True):
            await asyncio.sleep(POLICY.generate_s)
            played = time.perf_counter()
            outcomes = await environment.score(group, texts)
            waited_s += time.perf_counter() - played
            usd += sum(float(one.trace.cost_usd or 0) for one in outcomes if one.trace is not None)
            await asyncio.sleep(POLICY.update_s)
        seconds = time.perf_counter() - begun
    await runner.cleanup()
    mix = seen.mix()
    assert mix is not None
    specs = [worker.spec for worker in closed_pool(config).workers]
    stage = stage_of(specs, Sources((seen,)), mix.unconducted(), timeout_s=600)
    course = Course(PROBLEMS * GROUP * STEPS, PROBLEMS, GROUP, POLICY)
    print(f"a training: {STEPS} steps of {PROBLEMS} x {GROUP} rollouts on the slow lab")
    return compare(
        [train(stage, course, seed, STEPS) for seed in range(SEEDS)],
        {
            "step, s": (lambda one: one.step_s, seconds / STEPS),
            "policy waits, share": (lambda one: one.waiting, waited_s / seconds),
            "dollars": (lambda one: float(one.usd), usd),
        },
    )


async def memory(requests: int = 400) -> None:
    """What requests take of the memory of `partbook serve` while they are played."""
    workers = Workers(WAITS, seed=1)
    turns = dict.fromkeys(WAITS, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            listening(workers) as url,
            endpoint(Path(folder), url, turns) as (asked, pid),
        ):
            await load(asked, [0.1])  # what is loaded once is no request's
            base = memory_mb(pid)
            workers.waits = dict.fromkeys(WAITS, (30 / SLOWER,) * 2)
            task = asyncio.create_task(load(asked, [i / 200 for i in range(requests)]))
            while sum(workers.inside.values()) < 2 * requests:  # all are at their first two steps
                if task.done():
                    raise SystemExit("the machine is too busy: not all requests were there at once")
                await asyncio.sleep(0.1)
            full = memory_mb(pid)
            await task
    each = (full - base) / requests * 1024
    print(f"server: {base:.0f} MB without requests, {each:.0f} KB more for each of {requests}")


async def main(seconds: float) -> int:
    print("                         simulated (5 seeds)            real     error")
    with tempfile.TemporaryDirectory() as name:
        async with asyncio.TaskGroup() as group:
            both = [
                group.create_task(loads(Path(name), seconds)),
                group.create_task(training(Path(name))),
            ]
        held = all(task.result() for task in both)
    print("every error is within 15 %" if held else "an error is over 15 %")
    return 0 if held else 1


if __name__ == "__main__":
    if "--memory" in sys.argv:
        asyncio.run(memory())
    else:
        sys.exit(asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0)))
