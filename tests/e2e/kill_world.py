"""What the kill tests run in: a server that counts calls, and processes that can be killed.

Each launch of the command has its own API key, so the server knows for every request which launch
made it, however late it arrives.
"""

import json
import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

IMPORTS = (
    "alembic",
    "aiohttp",
    "sqlalchemy.dialects.sqlite",
    "partbook.cli.live",
    "partbook.models.discreet",
    "partbook.models.http",
    "partbook.models.parameters",
    "partbook.list_prices",
    "partbook.store",
)
"""What a run needs."""

STEPS = ("alpha", "beta", "gamma", "delta")
"""Each stands in one step's subtask; `gamma` reads the first two, `delta` reads `gamma`."""

WORKFLOW = """
name = "four"
about = "two steps side by side, then two one after the other"
[[steps]]
worker = "far"
subtask = "Do alpha."
[[steps]]
worker = "far"
subtask = "Do beta."
[[steps]]
worker = "far"
subtask = "Do gamma."
access = [0, 1]
[[steps]]
worker = "far"
subtask = "Do delta."
access = [2]
"""

PLAN = (
    'model_id = [0, 0, 0, 0]\\nsubtasks = ["Do alpha.", "Do beta.", "Do gamma.", "Do delta."]\\n'
    "access_list = [[], [], [0, 1], [2]]"
).replace("\\n", "\n")

ANSWERS = {step: f"answer to {step}" for step in STEPS} | {"plan": PLAN}


@dataclass
class Server:
    """Answers after a few milliseconds, and tells what happened."""

    latency_s: float = 0.004
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Key and step of every request, in order."""
    happened: "queue.Queue[tuple[str, str, str]]" = field(default_factory=queue.Queue)
    """`asked` or `answered`, key, step."""
    slow_step: str = ""
    """A step that is not answered for as long as it stands here."""
    failing_step: str = ""
    """A step that is answered by an error of the server."""
    failing_key: str = ""
    """Whoever asks with this key is answered by an error."""
    says: str = ""
    """What is answered in place of the usual; `{authorization}` is the header that was sent."""

    def seen(self, key: str) -> list[str]:
        """The steps that the launch with this key asked for."""
        return [step for by, step in self.asked if by == key]


def _step_of(messages: list[dict[str, str]]) -> str:
    last = messages[-1]["content"]
    named = [step for step in STEPS if f"Do {step}." in last]
    return named[-1] if len(named) == 1 else "plan"


@contextmanager
def running_server() -> Iterator[Server]:
    world = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            key = self.headers["Authorization"].removeprefix("Bearer ")
            step = _step_of(body["messages"])
            world.asked.append((key, step))
            world.happened.put(("asked", key, step))
            threading.Event().wait(world.latency_s)
            while world.slow_step == step:
                threading.Event().wait(0.01)
            failing = world.failing_step == step or world.failing_key == key
            text = ANSWERS[step]
            if world.says:
                text = world.says.format(authorization=self.headers["Authorization"])
            choice = {"message": {"role": "assistant", "content": text}}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            reply = json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()
            self.send_response(500 if failing else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)
            world.happened.put(("answered", key, step))

        def log_message(self, *_: object) -> None:
            pass

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except OSError:  # the client was killed
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    world.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield world
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def kill(process: int) -> None:
    """`kill -9`."""
    with suppress(ProcessLookupError):
        os.kill(process, 9)
