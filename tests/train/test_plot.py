import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")

from matplotlib.image import imread

from partbook.errors import ConfigError
from partbook.train.plot import plot_run
from partbook.train.run_folder import RunFolder

STEP = {"accuracy": 0.5, "accuracy_given_valid": 0.6, "valid": 0.8, "steps_per_workflow": 2.0}


def begun(path):
    folder = RunFolder(path)
    folder.begin({}, 0)
    return folder


def test_a_run_is_drawn_on_a_light_ground(tmp_path):
    folder = begun(tmp_path / "run")
    for step in range(1, 4):
        folder.add("step", step, {**STEP, "worker_bits": 1.0, "entropy": None})
    folder.add("greedy", 3, {"accuracy": 0.5, "valid": 0.9, "steps": 2.0, "worker_bits": 1.5})

    plot_run(folder, tmp_path / "curves.png")

    picture = imread(tmp_path / "curves.png")
    assert picture.shape[:2] == (792, 1430)
    assert picture[0, 0, :3].tolist() == [1.0, 1.0, 1.0]


def test_a_run_without_a_step_has_nothing_to_draw(tmp_path):
    with pytest.raises(ConfigError, match="without a finished step: nothing to draw"):
        plot_run(begun(tmp_path / "run"), tmp_path / "curves.png")


def test_a_picture_that_cannot_be_written_is_a_users_mistake(tmp_path):
    folder = begun(tmp_path / "run")
    folder.add("step", 1, STEP)

    with pytest.raises(ConfigError, match="cannot write the picture"):
        plot_run(folder, tmp_path / "not" / "there.png")
