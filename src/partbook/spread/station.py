"""Station: a node's side. It plays what it is told to play, and asks leave for every call.

It keeps nothing: what it has finished, the driver has. A station whose driver is gone makes no
further call, for nobody gives it leave.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Protocol

from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.pool import WorkerSpec
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
from partbook.spread.packing import unpacked
from partbook.spread.post import Opener

__all__ = ["Asking", "Playing", "Question", "Station"]

_ITEM: ContextVar[int] = ContextVar("_ITEM")
"""What is being played in this task."""


class Playing(Protocol):
    """What plays; packed by the driver, loaded here."""

    async def play(self, work: object, station: "Station") -> object:
        """Play one piece of work; what it returns can be pickled."""
        ...


@dataclass(frozen=True, slots=True)
class Asking:
    """A ChatModel that is called here, once the driver lets it."""

    station: "Station"
    number: int | None
    """Of the opened models; None: it was packed with the work."""
    model: ChatModel
    about: object = None
    """For the driver's wrapper; hashable."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`.

        Raises:
            BudgetError: the driver forbade the call.
            ConfigError: likewise, and only the user can mend it.
        """
        async with self.station.question(self, tuple(messages), sampling) as question:
            while True:
                word = await question.words.get()
                if isinstance(word, Make):
                    made = await _ended(word.order, self.model, messages, sampling)
                    self.station.say(made)
                    continue
                question.answered = True
                if word.completion is not None:
                    return word.completion
                assert word.error is not None
                raise word.error.error()


class Station:
    """One node's side, whatever carries the letters."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._models: Sequence[ChatModel] = ()
        self._playing: Playing | None = None
        self._outbox: list[FromNode] = []
        self._filled = asyncio.Event()
        self._numbers = itertools.count()
        self._questions: dict[int, asyncio.Queue[Make | Said]] = {}
        """What was said of the calls that wait for leave or for their end."""
        self._items: dict[int, asyncio.Task[None]] = {}
        self._orders: set[asyncio.Task[None]] = set()

    async def open(self, opener: Opener, specs: Sequence[WorkerSpec]) -> None:
        """As `Post.open`."""
        self._models = await self._stack.enter_async_context(opener(specs))

    async def load(self, packed: bytes) -> None:
        """As `Post.load`."""
        loaded = unpacked(packed, lambda number: Asking(self, number, self._models[number]))
        self._playing = loaded  # type: ignore[assignment]

    async def tell(self, letters: Sequence[ToNode]) -> None:
        """As `Post.tell`."""
        for letter in letters:
            match letter:
                case Play():
                    self._items[letter.item] = asyncio.create_task(self._play(letter))
                case GiveUp():
                    task = self._items.get(letter.item)
                    if task is not None:
                        task.cancel()
                case Make(call=None):
                    order = asyncio.create_task(self._make(letter))
                    self._orders.add(order)
                    order.add_done_callback(self._orders.discard)
                case Make() | Said():
                    self._answer(letter)

    async def listen(self) -> list[FromNode]:
        """As `Post.listen`."""
        await self._filled.wait()
        self._filled.clear()
        letters, self._outbox = self._outbox, []
        return letters

    async def close(self) -> None:
        """Stop what is played, and close the models."""
        tasks = [*self._items.values(), *self._orders]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._stack.aclose()

    def say(self, letter: FromNode) -> None:
        """Put a letter to the driver into the box."""
        self._outbox.append(letter)
        self._filled.set()

    def behind(self, model: ChatModel, about: object) -> ChatModel:
        """The model, with something about its calls that the driver's wrapper wants to know."""
        if isinstance(model, Asking):
            return replace(model, about=about)
        return Asking(self, None, model, about)

    @asynccontextmanager
    async def question(
        self, asking: Asking, messages: tuple[Message, ...], sampling: Sampling
    ) -> AsyncIterator["Question"]:
        """Ask leave for a call; in the block, the driver's words about it arrive."""
        question = Question(next(self._numbers))
        self._questions[question.call] = question.words
        self.say(Ask(question.call, _ITEM.get(), asking.number, asking.about, messages, sampling))
        try:
            yield question
        finally:
            del self._questions[question.call]
            if not question.answered:
                self.say(Withdraw(question.call))

    def _answer(self, letter: Make | Said) -> None:
        assert letter.call is not None
        words = self._questions.get(letter.call)
        if words is not None:  # else whoever asked has given up, and the driver is told so
            words.put_nowait(letter)

    async def _play(self, letter: Play) -> None:
        _ITEM.set(letter.item)
        assert self._playing is not None, "nothing was loaded"
        try:
            result = await self._playing.play(letter.work, self)
        except Exception as err:  # noqa: BLE001 - the driver raises it, be it a bug
            self.say(Done(letter.item, None, Told.of(err)))
        else:
            self.say(Done(letter.item, result))
        finally:
            self._items.pop(letter.item, None)

    async def _make(self, letter: Make) -> None:
        assert letter.sampling is not None
        model = self._models[letter.model]
        self.say(await _ended(letter.order, model, letter.messages, letter.sampling))


@dataclass(slots=True)
class Question:
    """A call for which leave was asked."""

    call: int
    words: asyncio.Queue[Make | Said] = field(default_factory=asyncio.Queue)
    """What the driver says of it."""
    answered: bool = False
    """Whether the driver has said its end."""


async def _ended(
    order: int, model: ChatModel, messages: Sequence[Message], sampling: Sampling
) -> Made:
    """Call a model, and say how that ended."""
    try:
        return Made(order, await model.chat(messages, sampling))
    except Exception as err:  # noqa: BLE001 - the driver raises it, be it a bug
        return Made(order, None, Told.of(err))
