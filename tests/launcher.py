"""Forks processes of the command: what `partbook` does, without the time to import it."""

import json
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["Launcher"]

PROGRAM = """
import json, os, sys
import {imports}
from partbook.cli.main import main
for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, path in enumerate(order["files"]):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        os.environ.update(order["env"])
        os.chdir(order["folder"])
        sys.path.insert(0, order["folder"])
        sys.argv = ["partbook", *order["arguments"]]
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
            status = 99
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Starts a process for each line it reads, and says its id, and how it ended (99: by a bug)."""


class Launcher:
    """Starts processes of the command, quickly."""

    def __init__(self, folder: Path, *imports: str) -> None:
        """Keep their input and output in a folder; `imports` is what they need not import again."""
        self._files = [folder / name for name in ("stdin.txt", "stdout.txt", "stderr.txt")]
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(imports=", ".join(imports))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(
        self, *arguments: str, folder: Path | None = None, stdin: str = "", **env: str
    ) -> int:
        """Start `partbook ARGUMENTS` in a folder, whose modules it sees, and give its id."""
        self._files[0].write_text(stdin)
        self._files[1].unlink(missing_ok=True)
        order = {
            "folder": str(folder or Path.cwd()),
            "arguments": arguments,
            "env": {"PARTBOOK_STORE": os.environ["PARTBOOK_STORE"]} | env,
            "files": [str(file) for file in self._files],
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    @property
    def printed(self) -> str:
        """What the process that was started last has printed so far."""
        return self._files[1].read_text() if self._files[1].exists() else ""

    def wait(self) -> subprocess.CompletedProcess[str]:
        """The exit status of what was started last (below 0: killed), and what it printed."""
        status = int(self._line())
        out, err = (file.read_text() for file in self._files[1:])
        return subprocess.CompletedProcess([], status, out, err)

    def run(
        self, *arguments: str, folder: Path | None = None, stdin: str = "", **env: str
    ) -> subprocess.CompletedProcess[str]:
        """What `partbook ARGUMENTS` comes to."""
        self.start(*arguments, folder=folder, stdin=stdin, **env)
        return self.wait()

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()
