"""Spreading: rollouts that are played on nodes; the trainer and the workers' limits stay here.

A node that is lost costs a rollout time and nothing else: it is played again on another, with the
answers that it had got. Its deadline is that of the whole batch, so it may be late, which is an
outcome without a reward like any other outage.
"""

import logging
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from partbook.errors import ConfigError
from partbook.spread.fleet import Fleet
from partbook.spread.post import NodeLostError
from partbook.spread.station import Station
from partbook.trace import Trace
from partbook.train.environment import Environment, Outcome
from partbook.train.row import Row

__all__ = ["Nodes", "spread_over"]

log = logging.getLogger(__name__)


class Nodes(Protocol):
    """Other machines on which rollouts are played."""

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Reach them; before the pool is opened, in the loop in which rollouts play."""
        ...

    async def spread(self, environment: Environment) -> Environment:
        """The environment, whose rollouts are played there.

        Raises:
            ConfigError: something is missing on a node, or the environment cannot be sent.
        """
        ...


async def spread_over(fleet: Fleet, environment: Environment) -> Environment:
    """The environment, whose rollouts are played on a fleet; its models are open there.

    Raises:
        ConfigError: it cannot be sent.
    """
    await fleet.load(_Rollouts(replace(environment, loop=None)))

    async def away(row: Row, text: str, before: Trace | None) -> Outcome:
        try:
            outcome = await fleet.play((row, text, before))
        except (NodeLostError, ConfigError) as err:
            log.error("a rollout is not scored: %s", err)
            return Outcome(None, "node")
        assert isinstance(outcome, Outcome)
        return outcome

    return replace(environment, away=away)


@dataclass(frozen=True, slots=True)
class _Rollouts:
    """What plays on a node; as `station.Playing`."""

    environment: Environment

    async def play(self, work: object, station: Station) -> object:
        assert isinstance(work, tuple)
        row, text, before = work
        return (await self.environment.score([row], [text], [before]))[0]
