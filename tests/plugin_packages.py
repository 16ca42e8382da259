"""Installed packages with entry points, written into a folder: what pip leaves behind."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

WORKER = """
from contextlib import asynccontextmanager
from partbook.plugin_api import Completion, Usage, WorkerPlugin


class Model:
    def __init__(self, spec, key):
        self.spec, self.key = spec, key

    async def chat(self, messages, sampling, on_text=None):
        {body}


@asynccontextmanager
async def opened(spec, key):
    yield Model(spec, key)


PLUGIN = WorkerPlugin(api=1, about="a worker", open=opened, {more})
"""


def worker(body: str, more: str = "") -> str:
    """The source of a plug-in's worker; `body` is what its `chat` does."""
    return WORKER.format(body=body, more=more)


SAYS_HELLO = worker('return Completion("hello", Usage(1, 1))')


LAUNCHER = """
import json, os, sys
import partbook.cli.plugins, partbook.cli.evaluating, partbook.cli.playing, partbook.plugin_api
import partbook.models.cached, partbook.models.foreign, partbook.store, partbook.tasks.catalogue
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
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Forks a process for each line it reads: what `partbook` does, without the time to import it."""


class Launcher:
    """Runs processes of the command with packages of a folder, quickly."""

    def __init__(self, folder: Path) -> None:
        self._files = [folder / name for name in ("stdin", "stdout", "stderr")]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, folder: Path, arguments: Sequence[str], stdin: str, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """What the command comes to: its exit status, and what it printed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._files[0].write_text(stdin)
        order = {
            "folder": str(folder),
            "arguments": list(arguments),
            "env": {"PARTBOOK_STORE": os.environ["PARTBOOK_STORE"], "COLUMNS": "300", **env},
            "files": [str(file) for file in self._files],
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        out, err = (file.read_text() for file in self._files[1:])
        return subprocess.CompletedProcess([], status, out, err)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()


@dataclass(frozen=True)
class Site:
    """A folder of installed packages, and the command that sees them."""

    folder: Path
    launcher: "Launcher"

    def add(
        self,
        package: str,
        points: Mapping[str, Mapping[str, str]],
        version: str = "1.0",
        **files: str,
    ) -> None:
        """Install a package: its entry points by group and name, and its modules by name."""
        info = self.folder / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
        )
        groups = (
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
            for group, named in points.items()
        )
        (info / "entry_points.txt").write_text("\n".join(groups))
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(dedent(text))

    def partbook(
        self, *arguments: str, stdin: str = "", **env: str
    ) -> subprocess.CompletedProcess[str]:
        """What `partbook ARGUMENTS` comes to in a process that sees these packages."""
        return self.launcher.run(self.folder, arguments, stdin, env)

    def pool(self, kind: str, more: str = "") -> str:
        """A pool file with one worker of this kind."""
        path = self.folder / "pool.toml"
        path.write_text(
            'name = "mine"\nworkflow = "single"\n[[workers]]\nname = "own"\n'
            f'kind = "{kind}"\nroles = ["general"]\n{more}\n'
        )
        return str(path)
