"""Takes the code blocks out of the pages, and the commands with what they print out of the blocks.

A comment `<!-- file: NAME -->` in front of a block says under which name the commands below find
what the block holds; a reader of the page does not see it.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
GENERATED = [ROOT / "docs" / "cli.md", *(ROOT / "docs" / "reference").glob("*.md")]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(set((ROOT / "docs").rglob("*.md")) - set(GENERATED)),
    ROOT / "examples" / "bills" / "README.md",
]
"""Pages that people wrote."""

_BLOCK = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n+)?^```(?P<language>[a-z]*)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = re.compile(
    r"(\$ |(partbook|python|pip|make|curl|cd|export|\.venv/bin/\w+|inspect|accelerate|llm"
    r"|docker|createdb|sqlite3) )"
)
_SHELL = {"sh", "console"}


@dataclass(frozen=True)
class Block:
    """One code block of a page."""

    page: str
    """Its path below the repository."""
    line: int
    """Where it begins."""
    language: str
    text: str
    file: str
    """The name under which it is kept for the commands below it, or nothing."""

    @property
    def is_shell(self) -> bool:
        """Whether it holds commands."""
        if self.language:
            return self.language in _SHELL
        return not self.file and _COMMAND.match(self.text) is not None


@dataclass(frozen=True)
class Command:
    """A command as it stands on a page."""

    page: str
    line: int
    text: str
    prints: str | None
    """What the page says that it prints; None where it says nothing."""

    @property
    def is_ours(self) -> bool:
        """Whether the command line of this package is a part of it."""
        return re.search(r"(^|\| )partbook ", self.text) is not None


def blocks(page: Path) -> list[Block]:
    """All code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    return [
        Block(
            name,
            text[: found.start("language")].count("\n") + 1,
            found["language"],
            found["text"],
            found["file"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def commands(block: Block) -> list[Command]:
    """The commands of a shell block, in order.

    Where lines begin with `$ `, what follows until the next one is what the command prints; else
    every line is a command.
    """
    shown = "$ " in block.text and re.search(r"^\$ ", block.text, re.MULTILINE) is not None
    lines = iter(enumerate(block.text.splitlines(), block.line + 1))
    found: list[tuple[int, str, list[str]]] = []
    for number, line in lines:
        if shown and not line.startswith("$ "):
            found[-1][2].append(line.rstrip())
        elif line.strip() and not line.startswith("#"):
            found.append((number, _whole(line.removeprefix("$ "), lines), []))
    return [
        Command(block.page, number, text, "\n".join(prints).strip("\n") or None)
        for number, text, prints in found
    ]


def _whole(text: str, more: Iterator[tuple[int, str]]) -> str:
    """A command with the lines that belong to it: after a backslash, or in open quotes."""
    while not _is_whole(text):
        text = text.removesuffix("\\") + "\n" * (not text.endswith("\\")) + next(more)[1]
    return text


def _is_whole(text: str) -> bool:
    if text.endswith("\\"):
        return False
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return True
