"""A server that takes a request and never answers."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest


@dataclass
class SlowServer:
    url: str
    asked: threading.Event

    def wait_until_asked(self) -> None:
        assert self.asked.wait(30), "no request came"


@pytest.fixture
def slow_server() -> Iterator[SlowServer]:
    listener = socket.create_server(("127.0.0.1", 0))
    asked, done = threading.Event(), threading.Event()

    def serve() -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(65536)
            asked.set()
            done.wait(60)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield SlowServer(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", asked)
    done.set()
    listener.close()
    thread.join(5)
