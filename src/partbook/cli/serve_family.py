"""`partbook serve --processes N`: how the processes are started, and what each of them begins with.

A process is given what the command line asked for, and opens all of it anew. It is in a process
group of its own, so that Ctrl-C reaches the parent alone, which then ends all of them in order.
"""

import asyncio
import logging
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from partbook.cli.plain import clean
from partbook.cli.serve_process import Place, ServeWish, answer
from partbook.collector import collect_seldom
from partbook.errors import ConfigError, PartbookError

if TYPE_CHECKING:
    import socket

__all__ = ["answer_together"]


def answer_together(wish: ServeWish, count: int) -> None:
    """Answer with several processes until it is to end.

    Raises:
        ConfigError: the port cannot be had, or something is for one process alone.
        typer.Exit: a process could not begin; it has said why.
    """
    if wish.page:
        raise ConfigError(
            "--page is for one process, which knows the runs that are begun from it; leave it "
            "out, and start a server for it on the same store: partbook serve --port 8001"
        )
    if wish.shadow is not None:
        raise ConfigError("--shadow is for one process, which keeps its journal; leave it out")
    from partbook.server.processes import keep_running, shared_sockets

    logging.getLogger("partbook.server.processes").addHandler(logging.StreamHandler(sys.stderr))
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(prefix="partbook-serve-") as folder,
        shared_sockets(wish.host, wish.port, count) as socks,
    ):

        def start(index: int, times: int) -> tuple[BaseProcess, Connection]:
            reading, writing = context.Pipe(duplex=False)
            name = f"{index}-{times}"
            process = context.Process(
                target=_be_one, args=(wish, socks[index], Path(folder), name, writing), name=name
            )
            process.start()
            writing.close()
            return process, reading

        def greet(lines: Sequence[str]) -> None:
            print("\n".join([*lines, f"processes: {count}"]), flush=True)

        status = keep_running(start, socks, wish.grace_s, greet)
    if status:
        raise typer.Exit(status)


def _be_one(
    wish: ServeWish, sock: "socket.socket", folder: Path, name: str, told: Connection
) -> None:
    """What a process is started with."""
    from partbook.server.siblings import Siblings

    os.setpgrp()
    collect_seldom()

    def greet(lines: Sequence[str]) -> None:
        told.send(list(lines))
        told.close()

    try:
        answer(wish, Place(sock, Siblings(folder, name), greet, _when_alone))
    except PartbookError as err:
        print(f"error: {clean(str(err))}", file=sys.stderr, flush=True)
        sys.exit(2)


def _when_alone(end: Callable[[], None]) -> None:
    """Have the process end whose parent has gone, for nobody would end it later."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    loop = asyncio.get_running_loop()

    def gone() -> None:
        loop.remove_reader(parent.sentinel)
        end()

    loop.add_reader(parent.sentinel, gone)
