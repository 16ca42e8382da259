import asyncio
from contextlib import asynccontextmanager

import pytest

from partbook.train.playing_loop import PlayingLoop, playing_loop


async def here():
    return asyncio.get_running_loop()


def test_work_is_done_in_the_loop():
    with playing_loop() as playing:
        assert playing.run(here()) is playing.loop


def test_what_is_opened_there_is_closed_there():
    seen = []

    @asynccontextmanager
    async def place():
        seen.append(asyncio.current_task())
        yield "open"
        seen.append(asyncio.current_task())

    with playing_loop() as playing, playing.opened(place()) as value:
        assert value == "open"
        assert len(seen) == 1

    assert seen[0] is seen[1]


def test_what_cannot_be_opened_says_why():
    @asynccontextmanager
    async def place():
        raise KeyError("door")
        yield

    with playing_loop() as playing, pytest.raises(KeyError, match="door"), playing.opened(place()):
        pass


def test_a_closed_loop_is_closed():
    playing = PlayingLoop()

    playing.close()

    assert playing.loop.is_closed()
