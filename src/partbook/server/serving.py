"""Runs an endpoint under uvicorn, from listening to a graceful end.

Asked to end (SIGINT, SIGTERM), it takes no new requests and lets those that run end by themselves
for `grace_s`; what still runs then is cancelled, its client is told so, and what it cost is
written. A second SIGINT does not wait.
"""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

try:
    import uvloop
except ImportError:  # there is none for Windows
    uvloop = None  # type: ignore[assignment]

from partbook.errors import ConfigError
from partbook.server.app import Endpoint

__all__ = ["GRACE_S", "Serving", "fast_loop", "listening"]

GRACE_S = 30.0
"""How long requests may go on after the server was asked to end."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_TELL_S = 2.0
"""How long clients are given to take the news."""

_LOOK_S = 0.2
"""How often it is looked whether the end may be waited for."""


def listening(host: str, port: int, *, is_shared: bool = False) -> socket.socket:
    """A socket that listens; port 0 is any free one.

    Args:
        host: the address.
        port: the port.
        is_shared: whether other sockets of this user may listen there, too; the system then
            deals connections out among them.

    Raises:
        ConfigError: it cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named: for any other, asyncio leaves Nagle's algorithm on, and replies in
    # two pieces wait 40 ms for the client's acknowledgement of the first.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind((host, port))
        sock.listen(2048)
        return sock
    except OSError as err:
        sock.close()
        raise ConfigError(f"cannot listen on {host}:{port}: {err.strerror or err}") from err


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes an event loop: uvloop where it is installed; None: asyncio's own."""
    if uvloop is None:
        return None
    loop: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return loop


class Serving(uvicorn.Server):
    """A uvicorn server for one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        grace_s: float = GRACE_S,
        on_started: Callable[[], None] | None = None,
    ) -> None:
        self._on_started = on_started
        self._endpoint = endpoint
        self._grace_s = grace_s
        config = uvicorn.Config(
            endpoint.app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=int(grace_s + _TELL_S) + 1,
        )
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM end it, and return once it has ended.

        uvicorn would raise them again afterwards, and what is still open would never be closed.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in _SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and tell whoever waits for that."""
        await super().startup(sockets)
        if self._on_started is not None:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: first wait, then cancel what still runs."""
        running = self._endpoint.running
        running.is_stopping = True
        if self._endpoint.shadow is not None:
            self._endpoint.shadow.stop()
        timer = asyncio.get_running_loop().call_later(self._grace_s, running.stop)
        try:
            await super().shutdown(sockets)
            # Runs that were begun from the page go on without a connection.
            while not await running.all_over(_LOOK_S):
                if self.force_exit:
                    running.stop()
        finally:
            timer.cancel()
