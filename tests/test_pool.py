import random
from decimal import Decimal

import pytest

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.pool import AgentPool, Price, Worker, WorkerSpec
from tests.fakes import Echo


def pool(*named: tuple[str, str]) -> AgentPool:
    workers = [
        Worker(WorkerSpec(name=name, kind="http", roles=tuple(roles.split())), Echo(name))
        for name, roles in named
    ]
    return AgentPool("p", tuple(workers))


def test_a_worker_is_found_by_name_before_role():
    some = pool(("a", "code"), ("code", "write"))

    assert some.find("code") == 1
    assert some.find("write") == 1


def test_a_role_may_be_numbered_and_starts_again():
    some = pool(("a", "general"), ("b", ""), ("c", "general"))

    found = [some.find(f"general#{n}") for n in (1, 2, 3)]

    assert found == [0, 2, 0]


def test_an_unknown_role_is_answered_with_what_there_is():
    with pytest.raises(ConfigError) as raised:
        pool(("a", "code"), ("b", "write")).find("draw")

    assert str(raised.value) == (
        "pool 'p' has no worker with the name or role 'draw'; names: a, b; roles: code, write"
    )


def test_cached_tokens_have_their_own_price_and_are_part_of_the_prompt():
    price = Price(Decimal("1.25"), Decimal(10), Decimal("0.125"))

    assert price.cost_usd(Usage(10_000, 2_000, cached_tokens=4_000)) == Decimal("0.028")


def test_cached_tokens_without_a_price_of_their_own_cost_as_the_others():
    price = Price(Decimal(2), Decimal(4))

    assert price.cost_usd(Usage(1_000_000, 500_000, cached_tokens=999_999)) == Decimal(4)


def test_a_random_subset_is_drawn_without_repeats_and_repeats_with_its_seed():
    some = pool(*((name, "") for name in "abcdef"))

    drawn = some.random_subset(3, random.Random(7)).names

    assert len(set(drawn)) == 3
    assert drawn == some.random_subset(3, random.Random(7)).names
    assert len({some.random_subset(3, random.Random(n)).names for n in range(20)}) > 10


def test_the_workers_for_the_last_step_are_the_same_ones():
    with pytest.raises(ConfigError, match="other workers for the last step"):
        AgentPool("p", pool(("a", ""), ("b", "")).workers, pool(("a", "")))
