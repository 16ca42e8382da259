import pytest

pytest.importorskip("torch")

import os
from dataclasses import dataclass

from partbook.claims.stages import Stage, left, run_stages
from partbook.errors import ConfigError
from tests.claims.dying import failing, killed, waiting


@dataclass(frozen=True)
class Note:
    text: str

    def __call__(self, folder):
        with (folder / "notes.txt").open("a") as notes:
            notes.write(f"{self.text}\n")


def test_finished_stages_are_skipped_and_cut_short_ones_done_again(tmp_path):
    stages = [
        Stage("first", tmp_path / "first", Note("a")),
        Stage("second", tmp_path / "second", Note("b"), ("first",)),
    ]
    run_stages(stages, lambda line: None, 0)
    (tmp_path / "second" / "finished").unlink()

    assert [stage.name for stage in left(stages)] == ["second"]
    run_stages(stages, lambda line: None, 0)
    assert (tmp_path / "first" / "notes.txt").read_text() == "a\n"
    assert (tmp_path / "second" / "notes.txt").read_text() == "b\nb\n"


def test_a_failure_names_where_it_is_told_and_leaves_the_stage_unfinished(tmp_path):
    # Work of the standard library, which any process can find.
    stages = [
        Stage("first", tmp_path / "first", os.listdir),
        Stage("second", tmp_path / "second", os.readlink, ("first",)),
    ]

    with pytest.raises(ConfigError, match=r"second failed: see .*trouble\.txt"):
        run_stages(stages, lambda line: None, 2)
    assert [stage.name for stage in left(stages)] == ["second"]
    assert "Invalid argument" in (tmp_path / "second" / "trouble.txt").read_text()


def test_a_stage_whose_process_was_killed_says_so_and_can_go_on(tmp_path):
    stages = [Stage("first", tmp_path / "first", killed)]

    with pytest.raises(ConfigError, match="first failed: its process was killed by signal 9; "):
        run_stages(stages, lambda line: None, 1)
    assert left(stages) == stages


def test_what_an_earlier_try_wrote_is_not_taken_for_the_reason_of_this_one(tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "trouble.txt").write_text("long ago")

    with pytest.raises(ConfigError, match="first failed: its process was killed by signal 9; "):
        run_stages([Stage("first", tmp_path / "first", killed)], lambda line: None, 1)


def test_a_failure_ends_the_others_with_all_that_they_have_started(tmp_path):
    stages = [
        Stage("waiting", tmp_path / "waiting", waiting),
        Stage("failing", tmp_path / "failing", failing),
    ]

    with pytest.raises(ConfigError, match="failing failed"):
        run_stages(stages, lambda line: None, 2)

    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "waiting" / "number").read_text()), 0)
