"""Spreading: cells that are played on nodes, with the log and the budget of this process.

A system that is played there finds the same workers, problems and judges; only its till asks this
process. What came of a cell is written here, exactly as if it had been played here, so that an
evaluation can be begun on many machines and gone on with on one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from partbook.errors import BudgetError
from partbook.evaluate.running.cell import Cell, Key, spent_of
from partbook.evaluate.running.desk import Done, Seat, play_key
from partbook.evaluate.running.runner import PlayKey
from partbook.evaluate.running.till import OnRefused, Purse, Who
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.spread.fleet import Fleet
from partbook.spread.post import NodeLostError
from partbook.spread.station import Station

__all__ = ["spread_over"]


async def spread_over(fleet: Fleet | None, seat: Seat, purse: Purse) -> PlayKey | None:
    """Make nodes ready to play cells.

    Args:
        fleet: the nodes, with their models open; None: there are none.
        seat: what is played with; its workers' models are the fleet's stand-ins.
        purse: the log and the budget of the evaluation.

    Returns:
        Plays a cell on one of the nodes; None: cells are played in this process.

    Raises:
        ConfigError: a system or a judge cannot be sent to them.
    """
    if fleet is None:
        return None
    await fleet.load(_Cells(seat), lambda about, model: _behind(purse, about, model))

    async def play(key: Key) -> Done:
        try:
            done = await fleet.play(key)
        except NodeLostError as err:
            return _lost(key, str(err))
        assert isinstance(done, Done)
        return done

    return play


@dataclass(frozen=True, slots=True)
class _Cells:
    """What plays on a node; as `station.Playing`."""

    seat: Seat

    async def play(self, work: object, station: Station) -> object:
        assert isinstance(work, tuple)
        return await play_key(self.seat, (work[0], work[1], work[2]), _FarTill(station))


@dataclass(frozen=True, slots=True)
class _FarTill:
    """On a node: the till is elsewhere."""

    station: Station

    def behind(self, model: ChatModel, who: Who, on_refused: OnRefused) -> ChatModel:
        """As `Till.behind`."""
        return _Telling(self.station.behind(model, who), on_refused)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Notes that the whole evaluation's limit forbade a call: no other can forbid it there."""

    model: ChatModel
    on_refused: OnRefused

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`."""
        try:
            return await self.model.chat(messages, sampling, on_text)
        except BudgetError as err:
            self.on_refused(err)
            raise


def _behind(purse: Purse, about: object, model: ChatModel) -> ChatModel:
    """What lies before a model when a node asks for a call: nothing before a judge's."""
    if isinstance(about, Who):
        return purse.behind(model, about, lambda err: None)
    return model


def _lost(key: Key, why: str) -> Done:
    """A cell that no node lived to finish."""
    cell = Cell(*key, "not judged", why, None, None, "", spent_of(()), 0.0, (), ())
    return Done(cell, ())
