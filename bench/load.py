"""Many streams at once through a workflow of three steps behind `partbook serve`.

    python bench/load.py [STREAMS] [SECONDS]        defaults: 1000 and 60

A mock server in a process of its own answers the first two steps after 50 ms; the last step says a
word every half second for SECONDS. Each word is the time at which it leaves, so what is read tells
how long it took to its client. Prints how many streams came whole (all words, one `stop`, then
`[DONE]`), the milliseconds of the first word and of all words, and the server's memory and CPU
time; ends with 1 if a stream was dropped. Linux only: it reads /proc.
"""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mock_server import event, read_body
from processes import cpu_s, memory_mb
from serving import free_port, ready, start

STREAMS, SECONDS = 1000, 60.0
EVERY_S = 0.5
RAMP_S = 5.0
"""Over which the clients come; they are people, not a drum."""

POOL = """
name = "load"
workflow = "three"
"""

WORKER = """
[[workers]]
name = "w{i}"
kind = "http"
model = "w{i}"
endpoint = "{url}"
roles = ["general"]
max_concurrency = {streams}
timeout_s = {timeout}
price = {{ input_usd = 1, output_usd = 2 }}
"""

WORKFLOW = """
name = "three"
about = "Two steps that think, one that answers."
[[steps]]
worker = "w1"
subtask = "Think."
[[steps]]
worker = "w2"
subtask = "Doubt."
access = [0]
[[steps]]
worker = "w3"
subtask = "Answer."
access = [0, 1]
"""


@dataclass
class Seen:
    """What the clients saw."""

    whole: int = 0
    faults: list[str] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    word_ms: list[float] = field(default_factory=list)


async def mock(port: int, words: int) -> None:
    """Serve the workers until this process is ended."""

    def chunk(text: str, finish: str | None = None) -> bytes:
        delta = {"content": text} if finish is None else {}
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        data = event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
        return b"%x\r\n%s\r\n" % (len(data), data)

    def end() -> bytes:
        usage = {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140}
        data = event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n"
        return chunk("", "stop") + b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked = json.loads(await read_body(head.lower(), reader))
                await asyncio.sleep(0.05)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
                writer.write(b"transfer-encoding: chunked\r\n\r\n")
                if asked["model"] == "w3":
                    for _ in range(words):
                        writer.write(chunk(f"{time.monotonic():.6f} "))
                        await asyncio.sleep(EVERY_S)
                else:
                    writer.write(chunk("The answer is 42. " * 8))
                writer.write(end())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=4096)
    async with server:
        await server.serve_forever()


async def client(port: int, seen: Seen, words: int, wait_s: float, limit_s: float) -> None:
    """One stream, read to its end."""
    await asyncio.sleep(wait_s)
    question = {"role": "user", "content": "hello " * 50}
    body = json.dumps({"model": "partbook", "messages": [question], "stream": True}).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
    got: list[float] = []
    finishes: list[str] = []
    is_done = False
    try:
        async with asyncio.timeout(limit_s):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            async for line in reader:
                if line == b"data: [DONE]\n":
                    is_done = True
                elif line.startswith(b"data: {"):
                    choice = json.loads(line[6:])["choices"][0]
                    now = time.monotonic()
                    got += [
                        (now - float(word)) * 1000
                        for word in choice["delta"].get("content", "").split()
                    ]
                    finishes += [choice["finish_reason"]] if choice["finish_reason"] else []
            writer.close()
    except (OSError, TimeoutError, KeyError, ValueError) as err:
        seen.faults.append(f"{type(err).__name__}: {err}")
        return
    if len(got) != words or finishes != ["stop"] or not is_done:
        seen.faults.append(f"{len(got)} of {words} words, {finishes}, [DONE]: {is_done}")
        return
    seen.whole += 1
    seen.first_ms.append(got[0])
    seen.word_ms += got


@contextmanager
def started(streams: int, seconds: float, words: int) -> Iterator[tuple[int, int]]:
    """The mock server and `partbook serve`; its port and process id."""
    mock_port, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        pool, workflow = Path(folder) / "pool.toml", Path(folder) / "three.toml"
        url = f"http://127.0.0.1:{mock_port}/v1"
        said = {"url": url, "streams": streams, "timeout": seconds + 60}
        pool.write_text(POOL + "".join(WORKER.format(i=i, **said) for i in (1, 2, 3)))
        workflow.write_text(WORKFLOW)
        serve = ["serve", "--pool", str(pool), "--workflow", str(workflow), "--no-log"]
        commands = [
            [sys.executable, __file__, "mock", str(mock_port), str(words)],
            [sys.executable, "-m", "partbook", *serve, "--port", str(port)],
        ]
        environment = os.environ | {"PARTBOOK_STORE": f"{folder}/runs.db"}
        processes: list[subprocess.Popen[bytes]] = []
        try:
            processes += [start(each, environment) for each in commands]
            yield port, processes[1].pid
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()


async def main(streams: int, seconds: float) -> int:
    words = max(1, round(seconds / EVERY_S))
    ramp_s = min(RAMP_S, seconds / 2)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    seen = Seen()
    with started(streams, seconds, words) as (port, pid):
        await ready(f"http://127.0.0.1:{port}/healthz")
        before, begun = cpu_s(pid), time.monotonic()
        limit_s = seconds * 2 + 60
        waits = (i * ramp_s / streams for i in range(streams))
        await asyncio.gather(*(client(port, seen, words, wait, limit_s) for wait in waits))
        spent, took = cpu_s(pid) - before, time.monotonic() - begun
        memory = memory_mb(pid, "VmHWM")
    print(f"{seen.whole} of {streams} streams of {words} words came whole, in {took:.1f} s")
    for fault in sorted(set(seen.faults))[:5]:
        print(f"  {seen.faults.count(fault)} times: {fault}")
    for name, figures in (("first word", seen.first_ms), ("every word", seen.word_ms)):
        if len(figures) > 1:
            cuts = statistics.quantiles(figures, n=100)
            print(
                f"{name}: median {cuts[49]:.1f} ms, 99 of 100 within {cuts[98]:.1f} ms of leaving "
                "the worker"
            )
    print(
        f"server: {memory:.0f} MB at most, {spent:.1f} s of CPU time, {spent / took:.0%} of a core"
    )
    return int(seen.whole != streams)


if __name__ == "__main__":
    if sys.argv[1:2] == ["mock"]:
        asyncio.run(mock(int(sys.argv[2]), int(sys.argv[3])))
    else:
        given = sys.argv[1:]
        sys.exit(
            asyncio.run(
                main(
                    int(given[0]) if given else STREAMS,
                    float(given[1]) if len(given) > 1 else SECONDS,
                )
            )
        )
