import random
from itertools import combinations

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch

from partbook.errors import ConfigError
from partbook.lab import lab_problem
from partbook.train.course import training_rows
from partbook.train.disguise import scrambled
from partbook.train.environment import lab_environment
from partbook.train.policy import new_net, open_net, prompt_text, sample, save_net
from partbook.train.preset import load_preset
from partbook.train.row import lab_rows, problem_of
from partbook.train.warm_start import _pair, warm_start
from tests.train.small_net import SMALL_NET

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

SMALL = [
    *SMALL_NET,
    "warm_start.steps=60",
    "warm_start.batch=8",
    "warm_start.easy_steps=60",
    "max_completion=12",
]


@pytest.fixture(scope="module")
def trained():
    """A preset, its net after the warm start, and the losses on the way."""
    torch.set_num_threads(1)
    preset = load_preset("tiny", SMALL)
    net = new_net(preset.policy, 0)
    losses = {}
    warm_start(net, preset, lab_environment(), 0, losses.__setitem__)
    return preset, net, losses


def test_demonstrations_are_learned(trained):
    _, _, losses = trained

    assert losses[0] > 6
    assert losses[59] < 5.5


def test_a_kept_policy_writes_what_it_wrote_before(tmp_path, trained):
    preset, net, _ = trained
    environment = lab_environment()
    prompts = [prompt_text(net.tokenizer, "bare", row, environment) for row in lab_rows(4)]
    before = sample(net, prompts, preset, None)

    save_net(net, tmp_path)

    assert sample(open_net(str(tmp_path)), prompts, preset, None) == before


def test_sampling_leaves_the_runs_own_draws_alone():
    torch.set_num_threads(1)
    preset = load_preset("tiny", SMALL)
    net = new_net(preset.policy, 0)
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)

    texts = sample(net, ["question"] * 2, preset, 1)

    assert torch.equal(torch.rand(3), expected)
    assert texts == sample(net, ["question"] * 2, preset, 1)


def test_a_run_begins_with_easy_rows_and_uses_none_twice():
    preset = load_preset("tiny", ["grpo.steps=10", "grpo.easy_steps=4"])

    rows = training_rows(preset, seed=3)

    levels = [problem_of(row).difficulty for row in rows]
    assert len(rows) == 120
    assert set(levels[:48]) == {1, 2}
    assert set(levels[48:]) == {1, 2, 3, 4}
    assert len({row.problem for row in rows}) == 120


def test_every_row_shows_some_of_the_workers_that_the_preset_names():
    named = ["ada", "bo", "cy", "dee"]
    changes = ["grpo.steps=10", f"data.workers={named}", "data.subset=2"]

    rows = training_rows(load_preset("tiny", changes), seed=3)

    assert {len(row.order) for row in rows} == {2}
    assert {frozenset(row.order) for row in rows} == set(map(frozenset, combinations(named, 2)))


@pytest.mark.parametrize("change", ["data.workers=['ada', 'eve']", "data.subset=9"])
def test_workers_that_the_lab_does_not_have_are_a_users_mistake(change):
    with pytest.raises(ConfigError, match=r"the lab has ada, bo|there are 8 workers"):
        training_rows(load_preset("tiny", [change]), seed=0)


def test_a_scrambled_problem_can_still_be_copied_clause_by_clause():
    problem = lab_problem(3, 4)

    mixed = scrambled(problem, random.Random(0))

    assert all(part.subtask in mixed.question for part in mixed.parts)
    assert mixed.question != problem.question.lower()
    assert sorted(mixed.question) == sorted(problem.question.lower())


def test_second_rounds_are_shown_only_where_the_preset_asks_for_them():
    preset = load_preset("tiny", [*SMALL, "warm_start.again=1.0", "warm_start.drill_steps=0"])
    net = new_net(preset.policy, 0)
    environment, rng = lab_environment(), random.Random(0)

    tokens, _ = _pair(net, preset, environment, rng, (1, 1, 1, 1), False)
    usual, _ = _pair(net, load_preset("tiny", SMALL), environment, rng, (1, 1, 1, 1), False)

    assert "answer so far: " in net.tokenizer.decode(tokens)
    assert "answer so far: " not in net.tokenizer.decode(usual)
