"""What one worker behind `partbook serve` costs beside LiteLLM's proxy and a bare one, in one run.

    python bench/litellm_proxy.py VENV [REQUESTS] [CONCURRENCY]     defaults: 300 and 50

VENV is an environment with LiteLLM's proxy in it
(`python -m venv VENV && VENV/bin/pip install 'litellm[proxy]'`). All three stand in front of the
same mock server, which answers after 50 ms, and are asked in turn, three times each. It prints CPU
time per request and its ratios, by round: the machine may be busy, since each round is measured in
all three within a minute. None of them asks for a key, logs a request or keeps anything.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import aiohttp
from serving import HERE, POOL, Figures, free_port, measure, start

ROUNDS = 3
CONFIG = """
model_list:
  - model_name: w1
    litellm_params: {{model: openai/w1, api_base: "{url}", api_key: none}}
litellm_settings: {{telemetry: false}}
general_settings: {{dangerously_permit_weak_or_unset_master_key: true}}
"""
MODELS = {"bare proxy": "w1", "partbook": "partbook/w1", "litellm": "w1"}


async def answers(url: str, model: str) -> None:
    """Wait until the first answer: a proxy may listen before it is ready."""
    body = {"model": model, "messages": [{"role": "user", "content": "hello"}]}
    async with aiohttp.ClientSession() as session:
        for _ in range(1200):
            try:
                async with session.post(f"{url}/chat/completions", json=body) as reply:
                    if reply.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(1)
    raise SystemExit(f"nobody answers at {url}")


def commands(venv: Path, folder: Path, upstream: str, ports: list[int]) -> list[list[str]]:
    """How the three are started."""
    (folder / "pool.toml").write_text(POOL.format(url=upstream))
    (folder / "litellm.yaml").write_text(CONFIG.format(url=upstream))
    bare, ours, theirs = map(str, ports)
    uvicorn = ["uvicorn", "--app-dir", str(HERE), "bare_proxy:app", "--log-level", "error"]
    serve = ["serve", "--pool", str(folder / "pool.toml"), "--no-log", "--port", ours]
    return [
        [sys.executable, "-m", *uvicorn, "--no-access-log", "--port", bare],
        [sys.executable, "-m", "partbook", *serve],
        [
            *(str(venv / "bin" / "litellm"), "--config", str(folder / "litellm.yaml")),
            *("--host", "127.0.0.1", "--port", theirs),
        ],
    ]


async def main(venv: Path, requests: int, concurrency: int) -> None:
    upstream = f"http://127.0.0.1:{(mock_port := free_port())}/v1"
    ports = [free_port() for _ in MODELS]
    urls = [f"http://127.0.0.1:{port}/v1" for port in ports]
    with tempfile.TemporaryDirectory() as name:
        environment = os.environ | {
            "PARTBOOK_STORE": f"{name}/runs.db",
            "UPSTREAM": upstream,
            "LITELLM_LOG": "ERROR",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        mock = start([sys.executable, str(HERE / "mock_server.py"), str(mock_port), "50"], {})
        started = [start(c, environment) for c in commands(venv, Path(name), upstream, ports)]
        try:
            for url, model in zip(urls, MODELS.values(), strict=True):
                await answers(url, model)
            found: dict[str, list[Figures]] = {each: [] for each in MODELS}
            for _ in range(ROUNDS):
                for (each, model), url, process in zip(MODELS.items(), urls, started, strict=True):
                    figures = await measure(url, model, process.pid, requests, concurrency)
                    found[each].append(figures)
        finally:
            for process in (*started, mock):
                process.terminate()
            for process in (*started, mock):
                process.wait()
    report(found, version(venv), requests, concurrency)


def version(venv: Path) -> str:
    code = "from importlib.metadata import version; print(version('litellm'))"
    command = [venv / "bin" / "python", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def report(found: dict[str, list[Figures]], litellm: str, requests: int, concurrency: int) -> None:
    print(f"{requests} requests, {concurrency} at once, {ROUNDS} rounds each, in turn")
    print(f"litellm is {litellm}; the load of the machine was {os.getloadavg()[0]:.1f}")
    for name, runs in found.items():
        cpu = ", ".join(f"{run.cpu_ms:.2f}" for run in runs)
        alone = ", ".join(f"{run.median_ms:.0f}" for run in runs)
        print(f"{name:10} CPU ms a request {cpu}; median ms one at a time {alone}; "
              f"{max(run.memory_mb for run in runs):.0f} MB")  # fmt: skip
    ours = [run.cpu_ms for run in found["partbook"]]
    for name in ("bare proxy", "litellm"):
        ratios = [run.cpu_ms / cpu for run, cpu in zip(found[name], ours, strict=True)]
        print(
            f"{name} takes {statistics.median(ratios):.2f} times the CPU of partbook "
            f"({min(ratios):.2f} to {max(ratios):.2f})"
        )


if __name__ == "__main__":
    venv, *given = sys.argv[1:]
    numbers = [int(argument) for argument in given]
    asyncio.run(main(Path(venv).absolute(), *(numbers + [300, 50][len(numbers) :])))
