import decimal
import inspect
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from reasoning_gym.factory import DATASETS

from partbook.errors import ConfigError
from partbook.tasks.catalogue import load_task
from partbook.tasks.formats import reference_text
from partbook.tasks.ground_truth import ground_truth
from partbook.tasks.gym import OUR_JUDGES, SPLITS, load_gym
from partbook.tasks.gym_judge import GymJudge
from partbook.tasks.gym_source import LEFT_OUT, generator_names, level_count
from partbook.tasks.gym_worker import EVALUATED, answer
from partbook.tasks.judging import judge_for

EVALUATES = re.compile(r"\beval\(answer|parse_expr\(answer|\bexec\(|sympify\(|literal_eval")


def problems(name, split="test", **how):
    return load_gym(name, (split,), size=3, **how).split(split)


def asked(problem, given):
    return answer(
        {
            "generator": problem.meta["generator"],
            "level": None,
            "series": problem.meta["series"],
            "index": problem.meta["index"],
            "question": problem.question,
            "answer": given,
        },
        lambda _: None,
    )


def test_about_a_hundred_generators_are_offered():
    assert len(generator_names()) == 101
    assert set(OUR_JUDGES) < set(generator_names())
    assert set(LEFT_OUT) < set(DATASETS)


def test_a_seed_fixes_the_problems_in_every_process():
    here = [problem.question for problem in problems("leg_counting", seed=4)]
    code = (
        "from partbook.tasks.gym import load_gym\n"
        "for p in load_gym('leg_counting', ('test',), seed=4, size=3).split('test'):\n"
        "    print(p.question, end='\\0')"
    )

    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert there.stdout.rstrip("\0").split("\0")[-3:] == here
    assert [problem.question for problem in problems("leg_counting", seed=5)] != here


def test_splits_are_series_that_do_not_overlap():
    task = load_gym("chain_sum", SPLITS, size=40)

    series = {int(problem.meta["series"]) for problem in task.split("all")}

    assert len(series) == 3
    assert all(start % 10_000 == 0 and start < 2**32 - 10_000 for start in series)
    assert len({problem.question for problem in task.split("all")}) > 110


def test_a_higher_level_is_another_and_longer_problem():
    easy, hard = (
        sum(len(problem.question) for problem in problems("spell_backward", level=level))
        for level in (0, level_count("spell_backward") - 1)
    )

    assert hard > easy


@pytest.mark.parametrize(
    ("name", "how", "reason"),
    [
        ("klingon", {}, "there is no generator 'klingon'"),
        ("coin_flipp", {}, "did you mean gym/coin_flip?"),
        ("ransom_note", {}, "is not offered: its problems depend on the interpreter's hash seed"),
        ("chain_sum", {"level": 99}, "has no level 99; levels: 0 to"),
        ("caesar_cipher", {"level": 2}, "cannot be made at level 2: rotation must be in range"),
        ("chain_sum", {"split": "exam"}, "has no split 'exam'"),
    ],
)
def test_what_cannot_be_generated_is_a_users_mistake(name, how, reason):
    with pytest.raises(ConfigError, match=reason):
        problems(name, **how)


def test_a_series_has_a_bounded_size():
    with pytest.raises(ConfigError, match="a series has 1 to 10000 problems, found 0"):
        load_gym("chain_sum", ("test",), size=0)


@pytest.mark.parametrize("name", ["countdown", "n_queens", "simple_integration", "gsm_symbolic"])
async def test_references_pass_and_another_answer_does_not(name):
    task = load_task(f"gym/{name}", size=3)
    first, second, _ = task.split("test")

    truth = await ground_truth(task.split("test"))
    other = await judge_for(first).judge(reference_text(replace(first, reference="no")))

    assert (truth.right, truth.sound) == (3, True)
    assert other.outcome == "wrong"
    assert first.question != second.question


async def test_another_right_answer_than_the_reference_passes():
    problem = problems("countdown")[0]
    other = f"({problem.reference})"

    verdict = await GymJudge(problem).judge(f"<think>hm</think>It is <answer>{other}</answer>")

    assert (verdict.outcome, verdict.answer) == ("right", other)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<think>it is 5", "inside its reasoning"),
        ("<answer>5", "not closed"),
        ("", "the whole text"),
        ("x" * 30_000, "longer than 20000 characters"),
    ],
)
async def test_a_text_without_an_answer_is_wrong_and_needs_no_process(text, why):
    verdict = await GymJudge(problems("chain_sum")[0]).judge(text)

    assert verdict.outcome == "wrong"
    assert why in verdict.reason


async def test_a_problem_that_its_generator_does_not_make_is_not_judged():
    problem = replace(problems("chain_sum")[0], question="What is 1 + 1?")

    verdict = await GymJudge(problem).judge("<answer>2</answer>")

    assert verdict.outcome == "not judged"
    assert "another problem" in verdict.reason


def test_a_problem_that_was_not_generated_has_no_gym_judge():
    with pytest.raises(ConfigError, match="was not generated: no generator"):
        GymJudge(replace(problems("chain_sum")[0], meta={}))


def test_every_scorer_that_evaluates_an_answer_is_shown_only_harmless_ones():
    evaluating = {
        name
        for name in generator_names()
        if EVALUATES.search(inspect.getsource(DATASETS[name][0].score_answer))
    }

    assert evaluating == set(EVALUATED)


@pytest.mark.parametrize("name", sorted(EVALUATED))
@pytest.mark.parametrize(
    "hostile",
    [
        "open('{path}', 'w')",
        "().__class__",
        "__import__('os').system('touch {path}')",
        "['{path}'][0]",
        "x.y",
        "9**9**9**9",
        "(9**99)**999",
        "exec(1)",
        "ABCDEF()",
        "1" * 19_000 + "!",
        "*" * 19_000 + "!",
    ],
)
def test_text_that_could_do_anything_is_never_evaluated(name, hostile, tmp_path):
    path = tmp_path / "made"

    score = asked(problems(name)[0], hostile.replace("{path}", str(path)))

    assert score == 0.0
    assert not path.exists()


@pytest.mark.parametrize("name", ["prime_factorization", "number_sorting", "decimal_arithmetic"])
@pytest.mark.parametrize("given", ["no such answer", "nan", "-Infinity", "[]", "{}", "1/0"])
def test_a_scorer_that_raises_or_is_fooled_has_not_accepted(name, given):
    assert asked(problems(name)[0], given) < 1


def test_making_problems_leaves_the_precision_of_decimals_alone():
    before = decimal.getcontext().prec

    load_task("gym/decimal_arithmetic", size=2)

    assert decimal.getcontext().prec == before
