"""Sketching: a Conductor writes a workflow for one prompt of a log, here or on a node."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from partbook.budget import Limits
from partbook.conduct import Conductor, plan
from partbook.economy.prompts import Prompt
from partbook.errors import BudgetError, ParseError, WorkerError
from partbook.event import Event, Proposed
from partbook.model import ChatModel
from partbook.pool import AgentPool
from partbook.spread.fleet import Fleet
from partbook.spread.post import NodeLostError
from partbook.spread.station import Station

__all__ = ["Read", "Reader", "Reading", "read_on"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One prompt that was read, and what that took."""

    prompt: Prompt
    steps: tuple[tuple[str, str], ...] = ()
    """Worker and subtask of each; empty: there is no workflow."""
    error: str = ""
    """Why there is none."""
    asked: tuple[Proposed, ...] = ()
    """The calls of the Conductor."""
    silent: bool = False
    """Whether there was no answer at all."""
    stopped: str = ""
    """The limit for all prompts together that was reached; empty: none."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Lets a Conductor write workflows, which nobody plays."""

    pool: AgentPool
    conductor: Conductor
    timeout_s: float | None
    """For one prompt."""

    async def read(self, prompt: Prompt) -> Reading:
        """Read one prompt.

        Raises:
            ConfigError: a limit in dollars, and the Conductor's price is unknown.
        """
        events: list[Event] = []
        steps: tuple[tuple[str, str], ...] = ()
        error = stopped = ""
        silent = False
        limits = Limits(timeout_s=self.timeout_s)
        try:
            planned = await plan(
                prompt.text, self.pool, self.conductor, limits=limits, on_event=events.append
            )
            steps = tuple((self.pool.names[s.worker], s.subtask) for s in planned.workflow.steps)
        except ParseError as err:
            error = str(err)
        except WorkerError as err:
            error, silent = str(err), True
        except BudgetError as err:
            error, silent = str(err), err.limit == "timeout"
            stopped = "" if silent else str(err)
        asked = tuple(one for one in events if isinstance(one, Proposed))
        return Reading(prompt, steps, error, asked, silent, stopped)


Read = Callable[[Prompt], Coroutine[None, None, Reading]]
"""Reads a prompt somewhere."""


async def read_on(nodes: Fleet, reader: Reader, paid: Callable[[ChatModel], ChatModel]) -> Read:
    """Make nodes ready to read prompts; the money stays here.

    Args:
        nodes: with the Conductor's model open.
        reader: what reads there.
        paid: puts the budget before a model.
    """
    await nodes.load(_There(reader), lambda about, model: paid(model))

    async def read(prompt: Prompt) -> Reading:
        try:
            reading = await nodes.play(prompt)
        except NodeLostError as err:
            return Reading(prompt, error=str(err), silent=True)
        assert isinstance(reading, Reading)
        return reading

    return read


@dataclass(frozen=True, slots=True)
class _There:
    """What reads on a node; as `station.Playing`."""

    reader: Reader

    async def play(self, work: object, station: Station) -> object:
        assert isinstance(work, Prompt)
        return await self.reader.read(work)
