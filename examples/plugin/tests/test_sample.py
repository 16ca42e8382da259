"""What this package promises, without Partbook's command line; run with pytest."""

import asyncio
from importlib.metadata import entry_points

import pytest
from partbook_sample.judge import made as judge_of
from partbook_sample.system import made as system_of
from partbook_sample.task import loaded
from partbook_sample.worker import LetterCounter

from partbook.plugin_api import GROUPS, ConfigError, Message, Sampling, SystemWanted, TaskWanted


def test_every_group_has_an_entry():
    mine = [p for group in GROUPS for p in entry_points(group=group)]

    assert {p.name for p in mine} >= {"letter-counter", "count", "letter-count", "relay"}


@pytest.mark.parametrize(("ignore_case", "count"), [(True, "2"), (False, "1")])
def test_the_worker_counts_a_letter(ignore_case, count):
    asked = [Message("user", "How many times does the letter a occur in 'Aria'?")]

    answer = asyncio.run(LetterCounter(ignore_case).chat(asked, Sampling()))

    assert answer.text == count


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("It is 3.", "right"), ("Three", "right"), ("3, no, 2", "wrong"), ("no idea", "wrong")],
)
def test_the_judge_reads_the_last_number(text, outcome):
    assert asyncio.run(judge_of({"reference": "3"}).judge(text)).outcome == outcome


def test_the_judge_refuses_a_reference_that_is_no_count():
    with pytest.raises(ConfigError, match="a count was expected"):
        judge_of({"reference": "many"})


def test_a_seed_makes_the_same_problems_and_splits_differ():
    first, again = (loaded(TaskWanted(("train", "test"), 5, seed=1)) for _ in range(2))

    assert first == again
    assert first.problems["train"] != first.problems["test"]


def test_a_relay_longer_than_the_pool_is_refused():
    with pytest.raises(ConfigError, match="needs 3 workers"):
        system_of(SystemWanted("relay:3", 3, "", pool=("a", "b"), seed=0))
