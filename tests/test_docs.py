"""Commands in the documents exist, with their options; links and names of files lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from partbook.cli.main import app

PARTBOOK = typer.main.get_command(app)
ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
COMMAND = re.compile(r"^(?:\$ )?(partbook .+?)(?:\s+#.*)?$", re.MULTILINE)
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(
    r"`(?:python |pytest )?((?:tests|bench|scripts|examples|src|runs/paper)/[\w./-]*)"
)
TARGET = re.compile(r"`make ([a-z-]+)")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            joined = block.replace("\\\n", " ")
            found += [(page.name, line) for line in COMMAND.findall(joined)]
    return found


def test_there_are_commands_to_check():
    assert len(commands()) > 10


@pytest.mark.parametrize(("page", "line"), commands())
def test_a_command_of_the_documents_is_understood(page, line):
    arguments = shlex.split(re.split(r"\s[|<>]", line)[0])[1:]
    command = PARTBOOK
    while hasattr(command, "commands") and arguments and not arguments[0].startswith("-"):
        assert arguments[0] in command.commands, f"{page}: {line}"
        command, arguments = command.commands[arguments[0]], arguments[1:]

    context = command.make_context("partbook", list(arguments))  # parses, and runs nothing

    assert context.args == []


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links_between_documents_lead_to_a_file(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_files_and_targets_that_a_page_names_are_there(page):
    text = page.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    made = ("bench/out/", "runs/out/")
    named = [name for name in NAMED.findall(text) if not name.startswith(made)]
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [
        name for name in TARGET.findall(text) if not re.search(f"^{name}:", makefile, re.MULTILINE)
    ] == []
