"""A provider on loopback that takes its time, and counts the requests that it would bill."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"prompt_tokens": 200, "completion_tokens": 50, "total_tokens": 250}


@dataclass
class Provider:
    """What it was asked."""

    latency_s: float
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    """Requests by model and messages."""
    now: Counter[str] = field(default_factory=Counter)
    peak: Counter[str] = field(default_factory=Counter)
    """Most requests of a model at once."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def requests(self) -> int:
        return sum(self.asked.values())

    @contextmanager
    def answering(self, asked: dict) -> Iterator[None]:
        model = asked["model"]
        with self.lock:
            self.asked[json.dumps([model, asked["messages"]])] += 1
            self.now[model] += 1
            self.peak[model] = max(self.peak[model], self.now[model])
        try:
            time.sleep(self.latency_s)
            yield
        finally:
            with self.lock:
                self.now[model] -= 1


@contextmanager
def paid_server(
    latency_s: float = 0.0,
    answer: str = "<answer>{model}</answer>",
    usage: Mapping[str, int] = USAGE,
) -> Iterator[Provider]:
    """Every chat is answered alike: with the answer, in which the model's name may stand."""
    provider = Provider(latency_s)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": answer.format(model=asked["model"])}
            with provider.answering(asked):
                choice = {"message": message, "finish_reason": "stop"}
                said = {"model": asked["model"], "choices": [choice], "usage": usage}
                data = json.dumps(said).encode()
            with suppress(ConnectionError):  # a node that was killed does not listen any more
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    provider.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield provider
    server.shutdown()
    server.server_close()
    thread.join(5)
