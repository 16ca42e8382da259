"""Rollouts that are played on nodes of this process."""

import asyncio

import pytest

from partbook.budget import Limits
from partbook.models.limited import Limited
from partbook.spread.fleet import fleet
from partbook.train.environment import Environment, lab_environment
from partbook.train.row import Row, lab_rows
from partbook.train.spreading import spread_over
from tests.fakes import Echo, Gate
from tests.spread.near import NearPosts, Opened, away_pool, until

pytest.importorskip("ray", reason="needs Ray: pip install 'partbook[ray]'")

TWO = "model_id = [0, 1]\nsubtasks = ['a', 'b']\naccess_list = [[], [0]]"
NONE = "I would rather not."


async def says_yes(row: Row, answer: str) -> bool | None:
    return "gate" in answer


def environment_on(pool, timeout_s: float = 30.0) -> Environment:
    return Environment(lambda row: pool, says_yes, Limits(timeout_s=timeout_s))


async def test_rollouts_come_back_as_if_they_had_been_played_here():
    rows = lab_rows(4, seed=5)
    texts = [TWO, TWO.replace("1]", "2]", 1), NONE, TWO]
    here = lab_environment()
    async with fleet(NearPosts(2), Opened([])) as nodes:
        await nodes.open()
        there = await spread_over(nodes, lab_environment())

        found, expected = await there.score(rows, texts), await here.score(rows, texts)

    assert [one.verdict for one in found][2] == "unparsed"
    assert [(one.reward, one.verdict, one.workflow) for one in found] == [
        (one.reward, one.verdict, one.workflow) for one in expected
    ]
    assert [one.trace.answer for one in found] == [one.trace.answer for one in expected]


async def test_a_lost_node_costs_rollouts_time_and_no_finished_call():
    first, gate = Echo("first"), Gate()
    posts = NearPosts(2)
    async with fleet(posts, Opened([first, gate])) as nodes:
        pool = away_pool(nodes, 2, lambda model: Limited(model, 50))
        await nodes.open()
        environment = await spread_over(nodes, environment_on(pool))
        row = Row("p", "Which?", pool.names)
        scoring = asyncio.create_task(environment.score([row] * 6, [TWO] * 6))
        await until(lambda: gate.waiting >= 6)

        await posts.posts[1].lose()
        await until(lambda: gate.waiting >= 9)
        gate.opened.set()
        found = await scoring

    assert [one.verdict for one in found] == ["wrong"] * 6
    assert len(first.heard) == 6


async def test_without_nodes_rollouts_are_not_scored_and_training_is_not_stopped():
    gate = Gate()
    posts = NearPosts(1)
    async with fleet(posts, Opened([Echo("a"), gate])) as nodes:
        pool = away_pool(nodes, 2)
        await nodes.open()
        environment = await spread_over(nodes, environment_on(pool))
        scoring = asyncio.create_task(environment.score([Row("p", "Which?", pool.names)], [TWO]))
        await gate.reached.wait()
        await posts.posts[0].lose()

        (found,) = await scoring

    assert (found.reward, found.verdict) == (None, "node")


async def test_the_deadline_of_a_rollout_holds_on_a_node():
    async with fleet(NearPosts(1), Opened([Echo("a"), Gate()])) as nodes:
        pool = away_pool(nodes, 2)
        await nodes.open()
        environment = await spread_over(nodes, environment_on(pool, timeout_s=0.1))

        (found,) = await environment.score([Row("p", "Which?", pool.names)], [TWO])

    assert (found.reward, found.verdict) == (None, "timeout")
    assert found.trace is not None
