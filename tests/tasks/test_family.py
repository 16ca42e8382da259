from dataclasses import replace

import pytest

from partbook.errors import ConfigError
from partbook.tasks.catalogue import FAMILIES, load_task
from partbook.tasks.family import load_family
from tests.tasks.own_rows import GSM8K, MATH500, write_jsonl

MATH = FAMILIES["math500"]


def many(count):
    return [{**MATH500[0], "unique_id": f"ours/{i}"} for i in range(count)]


def test_shares_have_the_sizes_of_the_paper_and_no_problem_twice(tmp_path):
    path = write_jsonl(tmp_path / "test.jsonl", many(500))

    task = load_task("math500", ("train", "validation", "test"), data=path)

    assert {split: len(part) for split, part in task.problems.items()} == {
        "train": 300,
        "validation": 100,
        "test": 100,
    }
    assert len({problem.id for problem in task.split("all")}) == 500
    assert task.notes == ()


def test_a_share_depends_on_the_ids_and_not_on_the_order_of_the_rows(tmp_path):
    forth = load_task("math500", data=write_jsonl(tmp_path / "a.jsonl", many(50)))
    back = load_task("math500", data=write_jsonl(tmp_path / "b.jsonl", many(50)[::-1]))

    assert forth.split("test") == back.split("test")


def test_local_rows_that_are_not_as_many_as_published_are_noted(tmp_path):
    task = load_task("gsm8k", data=write_jsonl(tmp_path / "mine.jsonl", GSM8K))

    assert task.notes == ("test: 1 rows; the published part has 1319",)


def test_rows_that_are_left_out_are_counted(tmp_path):
    long = {"prompt": [], "reward_model": {"ground_truth": "x" * 31}}
    good = {
        "prompt": [{"role": "user", "content": "q"}],
        "reward_model": {"ground_truth": "a"},
    }
    path = write_jsonl(tmp_path / "mine.jsonl", [long, good, long])

    task = load_task("rlpr", ("train", "validation", "test"), data=path)

    assert task.notes == ("train: 2 rows do not belong to the task and were left out",)


def test_a_folder_is_searched_for_the_published_names_and_for_the_parts(tmp_path):
    (tmp_path / "sub").mkdir()
    write_jsonl(tmp_path / "train.jsonl", GSM8K * 1)
    write_jsonl(tmp_path / "test.jsonl", [{**GSM8K[0], "question": "other"}])

    task = load_task("gsm8k", ("validation", "test"), data=tmp_path)

    assert [problem.question for problem in task.split("test")] == ["other"]
    with pytest.raises(ConfigError, match=r"expected test\.jsonl, or test\.jsonl"):
        load_task("aime25", data=tmp_path / "sub")
    with pytest.raises(ConfigError, match="there is no such file or folder"):
        load_task("aime25", data=tmp_path / "none")


def test_a_file_of_another_part_is_not_taken(tmp_path):
    path = write_jsonl(tmp_path / "test.jsonl", [{"question_id": "x"}])

    with pytest.raises(ConfigError, match="no 'v6' part of livecodebench"):
        load_task("livecodebench", data=path)


def test_one_file_cannot_be_two_parts(tmp_path):
    path = write_jsonl(tmp_path / "mine.jsonl", GSM8K)

    with pytest.raises(ConfigError, match="give the folder that holds them"):
        load_task("gsm8k", ("train", "test"), data=path)


def test_a_part_in_several_files_needs_all_of_them(tmp_path):
    source = replace(MATH.source, files={"test": ("a.jsonl", "b.jsonl")})
    family = replace(MATH, source=source)
    write_jsonl(tmp_path / "a.jsonl", many(2))

    with pytest.raises(ConfigError, match=r"b\.jsonl is missing beside a\.jsonl"):
        load_family(family, ("test",), tmp_path)


def test_a_split_or_a_task_that_does_not_exist_is_a_users_mistake(tmp_path):
    with pytest.raises(ConfigError, match="task 'aime25' has no split 'train'; splits: test"):
        load_task("aime25", ("train",))
    with pytest.raises(ConfigError, match="no task 'mth500'; did you mean 'math500'"):
        load_task("mth500")
    with pytest.raises(ConfigError, match="has its own judge"):
        load_task("aime25", judge="short")


def test_what_to_download_by_hand_is_spelt_out():
    assert FAMILIES["gpqa"].source.by_hand("test") == (
        "accept the terms at https://huggingface.co/datasets/Idavidrein/gpqa, then download by "
        "hand\n  https://huggingface.co/datasets/Idavidrein/gpqa/resolve/"
        "83022cefff930aea54f654c0b282e74b9eeda5c6/gpqa_diamond.csv\n"
        "into one folder and say --data FOLDER"
    )
