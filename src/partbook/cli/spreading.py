"""Spreads a command over the nodes that `--on` names, and opens models there."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from partbook.cli.opening import opened_pool
from partbook.config import PoolConfig
from partbook.model import ChatModel
from partbook.pool import WorkerSpec
from partbook.spread.where import where_of

if TYPE_CHECKING:
    from partbook.spread.fleet import Fleet
    from partbook.spread.post import Away

__all__ = ["away_of", "open_nodes", "opened_fleet", "opened_on_node"]

_NO_LIMIT = 1_000_000
"""Calls at once of a model that each node has for itself."""


@asynccontextmanager
async def opened_fleet(on: str, pools: Sequence[PoolConfig] = ()) -> "AsyncIterator[Fleet | None]":
    """The nodes on which to play; None: this process plays.

    Args:
        on: as the option says.
        pools: whose workers may be called; those that run on the nodes want their GPUs.

    Raises:
        ConfigError: the option is wrong, Ray is missing, or the cluster cannot be used.
    """
    where = where_of(on)
    if where is None:
        yield None
        return
    from partbook.spread.fleet import fleet
    from partbook.spread.ray_nodes import connected

    gpus = any(spec.kind in ("local", "torch") for pool in pools for spec in pool.workers)
    async with fleet(await connected(where, gpus), opened_on_node) as found:
        yield found


async def open_nodes(fleet: "Fleet | None", say: Callable[[str], None]) -> None:
    """Open on every node what the command needs, and say which nodes there are.

    Raises:
        ConfigError: something is missing on a node, or there is none.
    """
    if fleet is not None:
        await fleet.open()
        say(f"playing on {len(fleet.nodes)} nodes: {', '.join(fleet.nodes)}")


def away_of(fleet: "Fleet | None") -> "Away | None":
    """What gives the stand-ins of models that nodes open; None: models are opened here.

    What a provider limits is kept for all nodes together. What a machine limits, how many
    generations or programs it runs at once, is kept on each.
    """
    if fleet is None:
        return None

    def away(spec: WorkerSpec, wrapped: Callable[[WorkerSpec, ChatModel], ChatModel]) -> ChatModel:
        shared = replace(spec, max_concurrency=_NO_LIMIT) if spec.is_here else spec
        return fleet.stand_in(spec, partial(wrapped, shared))

    return away


@asynccontextmanager
async def opened_on_node(specs: Sequence[WorkerSpec]) -> AsyncIterator[Sequence[ChatModel]]:
    """Open models where this is called: on a node, with its keys, files and programs.

    Raises:
        ConfigError: a key, a model or a package is missing.
    """
    # Pace and cache are the driver's.
    alone = (
        replace(spec, cache=False, requests_per_minute=None, tokens_per_minute=None)
        for spec in specs
    )
    if not specs:
        yield ()
        return
    async with opened_pool(PoolConfig("(node)", "", tuple(alone))) as pool:
        yield [worker.model for worker in pool.workers]
