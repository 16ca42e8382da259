"""Rollouts of `partbook train` on the nodes that `--on` names."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from partbook.cli.spreading import away_of, open_nodes, opened_fleet
from partbook.cli.train_pool import opened_for_training
from partbook.config import load_pool
from partbook.pool import AgentPool
from partbook.spread.fleet import Fleet
from partbook.train.data import Data
from partbook.train.environment import Environment
from partbook.train.spreading import spread_over

__all__ = ["TrainingNodes"]


class TrainingNodes:
    """The nodes of a run; as `train.spreading.Nodes`."""

    def __init__(self, on: str, data: Data, say: Callable[[str], None]) -> None:
        self._on = on
        self._pools = () if data.is_lab else (load_pool(data.pool),)
        self._say = say
        self._fleet: Fleet | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Reach them.

        Raises:
            ConfigError: Ray is missing, or the cluster cannot be used.
        """
        async with opened_fleet(self._on, self._pools) as fleet:
            self._fleet = fleet
            yield

    def opened_pool(self, data: Data) -> AbstractAsyncContextManager[AgentPool]:
        """As `train_pool.opened_for_training`; the nodes open the models."""
        return opened_for_training(data, away_of(self._fleet))

    async def spread(self, environment: Environment) -> Environment:
        """As `train.spreading.Nodes.spread`."""
        assert self._fleet is not None, "the nodes were not reached"
        await open_nodes(self._fleet, self._say)
        return await spread_over(self._fleet, environment)
