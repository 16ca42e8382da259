"""Nodes of a Ray cluster: one asynchronous actor on each, which carries letters to its station.

Ray is asked for little: to start the actors, to carry calls to them, to say when one is gone. Its
own retries and restarts are off, because only the driver knows what was finished.
"""

import asyncio
import logging
import os
import platform
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeVar

from partbook.collector import collect_seldom
from partbook.errors import ConfigError, PartbookError
from partbook.pool import WorkerSpec
from partbook.spread.first_failure import first_failure
from partbook.spread.letters import FromNode, Told, ToNode
from partbook.spread.post import NodeLostError, Opener, Post
from partbook.spread.station import Station
from partbook.spread.where import Where, check_reachable

try:
    import ray
    from ray.exceptions import RayActorError, RayError, RayTaskError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:
    raise ConfigError(f"--on ray needs {error.name}: pip install 'partbook[ray]'") from error

__all__ = ["RayNodes", "Versions", "check_versions", "connected"]

log = logging.getLogger(__name__)

T = TypeVar("T")

START_S = 120.0
"""How long an actor may take to start: Python, Partbook, and a machine that is busy."""

MOST_STARTS = 3
"""How often an actor is started on one node."""

_AT_ONCE = 10_000
"""Calls that an actor takes at once: a few letters each, never waiting for each other."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What must be the same on both ends."""

    python: str
    """Up to the minor version: pickled closures hold bytecode."""
    partbook: str

    @classmethod
    def here(cls) -> "Versions":
        """Those of this process."""
        return cls(".".join(platform.python_version_tuple()[:2]), version("partbook"))


def check_versions(here: Versions, there: Versions, node: str) -> None:
    """Refuse a node on which the same work would be other work.

    Raises:
        ConfigError: says what differs.
    """
    if here != there:
        raise ConfigError(
            f"node {node} has Python {there.python} and Partbook {there.partbook}, this is Python "
            f"{here.python} and Partbook {here.partbook}; install the same on both"
        )


class _Actor:
    """A station in a process of its own. Errors of ours travel as values."""

    def __init__(self) -> None:
        collect_seldom()
        self._station = Station()

    async def versions(self) -> Versions:
        return Versions.here()

    async def open(self, opener: Opener, specs: Sequence[WorkerSpec]) -> Told | None:
        try:
            await self._station.open(opener, specs)
        except PartbookError as err:
            return Told.of(err)
        return None

    async def load(self, packed: bytes) -> None:
        await self._station.load(packed)

    async def tell(self, letters: Sequence[ToNode]) -> None:
        await self._station.tell(letters)

    async def listen(self) -> list[FromNode]:
        return await self._station.listen()

    async def close(self) -> None:
        await self._station.close()


class _RayPost:
    """The way to one actor; as `post.Post`."""

    def __init__(self, actor: Any, name: str) -> None:
        self._actor = actor
        self.name = name
        self.closed = False

    async def versions(self) -> Versions:
        return await self._asked(self._actor.versions.remote())

    async def open(self, opener: Opener, specs: Sequence[WorkerSpec]) -> None:
        told = await self._asked(self._actor.open.remote(opener, specs))
        if told is not None:
            raise ConfigError(f"node {self.name}: {told.error()}")

    async def load(self, packed: bytes) -> None:
        await self._asked(self._actor.load.remote(packed))

    async def tell(self, letters: Sequence[ToNode]) -> None:
        await self._asked(self._actor.tell.remote(letters))

    async def listen(self) -> Sequence[FromNode]:
        return await self._asked(self._actor.listen.remote())

    async def close(self) -> None:
        self.closed = True
        with suppress(RayError, NodeLostError, TimeoutError):
            async with asyncio.timeout(5):
                await self._asked(self._actor.close.remote())
        with suppress(RayError):
            await asyncio.to_thread(ray.kill, self._actor)

    async def _asked(self, answer: Awaitable[T]) -> T:
        """An actor's answer. An actor that cannot be reached is given up, be it alive or not: it
        gets no leave for a call any more, and so can do no harm."""
        try:
            return await answer
        except RayTaskError:
            raise  # a bug of ours, with its traceback
        except (RayActorError, RayError, ConnectionError) as err:
            raise NodeLostError(f"{self.name} ({type(err).__name__})") from err


class RayNodes:
    """The nodes of the cluster to which this process is connected; as `post.Posts`."""

    def __init__(self, gpus: bool = False) -> None:
        """Begin.

        Args:
            gpus: whether models run on the nodes themselves, and want the GPUs that are there.
        """
        self._gpus = gpus
        self._posts: dict[str, _RayPost] = {}
        self._starts: Counter[str] = Counter()
        self._actor = ray.remote(_Actor)

    async def start(self) -> Sequence[Post]:
        """As `post.Posts.start`."""
        nodes = await asyncio.to_thread(ray.nodes)
        wanted = [node for node in nodes if self._is_wanted(node)]
        with first_failure():
            async with asyncio.TaskGroup() as group:
                starting = [group.create_task(self._started(node)) for node in wanted]
        return [post for task in starting if (post := task.result()) is not None]

    async def close(self) -> None:
        """Leave the cluster."""
        with suppress(RayError):
            await asyncio.to_thread(ray.shutdown)

    def _is_wanted(self, node: Mapping[str, Any]) -> bool:
        name = node["NodeID"]
        post = self._posts.get(name)
        return bool(
            node["Alive"]
            and (post is None or post.closed)
            and node["Resources"].get("CPU", 0) >= 1  # a head that is to do no work has none
            and self._starts[name] < MOST_STARTS
        )

    async def _started(self, node: Mapping[str, Any]) -> _RayPost | None:
        number = node["NodeID"]
        self._starts[number] += 1
        gpus = node["Resources"].get("GPU", 0) if self._gpus else 0
        there = NodeAffinitySchedulingStrategy(number, soft=False)
        options = self._actor.options(
            num_cpus=1, num_gpus=gpus, max_concurrency=_AT_ONCE, scheduling_strategy=there
        )
        actor = await asyncio.to_thread(options.remote)
        post = _RayPost(actor, f"{node['NodeManagerAddress']} ({number[:8]})")
        try:
            async with asyncio.timeout(START_S):
                versions = await post.versions()
        except (NodeLostError, TimeoutError) as err:
            why = str(err) or f"it did not start within {START_S:.0f} s: is a CPU free there?"
            log.warning("node %s is not used: %s", post.name, why)
            await post.close()
            return None
        except RayTaskError as err:
            raise ConfigError(
                f"node {post.name}: Partbook cannot be started there; install the same version "
                f"with the same extras: {str(err).strip().splitlines()[-1]}"
            ) from err
        check_versions(Versions.here(), versions, post.name)
        self._posts[number] = post
        return post


async def connected(where: Where, gpus: bool = False) -> RayNodes:
    """Connect this process to a cluster.

    Raises:
        ConfigError: there is none, it cannot be reached, or it is of another version.
    """
    await asyncio.to_thread(check_reachable, where)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        await asyncio.to_thread(ray.init, where.address, **settings)
    except (ConnectionError, RuntimeError, TimeoutError, ValueError) as err:
        line = str(err).strip().splitlines()[0] if str(err).strip() else type(err).__name__
        if not where.host and isinstance(err, ConnectionError):
            line = "this machine is part of none; begin one with `ray start --head`"
        raise ConfigError(f"cannot connect to the Ray cluster {where.address!r}: {line}") from err
    return RayNodes(gpus)
