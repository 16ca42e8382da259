"""Post: what carries letters between the driver and one node.

`ray_nodes` has one, tests have another.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from partbook.model import ChatModel
from partbook.pool import WorkerSpec
from partbook.spread.letters import FromNode, ToNode

__all__ = ["Away", "NodeLostError", "Opener", "Post", "Posts"]

Opener = Callable[[Sequence[WorkerSpec]], AbstractAsyncContextManager[Sequence[ChatModel]]]
"""Opens the models of workers on the machine on which it is called; pickled by its name."""

Away = Callable[[WorkerSpec, Callable[[WorkerSpec, ChatModel], ChatModel]], ChatModel]
"""What stands for the model of a worker that nodes open: (worker, its limits) -> model."""


class NodeLostError(Exception):
    """A node is gone, or cannot be reached; nothing that it says later is heard."""


class Post(Protocol):
    """The way to one node. Every method raises `NodeLostError` where the node is gone."""

    @property
    def name(self) -> str:
        """Of the node, for people."""
        ...

    async def open(self, opener: Opener, specs: Sequence[WorkerSpec]) -> None:
        """Open the models there.

        Raises:
            ConfigError: something is missing there: a key, a model, a package.
        """
        ...

    async def load(self, packed: bytes) -> None:
        """Give it what plays; see `packing`."""
        ...

    async def tell(self, letters: Sequence[ToNode]) -> None:
        """Bring letters there."""
        ...

    async def listen(self) -> Sequence[FromNode]:
        """Wait for letters from there."""
        ...

    async def close(self) -> None:
        """End it; raises nothing."""
        ...


class Posts(Protocol):
    """Where nodes come from."""

    async def start(self) -> Sequence[Post]:
        """Ways to all nodes to which there is none yet, or none any more.

        Raises:
            ConfigError: the nodes are not such that work can be played there.
        """
        ...

    async def close(self) -> None:
        """Let go of all of it; raises nothing."""
        ...
