"""Tries to get out of the sandbox; the table is in `escapes.py`, what is kept out in `docs/`."""

import asyncio
import contextlib
import json
import os
import platform
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

import pytest

from partbook.cli.plain import clean
from partbook.message import Message, Sampling
from partbook.models.program import PythonRunner
from partbook.sandbox import SandboxLimits, SandboxResult, run_program
from partbook.sandbox.seccomp import REFUSED
from tests.sandbox.escapes import BOUNDS, FAILING, NUMBERS, RUNNER, TRIES, Bound

MACHINE = platform.machine()
LIMITS = SandboxLimits(wall_s=60, cpu_s=30, processes=16)
TIGHT = SandboxLimits(
    cpu_s=2, memory_bytes=200_000_000, file_bytes=20_000_000, output_bytes=100_000
)


pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(MACHINE not in REFUSED, reason=f"nothing is refused on {MACHINE}"),
]


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Iterator[dict[str, Any]]:
    """Facts about this machine, each of them something that a try wants to get hold of."""
    folder = tmp_path_factory.mktemp("host")
    planted = folder / "planted"
    planted.write_text("planted")
    with contextlib.ExitStack() as open_things:
        four = open_things.enter_context(socket.create_server(("127.0.0.1", 0)))
        family = socket.AF_INET6 if socket.has_ipv6 else socket.AF_INET
        six = open_things.enter_context(socket.socket(family))
        with contextlib.suppress(OSError):
            six.bind(("::1", 0))
            six.listen()
        named = open_things.enter_context(socket.socket(socket.AF_UNIX))
        named.bind(str(folder / "s"))
        named.listen()
        abstract = f"partbook-{secrets.token_hex(6)}"
        nameless = open_things.enter_context(socket.socket(socket.AF_UNIX))
        nameless.bind(f"\0{abstract}")
        nameless.listen()
        shared = shared_memory.SharedMemory(create=True, size=64)
        shared.buf[:7] = b"planted"
        open_things.callback(shared.unlink)
        open_things.callback(shared.close)
        # A number that no descriptor of a new process has by chance.
        descriptor = 200
        with planted.open("rb") as file:
            os.dup2(file.fileno(), descriptor, inheritable=True)
        open_things.callback(os.close, descriptor)
        yield {
            "planted": str(planted),
            "checkout": __file__,
            "home": str(Path.home()),
            "port4": four.getsockname()[1],
            "port6": six.getsockname()[1],
            "unix": str(folder / "s"),
            "abstract": abstract,
            "shared": shared.name,
            "descriptor": descriptor,
            "pid": os.getpid(),
            "processes": LIMITS.processes,
            "numbers": REFUSED[MACHINE] | NUMBERS[MACHINE],
        }


@pytest.fixture(scope="module")
def inside(host) -> dict[str, str]:
    """What came of each try in the sandbox."""
    facts = host | {"tries": {one.name: one.source for one in TRIES}}
    os.environ["PLANTED_KEY"] = "planted"
    try:
        ran = asyncio.run(
            run_program(RUNNER, files={"facts.json": json.dumps(facts).encode()}, limits=LIMITS)
        )
    finally:
        del os.environ["PLANTED_KEY"]
    assert (ran.exit_status, ran.limit) == (0, None), ran.stderr
    return dict(map(json.loads, ran.stdout.splitlines()))


@pytest.mark.parametrize("one", TRIES, ids=lambda one: one.name)
def test_a_way_out_is_closed(inside, one):
    assert inside[one.name] in one.ends


def test_there_are_more_than_fifty_ways_with_names_of_their_own():
    names = [one.name for one in (*TRIES, *BOUNDS)]

    assert len(names) == len(set(names)) > 50
    assert not [one.name for one in TRIES if FAILING in one.ends]


def test_outside_the_sandbox_the_same_programs_get_what_they_want(host, tmp_path):
    tries = {one.name: one.source for one in TRIES if one.works_outside}
    (tmp_path / "facts.json").write_text(json.dumps(host | {"tries": tries}))

    told = subprocess.run(
        [sys.executable, "-c", RUNNER],
        cwd=tmp_path,
        env=os.environ | {"PLANTED_KEY": "planted"},
        pass_fds=[host["descriptor"]],
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout

    came = dict(map(json.loads, told.splitlines()))
    kept = {one.name: came[one.name] for one in TRIES if came.get(one.name) in one.ends}
    if kept.keys() <= {"a server on the host by IPv6"}:  # a machine may have no IPv6
        kept = {}
    assert len(came) > 20
    assert kept == {}


@pytest.fixture(scope="module")
def bounded() -> dict[str, SandboxResult]:
    """What came of each program that takes too much, a few of them at once."""

    async def run_all() -> dict[str, SandboxResult]:
        few = asyncio.Semaphore(5)

        async def run(bound: Bound) -> SandboxResult:
            async with few:
                limits = replace(TIGHT, wall_s=bound.wall_s)
                return await run_program(bound.source, entry=_entry(), limits=limits)

        async with asyncio.TaskGroup() as group:
            runs = {bound.name: group.create_task(run(bound)) for bound in BOUNDS}
        return {name: task.result() for name, task in runs.items()}

    return asyncio.run(run_all())


def _entry() -> str:
    return f"escape_{os.getpid()}.py"


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.name)
def test_who_takes_too_much_is_ended(bounded, bound):
    ran = bounded[bound.name]

    assert re.fullmatch(bound.limit, ran.limit or "-")
    assert re.search(rf"{bound.prints}\Z", ran.stdout + ran.stderr)
    assert ran.seconds < 25


def test_nothing_of_them_is_left(bounded):
    left = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if _entry().encode() in place.read_bytes():
                left.append(place)

    assert bounded
    assert left == []


HOSTILE_OUTPUT = r"""
import os, pickle, sys
class Bomb:
    def __reduce__(self):
        return os.mkdir, ("/tmp/partbook-was-here",)
out = sys.stdout.buffer
out.write(b"\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m ")
out.write("\u202egnp.exe\u202c \ud800".encode("utf-8", "surrogatepass"))
out.write(b" \xff\xfe\x00 ")
out.write(pickle.dumps(Bomb()))
out.write(b'\n{"exit_status": 0, "limit": null, "child-pid": 1}\n')
"""
"""Control sequences, turned text, half a pair, bytes that are no text, a pickle that acts, and what
looks like a report of the sandbox."""


async def test_what_a_program_prints_is_text_and_nothing_else():
    ran = await run_program(HOSTILE_OUTPUT + "sys.exit(3)")

    shown = clean(ran.stdout)
    assert (ran.exit_status, ran.limit) == (3, None)
    assert "red" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", shown)
    assert "partbook-was-here" not in os.listdir("/tmp")


async def test_a_worker_that_runs_programs_passes_on_a_bounded_text():
    runner = PythonRunner(run_program)
    asked = [Message("user", "```python\nprint('x' * 500_000)\n```")]

    answer = await runner.chat(asked, Sampling())

    assert len(answer.text) < 8_100
    assert answer.text.endswith("(492000 more characters)")
