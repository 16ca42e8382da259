"""Line: the driver's side of one node: what it was given to play, and the calls it may make.

When the node is lost, its calls are given up as if somebody had cancelled them: the worst case of
each stays reserved, and none has an end in the log. Only then are its items given back.
"""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from partbook.errors import PartbookError, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel
from partbook.spread.elsewhere import ASKED_BY, Granted
from partbook.spread.letters import (
    Ask,
    Done,
    FromNode,
    GiveUp,
    Made,
    Make,
    Play,
    Said,
    Told,
    ToNode,
    Withdraw,
)
from partbook.spread.post import NodeLostError, Post

__all__ = ["Behind", "Item", "Line"]

T = TypeVar("T")

Behind = Callable[[object, ChatModel], ChatModel]
"""Puts the driver's wrapper before a model: (what a node says about the call, model) -> model."""


@dataclass(slots=True)
class Item:
    """A piece of work, with the answers that it got: they outlive the node that plays it."""

    number: int
    work: object
    losses: int = 0
    """Nodes that were lost while they played it."""
    answers: dict[object, list[Completion]] = field(default_factory=dict)
    given: dict[object, int] = field(default_factory=dict)
    """How many of the answers this node was told."""

    def known(self, ask: Ask) -> Completion | None:
        """An answer that the item got on a node that was lost; each is given once."""
        place = self.given.get(ask.likeness, 0)
        answers = self.answers.get(ask.likeness, ())
        if place >= len(answers):
            return None
        self.given[ask.likeness] = place + 1
        return answers[place]

    def keep(self, ask: Ask, completion: Completion) -> None:
        """Remember an answer."""
        self.answers.setdefault(ask.likeness, []).append(completion)
        self.given[ask.likeness] = self.given.get(ask.likeness, 0) + 1


class Line:
    """One node."""

    def __init__(self, post: Post, models: Mapping[int, ChatModel], behind: Behind) -> None:
        """Begin; `run` has to run.

        Args:
            post: carries the letters.
            models: those that nodes have opened, by number, behind the limits of all nodes.
            behind: the driver's wrapper.
        """
        self.post = post
        self._models = models
        self._behind = behind
        self._items: dict[int, tuple[Item, asyncio.Future[object]]] = {}
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._orders: dict[int, asyncio.Future[Completion]] = {}
        self._numbers = itertools.count()
        self._outbox: asyncio.Queue[ToNode] = asyncio.Queue()
        self._broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost = False

    @property
    def load(self) -> int:
        """How much it has to do."""
        return len(self._items) + len(self._orders)

    async def run(self) -> None:
        """Carry letters until the node is lost, or this is cancelled.

        Raises:
            Exception: a bug in answering a call, of whatever type.
        """
        carrying = [asyncio.create_task(one()) for one in (self._hear, self._send)]
        try:
            await asyncio.wait([*carrying, self._broken], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.lost = True
            for task in carrying:
                task.cancel()
            await asyncio.wait(carrying)
            await self._give_up()
        for ended in (*carrying, self._broken):
            if ended.done() and not ended.cancelled():
                with suppress(NodeLostError):
                    ended.result()

    async def play(self, item: Item) -> object:
        """Have an item played.

        Raises:
            NodeLostError: the node was lost before the item was finished.
            PartbookError: as whoever plays it raises.
        """
        if self.lost:
            raise NodeLostError(self.post.name)
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        item.given.clear()
        self._items[item.number] = (item, future)
        self._outbox.put_nowait(Play(item.number, item.work))
        try:
            return await future
        finally:
            del self._items[item.number]
            if not future.done() or future.cancelled():
                self._outbox.put_nowait(GiveUp(item.number))

    async def make(
        self,
        model: int,
        messages: Sequence[Message],
        sampling: Sampling,
    ) -> Completion:
        """Have the node make a call of the driver's own.

        Raises:
            WorkerError: as the model does; the node was lost: nobody knows what it cost.
        """
        try:
            return await self._order(None, model, tuple(messages), sampling)
        except NodeLostError as err:
            raise WorkerError(f"node {err} was lost", kind="connection") from None

    async def _order(
        self,
        call: int | None,
        model: int = 0,
        messages: tuple[Message, ...] = (),
        sampling: Sampling | None = None,
    ) -> Completion:
        if self.lost:
            raise NodeLostError(self.post.name)
        order = next(self._numbers)
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._orders[order] = future
        self._outbox.put_nowait(Make(order, call, model, messages, sampling))
        try:
            return await future
        finally:
            del self._orders[order]

    async def _send(self) -> None:
        while True:
            letters = [await self._outbox.get()]
            while not self._outbox.empty():
                letters.append(self._outbox.get_nowait())
            await self.post.tell(letters)

    async def _hear(self) -> None:
        while True:
            for letter in await self.post.listen():
                self._take(letter)

    def _take(self, letter: FromNode) -> None:
        match letter:
            case Ask():
                if letter.item in self._items:  # else it was given up, and says so soon
                    item, _ = self._items[letter.item]
                    task = asyncio.create_task(self._answer(letter, item))
                    self._calls[letter.call] = task
                    task.add_done_callback(partial(self._answered, letter.call))
            case Withdraw():
                task_or_none = self._calls.get(letter.call)
                if task_or_none is not None:
                    task_or_none.cancel()
            case Made():
                _settle(self._orders.get(letter.order), letter.completion, letter.error)
            case Done():
                if letter.item in self._items:
                    _settle(self._items[letter.item][1], letter.result, letter.error)

    async def _answer(self, ask: Ask, item: Item) -> None:
        """Let a node make a call, behind the driver's wrappers, and say what came of it."""
        completion = item.known(ask)
        if completion is None:
            ASKED_BY.set(lambda: self._order(ask.call))
            model = Granted() if ask.model is None else self._models[ask.model]
            try:
                wrapped = self._behind(ask.about, model)
                completion = await wrapped.chat(ask.messages, ask.sampling)
            except PartbookError as err:
                self._outbox.put_nowait(Said(ask.call, None, Told.of(err)))
                return
            item.keep(ask, completion)
        self._outbox.put_nowait(Said(ask.call, completion))

    def _answered(self, call: int, done: asyncio.Task[None]) -> None:
        del self._calls[call]
        error = None if done.cancelled() else done.exception()
        if error is not None and not self._broken.done():
            self._broken.set_exception(error)

    async def _give_up(self) -> None:
        calls = list(self._calls.values())
        for task in calls:
            task.cancel()
        if calls:
            await asyncio.wait(calls)
        lost = NodeLostError(self.post.name)
        for order in list(self._orders.values()):
            if not order.done():
                order.set_exception(lost)
        for _, played in list(self._items.values()):
            if not played.done():
                played.set_exception(lost)


def _settle(future: asyncio.Future[T] | None, result: T | None, error: Told | None) -> None:
    """End what waits for a letter; nobody may wait for it any more."""
    if future is None or future.done():
        return
    if error is not None:
        future.set_exception(error.error())
    else:
        future.set_result(result)  # type: ignore[arg-type]
