"""Work on nodes of this process, some of which are lost."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from partbook.budget import Budgeted, Limits
from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import OnText
from partbook.models.limited import Limited
from partbook.price import Price
from partbook.spread.fleet import fleet
from partbook.spread.letters import Told
from partbook.spread.post import NodeLostError
from tests.fakes import Gate
from tests.spread.near import Chains, NearPosts, Opened, away_pool, budget_of, until

pytest.importorskip("ray", reason="needs Ray: pip install 'partbook[ray]'")


@dataclass
class Counting:
    """Answers after a turn of the loop; counts calls, and how many there were at once."""

    name: str
    asked: Counter[str] = field(default_factory=Counter)
    now: int = 0
    peak: int = 0

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        self.asked[messages[-1].text] += 1
        self.now += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(0.005)
        self.now -= 1
        return Completion(f"{self.name} of {messages[0].text[:2]}", Usage(1, 0), self.name)


async def test_work_is_spread_and_every_piece_comes_back():
    model = Counting("a")
    posts = NearPosts(3)
    async with fleet(posts, Opened([model])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()
        await nodes.load(Chains(pool))

        found = await asyncio.gather(*(nodes.play(f"q{i}") for i in range(9)))

    assert [answer for _, answer, _ in found] == [f"a of q{i}" for i in range(9)]
    assert nodes.losses == 0


async def test_the_limit_of_a_worker_holds_for_all_nodes_together():
    model = Counting("a")
    async with fleet(NearPosts(3), Opened([model])) as nodes:
        pool = away_pool(nodes, 1, lambda model: Limited(model, 2))
        await nodes.open()
        await nodes.load(Chains(pool))

        await asyncio.gather(*(nodes.play(f"q{i}") for i in range(12)))

    assert sum(model.asked.values()) == 12
    assert model.peak == 2


async def test_a_lost_node_repeats_only_what_was_on_its_way():
    first, gate = Counting("a"), Gate()
    posts = NearPosts(2)
    async with fleet(posts, Opened([first, gate])) as nodes:
        pool = away_pool(nodes, 2)
        await nodes.open()
        await nodes.load(Chains(pool))
        playing = [asyncio.create_task(nodes.play(f"q{i}")) for i in range(6)]
        await until(lambda: gate.waiting >= 6)

        await posts.posts[0].lose()
        await until(lambda: gate.waiting >= 9)
        gate.opened.set()
        found = await asyncio.gather(*playing)

    assert [status for status, _, _ in found] == ["answered"] * 6
    # All first steps were finished: none is asked again, wherever its second step is played.
    assert sum(first.asked.values()) == 6
    assert nodes.losses == 1


async def test_money_of_a_call_that_was_lost_with_its_node_stays_reserved():
    gate = Gate()
    budget = budget_of(usd=Decimal(10_000))
    price = Price(Decimal(1_000_000), Decimal(0))
    posts = NearPosts(2)
    async with fleet(posts, Opened([gate])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()
        await nodes.load(Chains(pool), lambda about, model: Budgeted(model, budget, price))
        playing = asyncio.create_task(nodes.play("q"))
        await gate.reached.wait()
        worst = budget.usd

        await posts.posts[0].lose()
        await until(lambda: gate.waiting >= 2)
        twice = budget.usd
        gate.opened.set()
        await playing

    assert worst > 0
    assert twice == 2 * worst
    assert worst <= budget.usd < twice
    assert budget.calls == 2


async def test_the_one_budget_forbids_calls_of_whatever_node():
    model = Counting("a")
    budget = budget_of(calls=5)
    async with fleet(NearPosts(3), Opened([model])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()
        await nodes.load(Chains(pool), lambda about, model: Budgeted(model, budget, None))

        found = await asyncio.gather(*(nodes.play(f"q{i}") for i in range(9)))

    assert sum(model.asked.values()) == 5
    ends = Counter((status, detail) for status, _, detail in found)
    assert ends == {("answered", ""): 5, ("stopped", "the limit of 5 calls is reached"): 4}


async def test_a_node_that_joins_later_takes_over():
    gate = Gate()
    posts = NearPosts(1, later=1)
    async with fleet(posts, Opened([gate])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()
        await nodes.load(Chains(pool))
        playing = asyncio.create_task(nodes.play("q"))
        await gate.reached.wait()

        await posts.posts[0].lose()
        gate.opened.set()
        status, _, _ = await playing
        assert nodes.nodes == ["n1"]

    assert status == "answered"


async def test_without_any_node_left_the_user_is_told():
    gate = Gate()
    posts = NearPosts(1)
    async with fleet(posts, Opened([gate])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()
        await nodes.load(Chains(pool))
        playing = asyncio.create_task(nodes.play("q"))
        await gate.reached.wait()
        await posts.posts[0].lose()

        with pytest.raises(ConfigError, match="all nodes were lost; what was finished is kept"):
            await playing


async def test_work_that_nodes_are_lost_with_again_and_again_is_given_up():
    gate = Gate()
    posts = NearPosts(4)
    async with fleet(posts, Opened([gate])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()
        await nodes.load(Chains(pool))
        playing = asyncio.create_task(nodes.play("q"))
        for i in range(3):
            await until(lambda least=i + 1: gate.waiting >= least)
            (busy,) = [post for post in posts.posts if post.station._items]
            await busy.lose()

        with pytest.raises(NodeLostError, match="3 nodes were lost while they played it"):
            await playing


async def test_a_piece_of_work_that_nobody_waits_for_is_stopped_with_its_call():
    gate = Gate()
    budget = budget_of(calls=9)
    async with fleet(NearPosts(1), Opened([gate])) as nodes:
        pool = away_pool(nodes, 1, lambda model: Limited(model, 1))
        await nodes.open()
        await nodes.load(Chains(pool), lambda about, model: Budgeted(model, budget, None))
        playing = asyncio.create_task(nodes.play("q"))
        await gate.reached.wait()
        playing.cancel()
        await until(lambda: gate.cancelled >= 1)
        gate.opened.set()

        status, _, _ = await nodes.play("q2")  # its turn comes, so the limit was let go

    assert status == "answered"


async def test_a_deadline_on_the_node_lets_the_call_and_its_turn_go():
    gate = Gate()
    async with fleet(NearPosts(1), Opened([gate])) as nodes:
        pool = away_pool(nodes, 1, lambda model: Limited(model, 1))
        await nodes.open()
        await nodes.load(Chains(pool, Limits(timeout_s=0.05)))

        first = await nodes.play("q")
        gate.opened.set()
        second = await nodes.play("q2")

    assert (first[0], second[0]) == ("stopped", "answered")


async def test_errors_keep_their_class_and_what_they_say_on_the_way():
    class Down:
        async def chat(self, messages, sampling, on_text=None):
            raise WorkerError("down", usage=Usage(3, 0), status=503, kind="server")

    seen: list[WorkerError] = []

    class Seeing:
        def __init__(self, model):
            self.model = model

        async def chat(self, messages, sampling, on_text=None):
            try:
                return await self.model.chat(messages, sampling)
            except WorkerError as err:
                seen.append(err)
                raise

    async with fleet(NearPosts(1), Opened([Down()])) as nodes:
        pool = away_pool(nodes, 1, Seeing)
        await nodes.open()
        await nodes.load(Chains(pool))

        status, _, detail = await nodes.play("q")

    assert status == "failed"
    assert "down" in detail
    assert [(e.usage, e.status, e.kind) for e in seen] == [(Usage(3, 0), 503, "server")]


async def test_the_driver_calls_models_on_the_nodes_too():
    model = Counting("a")
    async with fleet(NearPosts(2), Opened([model])) as nodes:
        pool = away_pool(nodes, 1)
        await nodes.open()

        said = await pool[0].model.chat([Message("user", "q1")], Sampling())

    assert said.text == "a of q1"


async def test_what_cannot_be_packed_is_told_before_anything_is_played():
    async with fleet(NearPosts(1), Opened([])) as nodes:
        await nodes.open()

        with pytest.raises(ConfigError, match="cannot be played on other machines"):
            await nodes.load(asyncio.current_task())


async def test_a_bug_in_the_work_is_raised_here_with_its_traceback():
    class Broken:
        async def play(self, work, station):
            return {}["missing"]

    async with fleet(NearPosts(1), Opened([])) as nodes:
        await nodes.open()
        await nodes.load(Broken())

        with pytest.raises(RuntimeError, match="KeyError: 'missing'"):
            await nodes.play("q")


async def test_a_bug_of_the_driver_ends_it_instead_of_leaving_nodes_to_wait():
    def bug(about, model):
        raise ZeroDivisionError("bug")

    async def drive():
        async with fleet(NearPosts(1), Opened([Counting("a")])) as nodes:
            pool = away_pool(nodes, 1)
            await nodes.open()
            await nodes.load(Chains(pool), bug)
            await nodes.play("q")

    with pytest.raises(ZeroDivisionError):
        await drive()


def test_an_error_with_arguments_of_its_own_survives_a_letter():
    told = Told.of(BudgetError("no more", limit="usd")).error()

    assert isinstance(told, BudgetError)
    assert (str(told), told.limit) == ("no more", "usd")


async def test_what_a_node_lacks_is_said_to_whoever_opens_it():
    @asynccontextmanager
    async def without_key(specs):
        raise ConfigError("no key for w0")
        yield

    async with fleet(NearPosts(2), without_key) as nodes:
        away_pool(nodes, 1)

        with pytest.raises(ConfigError, match="no key for w0"):
            await nodes.open()
