"""Installed packages with entry points, written into a folder: what pip leaves behind."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.launcher import Launcher

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


IMPORTS = (
    "partbook.cli.plugins",
    "partbook.cli.evaluate_run",
    "partbook.cli.playing",
    "partbook.plugin_api",
    "partbook.models.cached",
    "partbook.models.foreign",
    "partbook.store",
    "partbook.tasks.catalogue",
)
"""What commands with plug-ins need."""


@dataclass(frozen=True)
class Site:
    """A folder of installed packages, and the command that sees them."""

    folder: Path
    launcher: Launcher

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
        env = {"COLUMNS": "300"} | env
        return self.launcher.run(*arguments, folder=self.folder, stdin=stdin, **env)

    def pool(self, kind: str, more: str = "") -> str:
        """A pool file with one worker of this kind."""
        path = self.folder / "pool.toml"
        path.write_text(
            'name = "mine"\nworkflow = "single"\n[[workers]]\nname = "own"\n'
            f'kind = "{kind}"\nroles = ["general"]\n{more}\n'
        )
        return str(path)
