"""Writes docs/cli.md from the commands' own --help, docs/reference/ from the docstrings, and
the drawings.

With --check it says which page is not current, and writes nothing. Run by `make docs`. Rich's
frames are left out of the help so that the page reads as text.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from drawings import drawings
from reference import reference_pages
from typer.core import TyperGroup
from typer.main import get_group

from partbook.cli.main import app

ROOT = Path(__file__).parent.parent
CLI = Path("docs") / "cli.md"


def commands(group: TyperGroup, before: str = "") -> Iterator[str]:
    """All commands by name, each group before its own."""
    for name, command in group.commands.items():
        yield before + name
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{before}{name} ")


def help_of(command: str) -> str:
    """What `partbook COMMAND --help` prints."""
    plain = {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "100", "TYPER_USE_RICH": "0"}
    called = subprocess.run(
        [sys.executable, "-m", "partbook", *command.split(), "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | plain,
    )
    text = called.stdout.strip().replace("python -m partbook", "partbook")
    return "\n".join(line.rstrip() for line in text.splitlines())


def page() -> str:
    """The whole page."""
    parts = [
        "# The command line",
        "This page is made from the commands' own `--help` by `scripts/generate_docs.py`.",
    ]
    for command in commands(get_group(app)):
        parts += [f"## partbook {command}", f"```\n{help_of(command)}\n```"]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the pages, or compare them with what is there."""
    for path, made in {CLI: page(), **reference_pages(), **drawings()}.items():
        file = ROOT / path
        if "--check" not in sys.argv:
            file.parent.mkdir(exist_ok=True)
            file.write_text(made, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != made:
            sys.exit(f"error: {path} is not current; run {Path(__file__).name}")


if __name__ == "__main__":
    main()
