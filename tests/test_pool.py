import random

import pytest

from partbook.errors import ConfigError
from partbook.pool import AgentPool, Worker, WorkerSpec
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


@pytest.mark.parametrize("number", ["0", "-1", "two", "9" * 5000, "٢"])
def test_a_role_is_numbered_from_1_on(number):
    with pytest.raises(ConfigError, match="no worker with the name or role"):
        pool(("a", "general")).find(f"general#{number}")


def test_an_unknown_role_is_answered_with_what_there_is():
    with pytest.raises(ConfigError) as raised:
        pool(("a", "code"), ("b", "write")).find("draw")

    assert str(raised.value) == (
        "pool 'p' has no worker with the name or role 'draw'; names: a, b; roles: code, write"
    )


def test_a_random_subset_is_drawn_without_repeats_and_repeats_with_its_seed():
    some = pool(*((name, "") for name in "abcdef"))

    drawn = some.random_subset(3, random.Random(7)).names

    assert len(set(drawn)) == 3
    assert drawn == some.random_subset(3, random.Random(7)).names
    assert len({some.random_subset(3, random.Random(n)).names for n in range(20)}) > 10


def test_the_workers_for_the_last_step_are_the_same_ones():
    with pytest.raises(ConfigError, match="other workers for the last step"):
        AgentPool("p", pool(("a", ""), ("b", "")).workers, pool(("a", "")))
