import json

import pytest

pytest.importorskip("torch")

from partbook.errors import ConfigError, StoreError
from partbook.train.run_folder import RunFolder


def begun(path, **preset):
    folder = RunFolder(path)
    folder.begin(preset, 3)
    return folder


def test_a_run_says_what_it_was_made_of(tmp_path):
    folder = begun(tmp_path / "run", about="x")

    facts = json.loads((folder.path / "resolved.json").read_text())
    assert facts["preset"] == {"about": "x"}
    assert facts["seed"] == 3
    assert set(facts["versions"]) >= {"partbook", "torch", "trl", "transformers"}
    assert "commit" in facts


def test_a_second_run_does_not_write_over_the_first(tmp_path):
    begun(tmp_path)

    with pytest.raises(ConfigError, match="go on with it by --resume"):
        begun(tmp_path)


def test_metrics_are_read_by_kind(tmp_path):
    folder = begun(tmp_path)
    folder.add("step", 1, {"reward": 0.5})
    folder.add("greedy", 1, {"accuracy": 0.25})

    assert folder.metrics("greedy") == [{"kind": "greedy", "step": 1, "accuracy": 0.25}]
    assert len(folder.metrics()) == 2


def test_steps_that_will_be_made_again_are_forgotten(tmp_path):
    folder = begun(tmp_path)
    for step in (1, 2, 3):
        folder.add("step", step, {})

    folder.rewind(2)

    assert [line["step"] for line in folder.metrics()] == [1, 2]


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    folder = begun(tmp_path)
    folder.add("step", 1, {})
    with folder.metrics_file.open("a") as file:
        file.write('{"kind": "st')

    assert [line["step"] for line in folder.metrics()] == [1]


def test_a_folder_without_a_run_is_a_users_mistake(tmp_path):
    with pytest.raises(ConfigError, match="no training run in"):
        RunFolder(tmp_path / "nothing").metrics()


def test_metrics_on_a_full_disk_are_said_to_be_lost(tmp_path):
    folder = RunFolder(tmp_path)
    folder.metrics_file.symlink_to("/dev/full")

    with pytest.raises(StoreError, match="No space left on device; the checkpoints are whole"):
        folder.add("step", 1, {})


def test_a_place_where_nothing_can_be_written_is_a_users_mistake(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match=r"cannot write to .*: Not a directory"):
        RunFolder(tmp_path / "file" / "run").begin({}, 0)
