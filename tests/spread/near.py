"""Nodes in this process that can be lost, and work for them.

Everything passes through pickle, as it does on the way to another machine.
"""

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from partbook.budget import Budget, Limits
from partbook.conduct import Fixed, conduct
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.model import ChatModel
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.spread.fleet import Fleet
from partbook.spread.letters import FromNode, ToNode
from partbook.spread.post import NodeLostError, Opener, Post
from partbook.spread.station import Station
from tests.fakes import pool_of


class NearPost:
    """A node in this process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lost = asyncio.Event()
        self.station = Station()

    async def lose(self) -> None:
        """End it as a power cut does."""
        self.lost.set()
        await self.station.close()

    async def open(self, opener: Opener, specs: Sequence[WorkerSpec]) -> None:
        self._check()
        await self.station.open(opener, pickle.loads(pickle.dumps(specs)))

    async def load(self, packed: bytes) -> None:
        self._check()
        await self.station.load(packed)

    async def tell(self, letters: Sequence[ToNode]) -> None:
        self._check()
        await self.station.tell(pickle.loads(pickle.dumps(letters)))

    async def listen(self) -> Sequence[FromNode]:
        self._check()
        heard = asyncio.create_task(self.station.listen())
        lost = asyncio.create_task(self.lost.wait())
        try:
            await asyncio.wait([heard, lost], return_when=asyncio.FIRST_COMPLETED)
            self._check()
            return pickle.loads(pickle.dumps(heard.result()))
        finally:
            heard.cancel()
            lost.cancel()

    async def close(self) -> None:
        await self.station.close()

    def _check(self) -> None:
        if self.lost.is_set():
            raise NodeLostError(self.name)


@dataclass
class NearPosts:
    """So many nodes at first, and those that join later."""

    count: int
    later: int = 0
    posts: list[NearPost] = field(default_factory=list)

    async def start(self) -> Sequence[Post]:
        new, self.count, self.later = self.count, self.later, 0
        posts = [NearPost(f"n{len(self.posts) + i}") for i in range(new)]
        self.posts += posts
        return posts

    async def close(self) -> None:
        pass


@dataclass
class Opened:
    """Opens the same models on every node: those that are there."""

    models: Sequence[ChatModel]

    @asynccontextmanager
    async def __call__(self, specs: Sequence[WorkerSpec]) -> AsyncIterator[Sequence[ChatModel]]:
        yield self.models[: len(specs)]


@dataclass(frozen=True)
class Chains:
    """Plays a question through all workers, each reading all before it."""

    pool: AgentPool
    limits: Limits = field(default_factory=Limits)

    async def play(self, work: object, station: Station) -> object:
        names = self.pool.names
        steps = tuple(FixedStep(n, f"part {i}", tuple(range(i))) for i, n in enumerate(names))
        proposer = Fixed(FixedWorkflow("chain", "", steps))
        trace = await conduct(str(work), self.pool, proposer, limits=self.limits)
        return trace.status, trace.answer, trace.detail


def away_pool(fleet: Fleet, count: int, guard=lambda model: model) -> AgentPool:
    """A pool of so many workers whose models the nodes have."""
    workers = pool_of(*[None] * count, retries=0).workers
    return AgentPool(
        "away", tuple(Worker(one.spec, fleet.stand_in(one.spec, guard)) for one in workers)
    )


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds that has no event of its own."""
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


def budget_of(**limits) -> Budget:
    return Budget(Limits(**limits))
