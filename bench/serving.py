"""What one worker behind `partbook serve` costs beside a bare proxy, in one run.

    python bench/serving.py [REQUESTS] [CONCURRENCY]        defaults: 1000 and 50

Both stand in front of the same mock server, which answers after 50 ms, and are asked in turn, twice
each. It prints each server's CPU time per request, its median latency with one request at a time,
its memory, and the ratio and the difference to the bare one. Linux only: it reads /proc.
"""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import aiohttp
from figures import keep
from processes import cpu_s, memory_mb

HERE = Path(__file__).parent
ROUNDS = 2
SEQUENTIAL = 30
BODY = {"messages": [{"role": "user", "content": "hello " * 50}]}
POOL = """
name = "bench"
workflow = "single"
[[workers]]
name = "w1"
kind = "http"
model = "w1"
endpoint = "{url}"
roles = ["general"]
max_concurrency = 1000
price = {{ input_usd = 1, output_usd = 2 }}
"""


class Figures(NamedTuple):
    cpu_ms: float
    median_ms: float
    memory_mb: float


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


async def measure(url: str, model: str, pid: int, requests: int, concurrency: int) -> Figures:
    body = {"model": model, **BODY}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one() -> float:
            begun = time.perf_counter()
            async with session.post(f"{url}/chat/completions", json=body) as reply:
                text = await reply.read()
                assert reply.status == 200, text
            return (time.perf_counter() - begun) * 1000

        for _ in range(5):
            await one()
        alone = [await one() for _ in range(SEQUENTIAL)]
        left = iter(range(requests))

        async def several() -> None:
            for _ in left:
                await one()

        begun = cpu_s(pid)
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(several())
        spent = cpu_s(pid) - begun
    return Figures(spent / requests * 1000, statistics.median(alone), memory_mb(pid))


async def ready(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(600):
            try:
                async with session.get(url):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise SystemExit(f"nobody listens at {url}")


def start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


async def main(requests: int, concurrency: int) -> None:
    mock_port, bare_port, our_port = free_port(), free_port(), free_port()
    upstream = f"http://127.0.0.1:{mock_port}/v1"
    with tempfile.TemporaryDirectory() as folder:
        pool = Path(folder) / "pool.toml"
        pool.write_text(POOL.format(url=upstream))
        uvicorn = ["uvicorn", "--app-dir", str(HERE), "bare_proxy:app", "--log-level", "error"]
        serve = ["partbook", "serve", "--pool", str(pool), "--no-log", "--port", str(our_port)]
        store = os.environ | {"PARTBOOK_STORE": f"{folder}/runs.db", "UPSTREAM": upstream}
        commands = [
            [sys.executable, str(HERE / "mock_server.py"), str(mock_port), "50"],
            [sys.executable, "-m", *uvicorn, "--no-access-log", "--port", str(bare_port)],
            [sys.executable, "-m", *serve],
        ]
        started = [start(each, store) for each in commands]
        try:
            names = ("bare proxy", "partbook/w1")
            urls = (f"http://127.0.0.1:{bare_port}/v1", f"http://127.0.0.1:{our_port}/v1")
            for url in urls:
                await ready(url)
            found: dict[str, list[Figures]] = {name: [] for name in names}
            for _ in range(ROUNDS):
                for name, url, process in zip(names, urls, started[1:], strict=True):
                    model = "partbook/w1"
                    figures = await measure(url, model, process.pid, requests, concurrency)
                    found[name].append(figures)
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()
    report(found, requests, concurrency)


def report(found: dict[str, list[Figures]], requests: int, concurrency: int) -> None:
    print(f"{requests} requests, {concurrency} at once, {ROUNDS} rounds each, in turn")
    best = {name: Figures(*map(min, zip(*runs, strict=True))) for name, runs in found.items()}
    for name, runs in found.items():
        cpu = " and ".join(f"{run.cpu_ms:.2f}" for run in runs)
        print(
            f"{name:12} {cpu} CPU ms a request, median {best[name].median_ms:.1f} ms one at a "
            f"time, {best[name].memory_mb:.0f} MB"
        )
    bare, ours = best["bare proxy"], best["partbook/w1"]
    keep(
        {
            "ratio": ours.cpu_ms / bare.cpu_ms,
            "more_ms": ours.median_ms - bare.median_ms,
            "cpu_ms": ours.cpu_ms,
            "memory_mb": ours.memory_mb,
        }
    )
    print(
        f"ratio of CPU time {ours.cpu_ms / bare.cpu_ms:.2f}, "
        f"median {ours.median_ms - bare.median_ms:+.1f} ms"
    )


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    asyncio.run(main(*(given + [1000, 50][len(given) :])))
