from partbook.train.recipe import Grpo
from partbook.train.watch import Watch

FINE = {"entropy": 0.05, "top_worker": 0.3, "frac_reward_zero_std": 0.4}


def said(*steps):
    watch = Watch(Grpo(steps=9, problems=1, rollouts=2))
    return [watch.look(logs) for logs in steps]


def test_a_healthy_run_is_left_in_peace():
    assert said(FINE, FINE, FINE, FINE) == [[], [], [], []]


def test_one_worker_for_nearly_everything_is_said_once_when_it_lasts():
    alone = FINE | {"top_worker": 0.9}

    first, second, third, fourth = said(alone, alone, alone, alone)

    assert (first, second, fourth) == ([], [], [])
    assert third == ["one worker gets more than 60% of the steps: see whether the pool explains it"]


def test_a_single_step_is_chance():
    alone = FINE | {"top_worker": 0.9}

    assert said(alone, alone, FINE, alone, alone) == [[], [], [], [], []]


def test_certainty_and_groups_that_agree_are_said_too():
    sure = {"entropy": 0.0001, "top_worker": 0.3, "frac_reward_zero_std": 0.99}

    assert len(said(sure, sure, sure)[2]) == 2
