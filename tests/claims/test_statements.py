"""Verdicts that were worked out by hand: 20 problems, three seeds that agree."""

import pytest

pytest.importorskip("torch")

from partbook.claims.answers import Answer, apart
from partbook.claims.material import Material
from partbook.claims.statements import verdicts

PROBLEMS = 20


def answers(right=0, steps=2, calls=3, faithful=1.0, worker="ada"):
    """The first `right` problems of 20 are right; the difficulties 1 to 4 in turn.

    `steps` may be a function of the difficulty.
    """
    found = []
    for i in range(PROBLEMS):
        level = i % 4 + 1
        count = steps(level) if callable(steps) else steps
        one = Answer(f"test-{level}-{i}", level, i < right, calls, (worker,) * count, faithful)
        found.append(one)
    return found


def word(letter, seeds=3, **material):
    policies = {key: [group] * seeds for key, group in material.pop("policies", {}).items()}
    (claim,) = verdicts(Material(policies, **material), letter)
    return claim.word


def test_a_holds_above_the_best_worker_and_the_best_plan_and_not_where_one_is_as_good():
    plans = {"ada alone": answers(5), "gus, val checks": answers(10)}

    assert word("a", policies={("seed", "all"): answers(18)}, constants=plans) == "holds"
    assert word("a", policies={("seed", "all"): answers(10)}, constants=plans) == "does not hold"


def test_fewer_than_three_seeds_decide_nothing():
    plans = {"ada alone": answers(5)}

    found = word("a", 2, policies={("seed", "all"): answers(18)}, constants=plans)

    assert found == "not testable here"


def test_what_was_not_run_is_said_to_be_so():
    assert word("a", constants={"ada alone": answers(5)}) == "not run"
    assert [claim.word for claim in verdicts(Material(), "bcdefgh")] == ["not run"] * 7


RIVALS = {
    "moa:2@random": answers(4, calls=9),
    "moa:3": answers(5, calls=17),
    "masrouter": answers(6),
    "routerdc": answers(6),
    "smoothie:independent": answers(1),
    "self-reflection:5@gus": answers(7),
    "self-reflection:5@ada": answers(2),
    "self-fusion:4@gus": answers(7),
}


def test_b_holds_against_the_best_of_each_kind_and_fails_by_one_rival_or_by_calls():
    ours = {("seed", "all"): answers(18, calls=4)}
    dear = {("seed", "all"): answers(18, calls=10)}

    assert word("b", policies=ours, rivals=RIVALS) == "holds"
    strong = {**RIVALS, "self-reflection:5@val": answers(18)}
    assert word("b", policies=ours, rivals=strong) == "does not hold"
    assert word("b", policies=dear, rivals=RIVALS) == "does not hold"
    fewer = {name: found for name, found in RIVALS.items() if name != "masrouter"}
    assert word("b", policies=ours, rivals=fewer) == "not run"


def test_c_is_refuted_by_long_workflows_and_by_ones_that_training_made_longer():
    def of(steps, before):
        return word("c", policies={("seed", "all"): answers(steps=steps)},
                    warm=answers(steps=before))  # fmt: skip

    assert of(2, 2) == "holds"
    assert of(4, 4) == "does not hold"
    assert of(2, 1) == "does not hold"


def test_d_needs_more_steps_at_every_level():
    def of(steps):
        return word("d", policies={("seed", "all"): answers(steps=steps)})

    assert of(lambda level: level) == "holds"
    assert of(lambda level: min(level, 3)) == "does not hold"


def test_e_needs_a_gain_and_fewer_than_twice_the_calls():
    def of(first, second, calls):
        return word(
            "e",
            policies={
                ("again", "first"): answers(first, calls=3),
                ("again", "second"): answers(second, calls=calls),
                ("again", "fresh"): answers(first, calls=3),
            },
        )

    assert of(8, 18, 5) == "holds"
    assert of(8, 8, 5) == "does not hold"
    assert of(8, 18, 6) == "does not hold"


def test_f_needs_both_kinds_of_unseen_pools():
    def of(fours, guests):
        return word(
            "f",
            policies={
                ("random", "fours"): answers(fours),
                ("control", "fours"): answers(5),
                ("random", "guests"): answers(guests),
                ("control", "guests"): answers(5),
            },
        )

    assert of(18, 18) == "holds"
    assert of(18, 5) == "does not hold"


def test_g_needs_worse_answers_without_subtasks_and_as_good_ones_with_coarse_access():
    def of(whole, chain):
        return word(
            "g",
            policies={
                ("control", "all"): answers(15),
                ("whole", "all"): answers(whole),
                ("chain", "all"): answers(chain),
            },
        )

    assert of(5, 15) == "holds"
    assert of(15, 15) == "does not hold"
    assert of(5, 5) == "does not hold"


def test_h_needs_the_same_workers_and_better_subtasks():
    def of(worker, faithful):
        return word(
            "h",
            policies={
                ("seed", "all"): answers(faithful=0.9),
                ("small", "all"): answers(faithful=faithful, worker=worker),
            },
        )

    assert of("ada", 0.5) == "holds"
    assert of("gus", 0.5) == "does not hold"
    assert of("ada", 0.9) == "does not hold"


def test_shares_lie_as_far_apart_as_steps_would_have_to_move():
    mixed = answers(worker="ada")[:15] + answers(worker="gus")[15:]

    assert apart(answers(worker="ada"), answers(worker="ada")) == 0
    assert apart(answers(worker="ada"), answers(worker="gus")) == 1
    assert apart(answers(worker="ada"), mixed) == pytest.approx(0.25)
