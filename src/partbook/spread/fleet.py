"""Fleet: all nodes. Work goes to whichever has least to do, and is played again where one is lost.

What is asked for at once is limited by whoever asks. A piece of work that several nodes were lost
with is given up: perhaps it is what ends them.
"""

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from partbook.errors import ConfigError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel
from partbook.pool import WorkerSpec
from partbook.spread.elsewhere import Elsewhere
from partbook.spread.first_failure import first_failure
from partbook.spread.line import Behind, Item, Line
from partbook.spread.packing import packed
from partbook.spread.post import NodeLostError, Opener, Post, Posts
from partbook.spread.station import Playing

__all__ = ["MOST_LOSSES", "Fleet", "fleet"]

log = logging.getLogger(__name__)

MOST_LOSSES = 3
"""So many nodes that were lost with a piece of work end it."""


class Fleet:
    """All nodes, ready to play; made by `fleet`."""

    def __init__(self, posts: Posts, opener: Opener, group: asyncio.TaskGroup) -> None:
        self._posts = posts
        self._opener = opener
        self._group = group
        self._specs: list[WorkerSpec] = []
        self._models: dict[int, ChatModel] = {}
        self._behind: Behind = _nothing_behind
        self._packed: bytes | None = None
        self._lines: list[Line] = []
        self._running: list[asyncio.Task[None]] = []
        self._changed = asyncio.Event()
        self._looking = 0
        self._numbers = itertools.count()
        self.losses = 0
        """Nodes that were lost."""

    @property
    def nodes(self) -> list[str]:
        """Names of those that play."""
        return [line.post.name for line in self._lines]

    def stand_in(self, spec: WorkerSpec, guard: Callable[[ChatModel], ChatModel]) -> ChatModel:
        """What the driver has in place of a worker's model, which each node will open.

        Args:
            spec: the worker, settled.
            guard: puts the limits of all nodes together before it.

        Returns:
            The model to be used, and to be found in what is loaded.
        """
        assert not self._lines, "models are opened once"
        number = len(self._specs)
        self._specs.append(spec)
        self._models[number] = guard(Elsewhere(number, self._on_any_node))
        return self._models[number]

    async def open(self) -> None:
        """Open on every node the models for which there are stand-ins.

        Raises:
            ConfigError: something is missing on a node, or there is none.
        """
        posts = await self._posts.start()
        with first_failure():
            async with asyncio.TaskGroup() as group:
                opening = [group.create_task(self._opened(post)) for post in posts]
        opened = [post for post, task in zip(posts, opening, strict=True) if task.result()]
        if not opened:
            raise ConfigError("there is no node on which work could be played")
        self._join(opened)

    async def _opened(self, post: Post) -> bool:
        """Whether a node is there, with its models open."""
        try:
            await post.open(self._opener, self._specs)
        except NodeLostError as err:
            log.warning("node %s is not used: %s", post.name, err)
            await post.close()
            return False
        return True

    async def load(self, playing: Playing, behind: Behind | None = None) -> None:
        """Give every node what plays.

        Args:
            playing: models in it that `stand_in` returned are the nodes' own there.
            behind: the wrapper of this process before each call that a node asks for.

        Raises:
            ConfigError: a part of it cannot travel.
        """
        numbers = {id(model): number for number, model in self._models.items()}
        self._packed = packed(playing, numbers)
        self._behind = behind or _nothing_behind
        for line in list(self._lines):
            try:
                await line.post.load(self._packed)
            except NodeLostError:
                continue  # its line finds out by itself

    async def play(self, work: object) -> object:
        """Have a piece of work played somewhere.

        Returns:
            What the loaded `Playing` returned.

        Raises:
            NodeLostError: too many nodes were lost with it.
            ConfigError: no node is left; or as whoever plays it raises.
        """
        item = Item(next(self._numbers), work)
        while True:
            line = await self._freest()
            try:
                return await line.play(item)
            except NodeLostError as err:
                item.losses += 1
                if item.losses >= MOST_LOSSES:
                    raise NodeLostError(
                        f"{MOST_LOSSES} nodes were lost while they played it, the last was {err}"
                    ) from None

    async def _on_any_node(
        self, model: int, messages: Sequence[Message], sampling: Sampling
    ) -> Completion:
        return await (await self._freest()).make(model, messages, sampling)

    async def _freest(self) -> Line:
        while True:
            lines = [line for line in self._lines if not line.lost]
            if lines:
                return min(lines, key=lambda line: line.load)
            if not self._looking:
                raise ConfigError(
                    "all nodes were lost; what was finished is kept, and the same command goes on"
                )
            self._changed.clear()
            await self._changed.wait()

    def _join(self, posts: Sequence[Post]) -> None:
        for post in posts:
            line = Line(post, self._models, lambda about, model: self._behind(about, model))
            self._lines.append(line)
            self._running.append(self._group.create_task(self._run(line)))
        self._changed.set()

    async def _run(self, line: Line) -> None:
        self._looking += 1  # while a line is up, somebody will look for another node after it
        try:
            try:
                await line.run()
            finally:
                self._lines.remove(line)
            self.losses += 1
            log.warning("node %s is lost; what it had begun is played on others", line.post.name)
            await line.post.close()
            await self._look()
        finally:
            self._looking -= 1
            self._changed.set()

    async def _look(self) -> None:
        """Take in nodes that are new, or whose process can be started again."""
        try:
            for post in await self._posts.start():
                if await self._opened(post):
                    if self._packed is not None:
                        await post.load(self._packed)
                    self._join([post])
        except (NodeLostError, ConfigError) as err:
            log.warning("no node in its place: %s", err)

    async def aclose(self) -> None:
        """Stop all nodes."""
        posts = [line.post for line in self._lines]
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
        for post in posts:
            await post.close()


@asynccontextmanager
async def fleet(posts: Posts, opener: Opener) -> AsyncIterator[Fleet]:
    """All nodes, until the block ends.

    Args:
        posts: where nodes come from; closed in the end.
        opener: opens models on a node; a function of a module.

    Raises:
        ConfigError: as the block, or as answering a call raises.
    """
    try:
        with first_failure():
            async with asyncio.TaskGroup() as group:
                found = Fleet(posts, opener, group)
                try:
                    yield found
                finally:
                    await found.aclose()
    finally:
        await posts.close()


def _nothing_behind(about: object, model: ChatModel) -> ChatModel:
    return model
