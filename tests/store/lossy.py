"""Sockets between a store and its server: one that loses a commit, and one that is too old."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["Lossy", "lossy", "old_server"]

SOCKET = ".s.PGSQL.5432"


class Lossy:
    """Hands everything on, but cuts the connection at the next commit once it is told to."""

    def __init__(self, server: Path) -> None:
        self._server = server
        self._cut: str | None = None
        self._lock = threading.Lock()

    def cut_before_commit(self) -> None:
        """The next commit does not reach the server."""
        self._cut = "before"

    def cut_after_commit(self) -> None:
        """The next commit does, but its answer does not come back."""
        self._cut = "after"

    def serve(self, client: socket.socket) -> None:
        """Stand between a client and the server until one of them leaves."""
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self._server / SOCKET))
        back = threading.Thread(target=_hand_on, args=(server, client))
        back.start()
        with suppress(OSError):
            while data := client.recv(65_536):
                with self._lock:
                    cut, self._cut = (self._cut, None) if b"COMMIT\0" in data else (None, self._cut)
                if cut is not None:
                    client.shutdown(socket.SHUT_RDWR)
                if cut == "before":
                    break
                server.sendall(data)
                if cut == "after":
                    break
        server.shutdown(socket.SHUT_WR)  # the server answers what it has got, and closes
        back.join()
        client.close()
        server.close()


def _hand_on(server: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while data := server.recv(65_536):
            with suppress(OSError):
                client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)


@contextmanager
def _listening(folder: Path, serve) -> Iterator[None]:
    """Serve each client in a thread of its own."""
    threads = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / SOCKET))
        listener.listen()

        def accept() -> None:
            while True:
                client, _ = listener.accept()
                if not client.recv(1, socket.MSG_PEEK):
                    client.close()
                    return
                threads.append(threading.Thread(target=serve, args=(client,)))
                threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield
        finally:
            with socket.socket(socket.AF_UNIX) as last:  # one that says nothing ends the accepting
                last.connect(str(folder / SOCKET))
            accepting.join()
    for thread in threads:
        thread.join()


@contextmanager
def lossy(server: Path, folder: Path) -> Iterator[Lossy]:
    """A way to the server whose socket is in one folder, through a socket in another one."""
    way = Lossy(server)
    with _listening(folder, way.serve):
        yield way


@contextmanager
def old_server(folder: Path, version: str, encoding: str = "UTF8") -> Iterator[None]:
    """What a server of another version says to whoever connects.

    https://www.postgresql.org/docs/current/protocol-message-formats.html
    """
    told = {"server_version": version, "server_encoding": encoding, "client_encoding": "UTF8"}
    greeting = b"R" + struct.pack("!ii", 8, 0)
    for name, value in told.items():
        body = f"{name}\0{value}\0".encode()
        greeting += b"S" + struct.pack("!i", 4 + len(body)) + body
    greeting += b"Z" + struct.pack("!ic", 5, b"I")

    def serve(client: socket.socket) -> None:
        client.recv(65_536)
        client.sendall(greeting)
        client.recv(65_536)
        client.close()

    with _listening(folder, serve):
        yield
