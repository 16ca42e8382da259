"""Servers that runs are killed against, and the command, started quickly."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.e2e.kill_world import IMPORTS, Server, running_server
from tests.launcher import Launcher


@pytest.fixture(scope="module")
def partbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """The command, started quickly."""
    launcher = Launcher(tmp_path_factory.mktemp("launcher"), *IMPORTS)
    yield launcher
    launcher.close()


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that notes what it is asked."""
    with running_server() as running:
        yield running


@dataclass
class SlowServer:
    """Takes a request and never answers."""

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
    listener.shutdown(socket.SHUT_RDWR)  # ends the waiting, which closing does not
    listener.close()
    thread.join(5)
