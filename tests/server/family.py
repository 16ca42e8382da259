"""`partbook serve` as several real processes, and an API behind it that answers when told to."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.launcher import Launcher

POOL = """
name = "shared"
workflow = "single"
{workers}
"""

WORKER = """
[[workers]]
name = "{name}"
kind = "http"
endpoint = "{url}"
model = "{name}"
card = "answers"
roles = ["general"]
price = {{ input_usd = 1000000, output_usd = 1000000 }}
retries = 0
{more}
"""


@dataclass
class Api:
    """Answers each call with "42" and ten and five tokens, once its model may answer."""

    url: str = ""
    begun: Counter[str] = field(default_factory=Counter)
    """Calls that came, by model."""
    at_once: Counter[str] = field(default_factory=Counter)
    """Most that were being answered at the same time, by model."""
    held: dict[str, threading.Event] = field(default_factory=dict)
    """Models that answer only once this is set."""
    _now: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, model: str) -> bytes:
        with self._lock:
            self.begun[model] += 1
            self._now[model] += 1
            self.at_once[model] = max(self.at_once[model], self._now[model])
        if (event := self.held.get(model)) is not None:
            event.wait(60)
        else:
            time.sleep(0.02)
        with self._lock:
            self._now[model] -= 1
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        message = {"role": "assistant", "content": "42"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({"model": model, "choices": [choice], "usage": usage}).encode()


@contextmanager
def an_api() -> Iterator[Api]:
    """It listens for as long as the block lasts."""
    api = Api()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = api.answer(body["model"])
            try:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the caller was killed

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    api.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield api
    finally:
        for event in api.held.values():
            event.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write_pool(path: Path, api: Api, **workers: str) -> Path:
    """A pool file of workers behind the API; each has these further lines."""
    each = (WORKER.format(name=name, url=api.url, more=more) for name, more in workers.items())
    path.write_text(POOL.format(workers="".join(each)))
    return path


@dataclass
class Family:
    """One `partbook serve`, with its processes."""

    process: subprocess.Popen[str]
    url: str

    def pids(self) -> list[int]:
        """Ids of its server processes that are alive."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        commands = {int(c): Path(f"/proc/{c}/cmdline").read_bytes() for c in children}
        return [child for child, command in commands.items() if b"spawn_main" in command]

    def metrics(self, key: str = "") -> dict[str, float]:
        """What it says of itself, by name with labels."""
        _, text = got(f"{self.url}/metrics", key)
        lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name.removeprefix("partbook_"): float(value) for name, _, value in lines}


@contextmanager
def a_family(store: str, *options: str, pool: str | Path = "lab") -> Iterator[Family]:
    """It answers when the block begins, and has ended when it ends."""
    command = [sys.executable, "-m", "partbook", "serve", "--pool", str(pool), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--no-log", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PARTBOOK_STORE": store},
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.search(r"http://[^ ]+(?=/v1)", process.stdout.readline())
        assert found, process.stderr.read()
        process.stdout.readline()  # the models
        yield Family(process, found[0])
    finally:
        process.terminate()
        process.communicate(timeout=60)


def ask(url: str, key: str = "", model: str = "partbook", **fields: object) -> tuple[int, str]:
    """One chat completion, on a connection of its own; status 0: the connection broke."""
    messages = [{"role": "user", "content": "What is 6*7?"}]
    body = json.dumps({"model": model, "messages": messages, **fields}).encode()
    return got(f"{url}/v1/chat/completions", key, body)


def got(url: str, key: str = "", data: bytes | None = None) -> tuple[int, str]:
    """Status and body of what is there."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = urllib.request.Request(url, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as err:
        with err:
            return err.code, err.read().decode()
    except OSError:
        return 0, ""


@dataclass
class Served:
    """`partbook serve` as one process."""

    launcher: Launcher
    pid: int
    url: str
    """Up to and including `/v1`."""
    greeting: list[str]
    done: subprocess.CompletedProcess[str] | None = None
    """How it ended; None: it runs."""

    def end(self, number: int = signal.SIGTERM) -> subprocess.CompletedProcess[str]:
        """End it by a signal."""
        if self.done is None:
            os.kill(self.pid, number)
            self.done = self.launcher.wait()
        return self.done


@contextmanager
def served(launcher: Launcher, *options: str) -> Iterator[Served]:
    """A server on the lab's pool, without the page; it answers when the block begins."""
    pid = launcher.start("serve", "--pool", "lab", "--port", "0", "--no-page", *options)
    server = Served(launcher, pid, "", [])
    try:
        until(lambda: launcher.printed.count("\n") >= 2 or not is_running(pid))
        server.greeting = launcher.printed.splitlines()
        found = re.search(r"http://[^ ]+/v1", launcher.printed)
        assert found, server.end().stderr
        server.url = found[0]
        yield server
    finally:
        server.end()


def is_running(pid: int) -> bool:
    """Whether a process is there, and not over."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def at_once(
    urls: Sequence[str], count: int, **asked: object
) -> Iterator[list[Future[tuple[int, str]]]]:
    """So many requests at the same time, dealt out among servers; all are over when it ends."""
    with ThreadPoolExecutor(count) as threads:
        yield [threads.submit(ask, urls[i % len(urls)], **asked) for i in range(count)]


def until(holds, wait_s: float = 60.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + wait_s
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)
