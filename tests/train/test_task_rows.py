import json

import pytest

from partbook.budget import Limits
from partbook.errors import ConfigError
from partbook.models.calculator import Calculator
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.train.data import Data
from partbook.train.environment import Environment
from partbook.train.row import Row
from partbook.train.task_rows import TaskJudge, load_problems, pool_of_row, task_rows

PROBLEMS = [
    {"id": str(i), "question": f"What is {i} + 2?", "answer": str(i + 2), "split": split}
    for i, split in enumerate(("train",) * 6 + ("validation",) * 2)
]


@pytest.fixture
def sums(tmp_path):
    """A task file of one's own."""
    path = tmp_path / "sums.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in PROBLEMS))
    return str(path)


def data(*tasks, **values):
    return Data(tasks=tasks, pool="p", **values)


def test_problems_of_the_two_splits_are_kept_apart(sums):
    found = load_problems(data(sums))

    assert sorted(found.train) == [f"sums/{i}" for i in range(6)]
    assert sorted(found.held_out) == ["sums/6", "sums/7"]
    assert found.notes == ()


def test_a_file_without_the_split_is_used_whole_and_nothing_is_held_out(tmp_path):
    path = tmp_path / "all.jsonl"
    path.write_text('{"question": "1 + 1?", "answer": "2"}\n{"question": "1 + 2?", "answer": "3"}')

    found = load_problems(data(str(path)))

    assert len(found.train) == 2
    assert found.held_out == {}
    assert found.notes == ("all: it has no split 'train'; all of it is used",)


def test_a_limit_is_shared_by_the_tasks_and_the_draw_is_the_same_every_time(sums):
    found = load_problems(data(sums, "gym/coin_flip", limit=8))

    assert [name.split("/")[0] for name in found.train] == ["sums"] * 4 + ["gym"] * 4
    assert found == load_problems(data(sums, "gym/coin_flip", limit=8))


def test_a_task_that_is_too_small_for_its_share_is_said(sums):
    assert load_problems(data(sums, limit=10)).notes == (
        "sums: 10 problems were asked for, it has 6",
    )


def test_two_tasks_of_one_name_are_refused(sums, tmp_path):
    other = tmp_path / "b" / "sums.jsonl"
    other.parent.mkdir()
    other.write_text('{"id": "0", "question": "1 + 1?", "answer": "2", "split": "train"}')

    with pytest.raises(ConfigError, match="two tasks of this run have a problem 'sums/0'"):
        load_problems(data(sums, str(other)))


def test_all_problems_come_once_before_one_comes_again(sums):
    problems = load_problems(data(sums)).train

    rows = task_rows(problems, ("a", "b", "c"), 12, seed=1)

    assert sorted(row.problem for row in rows[:6]) == sorted(problems)
    assert sorted(row.problem for row in rows[6:]) == sorted(problems)
    assert {tuple(sorted(row.order)) for row in rows} == {("a", "b", "c")}
    assert len({row.order for row in rows}) > 1
    assert "What is" in rows[0].question
    assert "<answer>" in rows[0].question


def test_the_first_rows_of_a_longer_run_are_those_of_a_shorter_one(sums):
    problems = load_problems(data(sums)).train

    assert task_rows(problems, "ab", 9, 0)[:6] == task_rows(problems, "ab", 6, 0)
    assert task_rows(problems, "ab", 9, 0) != task_rows(problems, "ab", 9, 1)


def test_a_row_may_show_some_of_the_workers_only(sums):
    rows = task_rows(load_problems(data(sums)).train, "abcd", 40, 0, subset=2)

    assert {len(set(row.order)) for row in rows} == {2}
    assert {name for row in rows for name in row.order} == set("abcd")


def test_a_subset_of_more_than_there_are_is_refused(sums):
    with pytest.raises(ConfigError, match="a subset of 3 was asked for; there are 2 workers"):
        task_rows(load_problems(data(sums)).train, "ab", 4, 0, subset=3)


async def test_a_rollout_on_a_real_problem_is_played_and_judged(sums):
    tool = WorkerSpec("sums", "calculator", price=FREE)
    pool = AgentPool("p", tuple(Worker(tool, Calculator()) for _ in "a"))
    problems = load_problems(data(sums))
    environment = Environment(
        lambda row: pool_of_row(pool, row), TaskJudge(problems), Limits(timeout_s=5.0)
    )
    row = Row("sums/3", "How much is it?", ("sums",))
    lists = 'model_id = [0]\nsubtasks = ["{}"]\naccess_list = [[]]'

    outcomes = await environment.score(
        [row] * 3, [lists.format("3 + 2"), lists.format("3 + 3"), "none"]
    )

    assert [one.reward for one in outcomes] == [1.0, 0.5, 0.0]


async def test_a_row_of_another_run_is_refused(sums):
    with pytest.raises(ConfigError, match="no problem 'sums/99' in the tasks of this run"):
        await TaskJudge(load_problems(data(sums)))(Row("sums/99", "?", ("a",)), "1")
