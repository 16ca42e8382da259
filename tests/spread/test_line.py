"""The driver's side of a node whose letters arrive at awkward moments."""

import asyncio
from collections.abc import Sequence

from partbook.message import Message, Sampling
from partbook.spread.letters import Ask, FromNode, GiveUp, Play, Said, ToNode
from partbook.spread.line import Item, Line
from tests.fakes import Echo
from tests.spread.near import until


class Letters:
    """A node that says what a test has it say."""

    name = "n"

    def __init__(self) -> None:
        self.told: list[ToNode] = []
        self.said: asyncio.Queue[FromNode] = asyncio.Queue()

    async def tell(self, letters: Sequence[ToNode]) -> None:
        self.told += letters

    async def listen(self) -> Sequence[FromNode]:
        return [await self.said.get()]


async def test_a_call_that_is_asked_for_while_its_work_is_given_up_breaks_nothing():
    post = Letters()
    line = Line(post, {0: Echo("a")}, lambda about, model: Echo("a"))
    running = asyncio.create_task(line.run())
    playing = asyncio.create_task(line.play(Item(7, "work")))
    await until(lambda: Play(7, "work") in post.told)

    # Both wake in the same turn of the loop, the letter first.
    post.said.put_nowait(Ask(0, 7, 0, None, (Message("user", "q"),), Sampling()))
    playing.cancel()
    await until(lambda: running.done() or GiveUp(7) in post.told)
    await asyncio.sleep(0.01)

    assert not running.done()
    assert not [letter for letter in post.told if isinstance(letter, Said) and letter.error]
    running.cancel()
