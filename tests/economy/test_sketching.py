"""Prompts that a Conductor reads on nodes of this process."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor
from partbook.economy.conducted import Conducted, read_prompts
from partbook.economy.prompts import Prompt
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.price import Price
from partbook.spread.fleet import Fleet, fleet
from tests.fakes import Echo, Gate, pool_of
from tests.spread.near import NearPosts, Opened, away_pool, until

pytest.importorskip("ray", reason="needs Ray: pip install 'partbook[ray]'")

ONE = "model_id = [0]\nsubtasks = ['Answer.']\naccess_list = [[]]"
TWO = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"
LOG = [Prompt(f"{'Judge' if i % 3 else 'Find and judge'} offer {i}.") for i in range(12)]
PRICE = Price(Decimal(1), Decimal(1))


@dataclass
class Planner:
    """Splits what is to be found, the later prompts sooner than the earlier ones."""

    asked: list[str] = field(default_factory=list)
    now: int = 0
    peak: int = 0

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        text = messages[-1].text
        self.asked.append(text)
        self.now += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(0.01 / len(self.asked))
        self.now -= 1
        return Completion(TWO if "Find" in text else ONE, Usage(1000, 100), "planner")


async def read_there(
    nodes: Fleet, limits: Limits | None = None, prompts: Sequence[Prompt] = LOG
) -> Conducted:
    """Let a Conductor whose model the nodes have read a log."""
    (conductor,) = away_pool(nodes, 1).workers
    await nodes.open()
    pool = pool_of(Echo("a"), Echo("b"))
    asked = Conductor(conductor.model, price=PRICE, retries=0)
    return await read_prompts(prompts, "c", pool, asked, limits or Limits(), lambda _: None, nodes)


async def test_prompts_are_read_side_by_side_and_stay_in_the_order_of_the_log():
    planner = Planner()
    async with fleet(NearPosts(2), Opened([planner])) as nodes:
        found = await read_there(nodes)

    assert [sketch.prompt for sketch in found.sketches] == LOG
    assert [sketch.several for sketch in found.sketches] == [i % 3 == 0 for i in range(12)]
    assert found.sketches[0].steps == (("w0", "Think."), ("w1", "Answer."))
    assert planner.peak > 1
    assert (found.calls, found.known_usd) == (12, Decimal("0.0132"))


async def test_the_limit_for_all_prompts_holds_on_all_nodes_together():
    planner = Planner()
    async with fleet(NearPosts(2), Opened([planner])) as nodes:
        found = await read_there(nodes, Limits(calls=5))

    assert len(planner.asked) == len(found.sketches) == 5
    assert found.stopped == "the limit of 5 calls is reached"


async def test_a_prompt_that_nodes_are_lost_with_again_and_again_is_said_to_be_unread():
    gate, posts = Gate(), NearPosts(4)
    async with fleet(posts, Opened([gate])) as nodes:
        reading = asyncio.create_task(read_there(nodes, prompts=LOG[:1]))
        for i in range(3):
            await until(lambda least=i + 1: gate.waiting >= least)
            (busy,) = [post for post in posts.posts if post.station._items]
            await busy.lose()

        found = await reading

    assert "3 nodes were lost while they played it" in found.sketches[0].error
    assert (found.no_plan, found.stopped) == (1, "")
