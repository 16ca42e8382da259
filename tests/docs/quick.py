"""A shell in which `partbook` is the real command without the time to import it.

A server imports the command once. A small program named `partbook` hands its arguments, folder,
environment and open files to it, and the server forks a process that goes on as the command does.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.docs.snippets import ROOT

SERVER = """
import json, os, signal, socket, sys, threading
import aiohttp, alembic, sqlalchemy.dialects.sqlite, starlette, uvicorn
import partbook.cli.live, partbook.list_prices, partbook.server.app, partbook.store
from partbook.cli.main import main

def play(order, files):
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(3, 256)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["partbook", *order["arguments"]]
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)

def attend(connection):
    message, files, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    child = os.fork()
    if child == 0:
        play(json.loads(message), files)
    for file in files:
        os.close(file)
    def end_with_caller():
        if not connection.recv(1):
            try:
                os.kill(child, signal.SIGTERM)
            except ProcessLookupError:
                pass
    threading.Thread(target=end_with_caller, daemon=True).start()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        connection.sendall(bytes([status % 256]))
    except BrokenPipeError:
        pass  # the caller went away, and the command with it
    os._exit(0)

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(64)
while True:
    connection, _ = listener.accept()
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        attend(connection)
    connection.close()
"""

CALLER = """#!{python} -IS
import json, os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect({address!r})
order = dict(arguments=sys.argv[1:], folder=os.getcwd(), environment=dict(os.environ))
socket.send_fds(connection, [json.dumps(order).encode()], [0, 1, 2])
sys.exit((connection.recv(1) or b"\\xff")[0])
"""

LONGEST_S = 300
"""The most seconds of one command."""

_SERVES = re.compile("partbook (serve|lab serve)")

LINKED = ("bench", "examples", "src", "runs/embedded", "runs/paper")
"""What the pages name as if the reader stood in the repository."""


class Shell:
    """Runs commands in folders of their own, with nobody's keys, models, runs or settings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        address = str(folder / "socket")
        caller = folder / "bin" / "partbook"
        caller.parent.mkdir()
        caller.write_text(CALLER.format(python=sys.executable, address=address))
        caller.chmod(0o755)
        self._server = subprocess.Popen([sys.executable, "-c", SERVER, address])
        while not Path(address).exists():
            assert self._server.poll() is None
            time.sleep(0.02)

    def room(self, name: str) -> "Room":
        """A new folder to run the commands of a page in."""
        home = self._folder / name
        home.mkdir()
        for part in LINKED:
            (home / part).parent.mkdir(exist_ok=True)
            (home / part).symlink_to(ROOT / part)
        return Room(home, self._folder / "bin")

    def close(self) -> None:
        """End the server."""
        self._server.terminate()
        self._server.wait(10)


class Room:
    """A folder in which the commands of one page are run, one after the other."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        home = folder.with_name(folder.name + "-home")
        home.mkdir()
        path = [str(programs), str(ROOT / ".venv" / "bin"), str(Path(sys.executable).parent)]
        self._environment = {
            "PATH": ":".join([*path, os.environ["PATH"]]),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._served: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """What a command comes to; the ports 8000 and 8765 are that of the room's server."""
        with subprocess.Popen(
            ["bash", "-c", self._there(command)],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            # What does not end is ended with all that it began.
            ending = threading.Timer(LONGEST_S, os.killpg, (process.pid, signal.SIGKILL))
            ending.start()
            out, err = process.communicate()
            ending.cancel()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def run_python(self, source: str) -> subprocess.CompletedProcess[str]:
        """What a program comes to."""
        (self.folder / "snippet.py").write_text(self._there(source), encoding="utf-8")
        return self.run("python snippet.py")

    def serve(self, command: str) -> None:
        """Start a server in the place of the one that ran, and wait until it listens."""
        self.end_server()
        words = self._there(command)
        if "--port" not in words:
            words += f" --port {self.port}"
        self._served = subprocess.Popen(
            ["bash", "-c", f"exec {words} 2> served.txt"], cwd=self.folder, env=self._environment
        )
        for _ in range(6000):
            assert self._served.poll() is None, (self.folder / "served.txt").read_text()
            with suppress(OSError), socket.create_connection(("127.0.0.1", int(self.port))):
                return
            time.sleep(0.05)
        raise AssertionError(f"nobody listens: {command}")

    def end_server(self) -> None:
        """End the server that runs, if one does."""
        if self._served is not None:
            self._served.send_signal(signal.SIGTERM)
            self._served.wait(20)
            self._served = None

    def close(self) -> None:
        """End what runs, and forget what was written."""
        self.end_server()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _there(self, text: str) -> str:
        if self._served is None and not _SERVES.match(text):
            return text
        for port in ("8000", "8765"):
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{self.port}")
            text = text.replace(f"--port {port}", f"--port {self.port}")
        return text
