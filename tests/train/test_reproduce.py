import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.train.policy import new_net, save_net
from partbook.train.preset import load_preset
from partbook.train.reproduce import Line, comparison, table_text
from tests.train.small_net import SMALL_NET

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

SMALL = [
    *SMALL_NET,
    "max_completion=6",
]


def test_policies_stand_beside_baselines_on_the_same_problems(tmp_path):
    torch.set_num_threads(1)
    preset = load_preset("tiny", SMALL)
    net = new_net(preset.policy, 0)
    save_net(net, tmp_path / "warm-start")
    save_net(net, tmp_path / "seed-0" / "policy")
    said = []

    lines = comparison(tmp_path, [0], preset, 8, said.append)

    assert [line.system for line in lines][:4] == [
        "warm start, greedy",
        "warm start, sampled",
        "seed 0, greedy",
        "seed 0, sampled",
    ]
    assert lines[4].system.startswith("best single worker: ")
    assert lines[5].system.startswith("best constant plan: ")
    assert [line.system for line in lines[6:]] == [
        "random plan",
        "right parts, cards believed",
        "optimum",
    ]
    assert lines[0].accuracy == 0.0
    assert lines[-1].worker_bits > 1
    assert len(said) == 4


def test_the_table_leaves_open_what_a_baseline_does_not_have():
    line = Line("optimum", 0.89, 0.86, 0.914, 2.26, by_difficulty=(1.0, 0.86, 0.87, 0.83))

    assert table_text([line]).splitlines()[-1] == (
        "| optimum | 0.890 | 0.860 to 0.914 |  |  | 1.00 | 0.86 | 0.87 | 0.83 | 2.26 |  |  |  |"
    )
