"""A person who sees letters, and a model that judges in both orders."""

import random
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.cli.compare_rating import asked_person, check_judge, judge_all, lettered, said_of
from partbook.economy.pairwise import GRAMMAR
from partbook.economy.ratings import PERSON
from partbook.errors import ConfigError
from partbook.pool import Worker, WorkerSpec
from partbook.price import Price
from tests.fakes import Failing, Scripted
from tests.traces import a_trace

SYSTEMS = ["single:a", "workflow:b", "conductor"]


def traces(count=3):
    return [a_trace(f"run-{i}") for i in range(count)]


def asked(*typed, count=3, order=(2, 0, 1)):
    """The person's ratings as (first, second, outcome)."""
    rest = list(typed)

    def ask(question):
        if not rest:
            raise EOFError
        return rest.pop(0)

    found = asked_person(SYSTEMS[:count], traces(count), order, ask)
    return found and [(r.first, r.second, r.outcome) for r in found]


def test_the_letter_chosen_is_better_than_each_other():
    assert asked("b") == [
        ("single:a", "workflow:b", "first"),
        ("single:a", "conductor", "first"),
    ]
    assert asked("A") == [
        ("single:a", "conductor", "second"),
        ("workflow:b", "conductor", "second"),
    ]


def test_a_tie_is_one_of_each_pair():
    assert [outcome for *_, outcome in asked("t") or []] == ["tie", "tie", "tie"]


def test_a_person_may_skip_and_is_asked_again_after_anything_else():
    assert asked("s") is None
    assert asked() is None
    assert asked("", "Z", "AB", "best", "a", count=2, order=(1, 0)) == [
        ("single:a", "workflow:b", "second")
    ]


def test_a_rating_names_the_runs_and_not_the_question():
    found = asked_person(SYSTEMS[:2], traces(2), (0, 1), lambda _: "a")

    assert found is not None
    assert (found[0].by, found[0].first_run, found[0].second_run) == (PERSON, "run-0", "run-1")
    assert len(found[0].question) == 16


def test_the_order_under_the_letters_is_drawn():
    orders = {tuple(lettered(2, random.Random(seed))) for seed in range(20)}

    assert orders == {(0, 1), (1, 0)}


def worker(model, kind="http", **settings):
    return Worker(WorkerSpec("j", kind, price=Price(Decimal(1), Decimal(2)), **settings), model)


async def test_a_judge_compares_every_pair_that_has_two_answers():
    first, second, silent = traces()
    silent = replace(silent, rounds=())
    judge = Scripted(["VERDICT: A", "VERDICT: B"])
    second = replace(second, rounds=(replace(second.rounds[0], answer="116"),))

    found = await judge_all(worker(judge), [first, second, silent])

    assert [(one.first, one.second) for one in found] == [(0, 1)]
    assert found[0].found is not None
    assert found[0].found.outcome == "first"
    assert found[0].cost_usd == Decimal("0.00004")
    assert said_of(found[0], SYSTEMS) == "single:a is better, in both orders"


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["VERDICT: A", "VERDICT: A"], "a tie: it preferred place A, whichever answer stood there"),
        (["VERDICT: TIE", "VERDICT: TIE"], "a tie, in both orders"),
        (["VERDICT: TIE", "VERDICT: A"], "a tie: the two orders do not agree"),
        (["Both.", "VERDICT: A"], "not judged: a reply holds no verdict in its last line"),
    ],
)
async def test_what_a_judge_said_is_put_into_words(texts, says):
    first, second = traces(2)
    second = replace(second, rounds=(replace(second.rounds[0], answer="116"),))

    (found,) = await judge_all(worker(Scripted(texts)), [first, second])

    assert said_of(found, SYSTEMS) == f"single:a and workflow:b: {says}"


async def test_a_judge_that_is_down_leaves_the_pair_not_judged():
    first, second = traces(2)
    second = replace(second, rounds=(replace(second.rounds[0], answer="116"),))

    (found,) = await judge_all(worker(Failing(), retries=0), [first, second])

    assert found.found is None
    assert said_of(found, SYSTEMS).endswith("not judged: the worker is down")


async def test_equal_answers_are_a_tie_and_nobody_is_asked():
    (found,) = await judge_all(worker(Scripted([])), traces(2))

    assert said_of(found, SYSTEMS).endswith("a tie: the answers are the same")
    assert found.cost_usd == 0


async def test_a_local_judge_is_kept_to_the_form_and_to_its_window():
    first, second = traces(2)
    second = replace(second, rounds=(replace(second.rounds[0], answer="x" * 50_000),))
    judge = Scripted(["VERDICT: A", "VERDICT: B"])

    await judge_all(worker(judge, "local", context_window=4096), [first, second])

    assert [sampling.grammar for sampling in judge.asked] == [GRAMMAR, GRAMMAR]
    assert len(judge.heard[0][1].text) < 7_000


def test_a_tool_cannot_judge():
    with pytest.raises(ConfigError, match="a language model was expected, worker 'sums' is none"):
        check_judge(WorkerSpec("sums", "calculator"))
