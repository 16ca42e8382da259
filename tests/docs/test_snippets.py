"""What the documents show is run, in order, a page in a folder of its own.

A command must end well, and print what the page says that it prints; a file must be read by what
reads such files. `not_run.py` has the exceptions.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.docs.snippets import PAGES, ROOT, Block, Command, blocks, commands

pytest.importorskip("starlette", reason="needs what `make dev` installs")
yaml = pytest.importorskip("yaml", reason="needs what `make dev` installs")

from partbook.config import load_pool, load_workflow  # noqa: E402
from partbook.errors import PartbookError  # noqa: E402
from partbook.own_prices import read_own_prices  # noqa: E402
from tests.docs import not_run  # noqa: E402
from tests.docs.quick import Room, Shell  # noqa: E402

SHOWN = [page for page in PAGES if blocks(page)]
NAMES = [page.relative_to(ROOT).as_posix() for page in SHOWN]


@pytest.fixture(scope="session")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """Runs commands."""
    running = Shell(tmp_path_factory.mktemp("docs"))
    yield running
    running.close()


@pytest.fixture
def room(shell: Shell, request: pytest.FixtureRequest) -> Iterator[Room]:
    """A folder for the commands of one page."""
    made = shell.room(re.sub(r"\W", "-", request.node.name))
    yield made
    made.close()


@pytest.mark.parametrize("page", SHOWN, ids=NAMES)
def test_what_a_page_shows_is_so(page, room):
    name = page.relative_to(ROOT).as_posix()
    for given in not_run.GIVEN.get(name, ()):
        write(room, *shown_file(given))
    for command in not_run.BEFORE.get(name, ()):
        assert room.run(command).returncode == 0, command
    if name in not_run.STAND_IN:
        room.serve(not_run.STAND_IN[name])

    wrong = [fault for block in blocks(page) for fault in faults(block, room)]

    assert not wrong, "\n\n" + "\n\n".join(wrong)


@pytest.mark.parametrize("table", ["KEYS", "MODELS", "NOT_RUN", "VARIES"])
def test_an_exception_is_that_of_a_snippet_that_is_there(table):
    shown = [command for page in PAGES for block in blocks(page) for command in all_of(block)]

    for page, beginnings in getattr(not_run, table).items():
        for beginning in beginnings:
            assert any(c.page == page and c.text.startswith(beginning) for c in shown), beginning


def all_of(block: Block) -> list[Command]:
    """The commands of a block; a program counts as one."""
    if block.is_shell:
        return commands(block)
    return [Command(block.page, block.line, block.text, None)]


def shown_file(given: str) -> tuple[str, str]:
    """Name and text of a file that a page shows."""
    page, name = given.split(":")
    (text,) = [block.text for block in blocks(ROOT / page) if block.file == name]
    return name, text


def write(room: Room, name: str, text: str) -> Path:
    path = room.folder / name
    path.write_text(text, encoding="utf-8")
    return path


def faults(block: Block, room: Room) -> Iterator[str]:
    """What is wrong with a block, in words."""
    if block.is_shell:
        for command in commands(block):
            for fault in faults_of(command, room):
                yield f"{command.page}:{command.line}: {command.text}\n{fault}"
        return
    path = write(room, block.file or "shown", block.text)
    try:
        fault = read(block, path, room)
    except (PartbookError, ValueError, yaml.YAMLError) as err:
        fault = str(err)
    if fault:
        yield f"{block.page}:{block.line}: {fault}"


def read(block: Block, path: Path, room: Room) -> str:
    """Let what reads such a file read it; nothing where it can.

    Raises:
        PartbookError, ValueError: it cannot.
    """
    if block.language == "toml":
        read_toml(block.text, path)
    elif block.language == "json" or block.text.startswith('{"'):
        # Rows of a task, one a line.
        for line in block.text.splitlines():
            json.loads(line)
    elif block.language == "yaml":
        yaml.safe_load(block.text)
    elif block.language == "python" and not reason(not_run.NOT_RUN, block.page, block.text):
        done = room.run_python(block.text)
        return done.stderr if done.returncode else ""
    return ""


def read_toml(text: str, path: Path) -> None:
    keys = tomllib.loads(text)
    if "workers" in keys and all("kind" in worker for worker in keys["workers"]):
        if "name" not in keys:
            path.write_text('name = "shown"\n' + text, encoding="utf-8")
        load_pool(str(path.rename(path.with_suffix(".toml"))))
    elif "steps" in keys:
        load_workflow(str(path.rename(path.with_suffix(".toml"))))
    elif "prices" in keys:
        read_own_prices(path)


def faults_of(command: Command, room: Room) -> Iterator[str]:
    """Run a command, and say what is not as the page says."""
    text = command.text
    if text.startswith(("make ", "pip install ")):
        yield from unknown_words(text)
    elif begins(not_run.KEYS, command):
        done = room.run(text)
        if done.returncode not in (1, 2) or "needs an API key" not in done.stderr + done.stdout:
            yield f"it does not end for want of a key: {done}"
    elif begins(not_run.MODELS, command):
        done = room.run(text)
        if done.returncode != 2 or "is not here yet" not in done.stderr:
            yield f"it does not end for want of a model: {done}"
    elif reason(not_run.NOT_RUN, command.page, text):
        return
    elif re.match(r"partbook (serve|lab serve)", text):
        room.serve(text)
    else:
        yield from different(command, room)


def unknown_words(text: str) -> Iterator[str]:
    """Targets that the Makefile does not have, extras that the package does not have."""
    if text.startswith("make "):
        target = shlex.split(text, comments=True)[1]
        if not re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE):
            yield "there is no such target"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for named in re.findall(r"(?:\.|partbook)\[([\w,]+)\]", text):
        if not set(named.split(",")) <= set(extras["optional-dependencies"]):
            yield "there is no such extra"


def different(command: Command, room: Room) -> Iterator[str]:
    """How what a command does differs from what the page says."""
    done = room.run(command.text)
    printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
    wanted = command.prints
    expected = 0
    if wanted is not None and (ending := re.search("^(error|stopped): ", wanted, re.MULTILINE)):
        expected = {"error": 2, "stopped": 1}[ending[1]]
    varies = reason(not_run.VARIES, command.page, command.text)
    if done.returncode != expected and not (varies and done.returncode == 1):
        yield f"it ends with {done.returncode}, not {expected}:\n{printed[-800:]}"
    elif wanted is not None and not varies and not same(printed.strip("\n"), wanted):
        yield f"it prints\n{printed}\nand not\n{wanted}"


def same(printed: str, shown: str) -> bool:
    """Whether the texts are the same; a line `...` of the page stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, printed + "\n") is not None


def begins(table: Mapping[str, tuple[str, ...]], command: Command) -> bool:
    return any(command.text.startswith(one) for one in table.get(command.page, ()))


def reason(table: Mapping[str, Mapping[str, str]], page: str, text: str) -> str:
    """Why the text is an exception, or nothing."""
    found = [one for one in table.get(page, {}) if text.startswith(one)]
    return table[page][max(found, key=len)] if found else ""
