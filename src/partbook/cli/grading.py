"""What the commands that judge share: who judges by a rubric, and how its verdict is shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import typer

from partbook.cli.opening import closed_pool, opened_pool
from partbook.cli.plain import head
from partbook.config import load_pool
from partbook.pool import Worker

__all__ = ["GraderOption", "judged_by", "opened_grader"]

GraderOption = Annotated[
    str | None,
    typer.Option(metavar="WORKER", help="The worker of --pool that judges where a rubric does."),
]


@asynccontextmanager
async def opened_grader(name: str | None, pool: str) -> AsyncIterator[Worker | None]:
    """The worker that judges, ready to be called; None where none was named.

    Args:
        name: its name or role in the pool.
        pool: name of a pool that comes along, or a file.

    Raises:
        ConfigError: there is no such pool or worker, or it cannot be opened.
    """
    if name is None:
        yield None
        return
    config = load_pool(pool)
    place = closed_pool(config).find(name)
    async with opened_pool(config, {config.workers[place].name}) as opened:
        yield opened[place]


def judged_by(model: str) -> str:
    """What is shown beside a verdict: nothing for a rule, a remark for a model."""
    return f" (judged by a model: {head(model)})" if model else ""
