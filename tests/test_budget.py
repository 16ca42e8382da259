import asyncio
from decimal import Decimal

import pytest

from partbook.budget import Budget, Budgeted, Limits, prompt_bound
from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.price import Price
from tests.fakes import Echo, Failing, Gate

ONE_DOLLAR_PER_TOKEN = Price(Decimal(1_000_000), Decimal(1_000_000))
HELLO = [Message("user", "hello")]  # 5 bytes and 16 of the template: 21 tokens at most


def test_a_call_is_counted_with_what_it_really_took():
    budget = Budget(Limits(tokens=1000))

    asyncio.run(Budgeted(Echo("a"), budget, ONE_DOLLAR_PER_TOKEN).chat(HELLO, Sampling(100)))

    assert (budget.calls, budget.tokens, budget.usd) == (1, 15, Decimal(15))


async def test_the_worst_case_is_refused_before_the_call_is_made():
    model, budget = Echo("a"), Budget(Limits(tokens=120))

    with pytest.raises(BudgetError) as raised:
        await Budgeted(model, budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert raised.value.limit == "tokens"
    assert str(raised.value) == "the next call may take 121 tokens, 120 of 120 are left"
    assert model.heard == []
    assert (budget.calls, budget.tokens) == (0, 0)


async def test_the_worst_case_that_just_fits_is_allowed():
    budget = Budget(Limits(tokens=121))

    await Budgeted(Echo("a"), budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert budget.tokens == 15


async def test_calls_that_run_at_once_cannot_exceed_the_limit_together():
    budget, gate = Budget(Limits(usd=Decimal(250))), Gate()
    model = Budgeted(gate, budget, ONE_DOLLAR_PER_TOKEN)
    two = [asyncio.create_task(model.chat(HELLO, Sampling(max_tokens=100))) for _ in range(2)]
    await gate.reached.wait()

    with pytest.raises(BudgetError) as raised:
        await model.chat(HELLO, Sampling(max_tokens=100))
    gate.opened.set()
    await asyncio.gather(*two)

    assert str(raised.value) == "the next call may cost $121, $8 of $250 are left"
    assert (gate.waiting, budget.usd) == (2, Decimal(4))


async def test_a_limit_in_dollars_needs_a_price():
    budget = Budget(Limits(usd=Decimal(1)))

    with pytest.raises(ConfigError, match="needs the price of every worker"):
        await Budgeted(Echo("a"), budget, None).chat(HELLO, Sampling())


async def test_an_unknown_usage_leaves_the_worst_case_standing():
    budget = Budget(Limits(tokens=1000))

    await Budgeted(Echo("a", usage=None), budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert budget.tokens == 121


async def test_a_failure_that_cost_nothing_gives_its_reservation_back():
    budget = Budget(Limits(tokens=1000))

    with pytest.raises(WorkerError):
        await Budgeted(Failing(Usage()), budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert (budget.calls, budget.tokens) == (1, 0)


async def test_a_cancelled_call_keeps_its_worst_case():
    budget, gate = Budget(Limits(tokens=1000)), Gate()
    task = asyncio.create_task(Budgeted(gate, budget, None).chat(HELLO, Sampling(100)))
    await gate.reached.wait()

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert (gate.cancelled, budget.tokens) == (1, 121)


async def test_a_tool_takes_no_tokens_but_its_calls_count():
    budget = Budget(Limits(calls=1, tokens=0, usd=Decimal(0)))
    tool = Budgeted(Echo("t", usage=Usage()), budget, Price(Decimal(0), Decimal(0)), is_tool=True)

    await tool.chat(HELLO, Sampling())

    with pytest.raises(BudgetError, match="the limit of 1 calls is reached"):
        await tool.chat(HELLO, Sampling())


def test_a_reservation_is_settled_once():
    budget = Budget()
    held = budget.reserve(10, None)
    budget.settle(held, 3, None)

    with pytest.raises(ValueError, match="settled once"):
        budget.settle(held, 3, None)


def test_the_bound_of_a_prompt_counts_bytes_not_letters():
    assert prompt_bound([Message("user", "가나"), Message("system", "")]) == 6 + 16 + 16


ASSUMED = Price(Decimal(5), Decimal(25))


async def test_an_unknown_price_counts_as_the_one_that_is_assumed():
    budget = Budget(Limits(usd=Decimal(1), assumed_price=ASSUMED))

    await Budgeted(Echo("a"), budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert budget.usd == Decimal("0.000175")  # 10 tokens read, 5 written


async def test_the_assumed_price_makes_a_worst_case_that_can_be_too_much():
    model = Echo("a")
    budget = Budget(Limits(usd=Decimal("0.0026"), assumed_price=ASSUMED))

    with pytest.raises(BudgetError, match=r"the next call may cost \$0\.002605"):
        await Budgeted(model, budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert model.heard == []


async def test_a_known_price_is_not_replaced_by_the_assumed_one():
    budget = Budget(Limits(usd=Decimal(1_000), assumed_price=ASSUMED))

    await Budgeted(Echo("a"), budget, ONE_DOLLAR_PER_TOKEN).chat(HELLO, Sampling(max_tokens=100))

    assert budget.usd == Decimal(15)


async def test_an_answer_that_was_kept_counts_as_no_call():
    class Keeping(Echo):
        async def chat(self, messages, sampling, on_text=None):
            return Completion("kept", Usage(), cached=True)

    budget = Budget(Limits(calls=1, tokens=1000))
    model = Budgeted(Keeping("k"), budget, ONE_DOLLAR_PER_TOKEN)

    await model.chat(HELLO, Sampling(max_tokens=100))
    await model.chat(HELLO, Sampling(max_tokens=100))

    assert (budget.calls, budget.tokens, budget.usd) == (0, 0, 0)


async def test_a_worker_that_is_left_alone_was_not_called():
    class Alone(Echo):
        async def chat(self, messages, sampling, on_text=None):
            raise WorkerError("left alone", usage=Usage(), kind="unavailable")

    budget = Budget(Limits(tokens=1000))
    with pytest.raises(WorkerError):
        await Budgeted(Alone("a"), budget, None).chat(HELLO, Sampling(max_tokens=100))

    assert (budget.calls, budget.tokens) == (0, 0)


def test_the_dearest_class_of_prompt_tokens_is_what_is_reserved():
    dear_cache = Price(Decimal(1), Decimal(1), cached_usd=Decimal(5))
    budget = Budget(Limits(usd=Decimal("0.0001")))

    with pytest.raises(BudgetError) as raised:  # 21 tokens at 5 and one at 1, per million
        asyncio.run(Budgeted(Echo("a"), budget, dear_cache).chat(HELLO, Sampling(max_tokens=1)))

    assert "may cost $0.000106, $0.0001 of $0.0001 are left" in str(raised.value)


@pytest.mark.parametrize(
    "limit",
    [
        {"rounds": 0},
        {"usd": Decimal("-0.01")},
        {"usd": Decimal("NaN")},
        {"usd": Decimal("Infinity")},
        {"calls": -1},
        {"tokens": -1},
        {"timeout_s": -1.0},
        {"timeout_s": float("nan")},
    ],
)
def test_a_limit_that_makes_no_sense_cannot_exist(limit):
    with pytest.raises(ConfigError, match=r"a limit of .* was expected, found"):
        Limits(**limit)


def test_small_amounts_are_said_in_plain_digits():
    budget = Budget(Limits(usd=Decimal("0.0000001")))

    with pytest.raises(BudgetError) as raised:
        budget.reserve(18, Decimal("0.00000018"))

    assert str(raised.value) == (
        "the next call may cost $0.00000018, $0.0000001 of $0.0000001 are left"
    )


@pytest.mark.parametrize("taken", [(-1, None), (0, Decimal("-0.1"))])
def test_a_call_cannot_give_anything_back(taken):
    budget = Budget()
    held = budget.reserve(10, Decimal(1))

    with pytest.raises(ValueError, match="takes 0 or more"):
        budget.settle(held, *taken)

    assert (budget.tokens, budget.usd) == (10, 1)


def test_sums_of_long_prices_are_not_rounded():
    long = Decimal("0.1234567890123456789012345678901234567")
    budget = Budget()

    held = [budget.reserve(0, long), budget.reserve(0, Decimal(10**6))]
    for one in held:
        budget.settle(one, 0, Decimal(0))

    assert budget.usd == 0


def test_what_was_spent_before_is_booked_even_beyond_the_limits():
    budget = Budget(Limits(calls=1, tokens=10))

    budget.book(12, Decimal(3), 2)

    assert (budget.calls, budget.tokens, budget.usd) == (2, 12, 3)
    with pytest.raises(BudgetError):
        budget.reserve(0, None)
