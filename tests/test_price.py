"""Price: what a call costs, exactly."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.price import FREE, Price, Tier, total_usd
from partbook.spend_json import price_from_dict, price_to_dict, usage_from_dict, usage_to_dict


def usd(*prices: str) -> list[Decimal]:
    return [Decimal(price) for price in prices]


GEMINI = Price(
    *usd("1.25", "10.00", "0.125"), tiers=(Tier(200_000, Price(*usd("2.50", "15.00", "0.25"))),)
)
SONNET = Price(*usd("3", "15", "0.3", "3.75", "6"))


@pytest.mark.parametrize(
    ("price", "usage", "expected"),
    [
        (Price(*usd("2", "8", "0.5")), Usage(2000, 400, 1500), "0.00495"),
        (Price(*usd("2", "8")), Usage(2000, 400, 1500), "0.0072"),
        (SONNET, Usage(10_120, 300, 9000, 0, 1000), "0.01131"),
        (SONNET, Usage(10_120, 300, 9000, 0, 1000, 400), "0.01221"),
        (Price(*usd("3", "15", "0.3", "3.75")), Usage(1000, 0, 0, 0, 1000, 1000), "0.00375"),
        (Price(*usd("3", "15")), Usage(1000, 0, 0, 0, 1000), "0.003"),
        (GEMINI, Usage(200_000, 1000), "0.26"),
        (GEMINI, Usage(200_001, 1000), "0.5150025"),
        (GEMINI, Usage(205_000, 1000, 200_000), "0.0775"),
        (GEMINI, Usage(0, 0), "0"),
        (Price(*usd("3", "15")), Usage(30, 450, 0, 400), "0.00684"),
        (FREE, Usage(10**9, 10**9), "0"),
    ],
)
def test_a_call_costs_its_tokens_by_class_and_tier(price, usage, expected):
    assert price.cost_usd(usage) == Decimal(expected)


def test_a_tier_begins_above_its_start_and_the_highest_that_applies_counts():
    three = Price(
        *usd("1", "1"),
        tiers=(Tier(100, Price(*usd("2", "2"))), Tier(200, Price(*usd("3", "3")))),
    )

    assert [three.at(n).input_usd for n in (0, 100, 101, 200, 201)] == usd("1", "1", "2", "2", "3")


@pytest.mark.parametrize(
    ("price", "prompt", "completion", "expected"),
    [
        (Price(*usd("2", "8")), 1000, 100, "0.0028"),
        (Price(*usd("2", "8", "0.5")), 1000, 100, "0.0028"),
        (SONNET, 1000, 100, "0.0075"),  # all of the prompt written to the cache, for an hour
        (GEMINI, 200_000, 0, "0.25"),
        (GEMINI, 200_001, 0, "0.5000025"),
        # A dearer tier for short prompts: the prompt may turn out to be shorter.
        (Price(*usd("4", "1"), tiers=(Tier(10, Price(*usd("1", "2"))),)), 20, 10, "0.00009"),
    ],
)
def test_the_worst_case_is_at_the_dearest_price_that_can_apply(price, prompt, completion, expected):
    assert price.worst_usd(prompt, completion) == Decimal(expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Price(*usd("-1", "1")), "a price of 0 or more was expected, found -1"),
        (lambda: Price(*usd("1", "NaN")), "a price of 0 or more was expected, found NaN"),
        (lambda: Price(*usd("1", "1", "Infinity")), "a price of 0 or more was expected, found Inf"),
        (
            lambda: Price(*usd("1", "1"), tiers=(Tier(9, FREE), Tier(9, FREE))),
            r"tiers must begin above ascending token counts, found \[9, 9\]",
        ),
        (
            lambda: Price(*usd("1", "1"), tiers=(Tier(-1, FREE),)),
            r"tiers must begin above ascending token counts, found \[-1\]",
        ),
        (
            lambda: Price(*usd("1", "1"), tiers=(Tier(9, GEMINI),)),
            "the price of a tier has no tiers of its own",
        ),
    ],
)
def test_a_price_that_makes_no_sense_cannot_exist(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


_USD = st.decimals(0, 1000, places=8)
_COUNTS = st.integers(0, 10**12)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    prompt, completion = draw(_COUNTS), draw(_COUNTS)
    cached = draw(st.integers(0, prompt))
    written = draw(st.integers(0, prompt - cached))
    return Usage(
        prompt,
        completion,
        cached,
        draw(st.integers(0, completion)),
        written,
        draw(st.integers(0, written)),
    )


_FLAT = st.builds(Price, _USD, _USD, st.none() | _USD, st.none() | _USD, st.none() | _USD)


@st.composite
def prices(draw: st.DrawFn) -> Price:
    flat = draw(_FLAT)
    starts = sorted(draw(st.sets(_COUNTS, max_size=3)))
    tiers = tuple(Tier(start, draw(_FLAT)) for start in starts)
    return Price(
        flat.input_usd,
        flat.output_usd,
        flat.cached_usd,
        flat.cache_write_usd,
        flat.cache_write_1h_usd,
        tiers,
    )


def in_nano_cents(price: Price, usage: Usage) -> int:
    """The same cost in whole numbers, so that nothing can be rounded."""

    def rate(*choices: Decimal | None) -> int:
        found = next(choice for choice in choices if choice is not None)
        return int(found.scaleb(8))

    at = price.at(usage.prompt_tokens)
    hour = usage.cache_write_1h_tokens
    fresh = usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens
    return (
        fresh * rate(at.input_usd)
        + usage.cached_tokens * rate(at.cached_usd, at.input_usd)
        + (usage.cache_write_tokens - hour) * rate(at.cache_write_usd, at.input_usd)
        + hour * rate(at.cache_write_1h_usd, at.cache_write_usd, at.input_usd)
        + usage.completion_tokens * rate(at.output_usd)
    )


@given(prices(), usages())
def test_a_cost_is_exact_and_never_below_0(price, usage):
    cost = price.cost_usd(usage)

    assert cost >= 0
    assert cost.scaleb(14) == in_nano_cents(price, usage)


@given(_FLAT, usages(), usages())
def test_without_tiers_the_cost_of_two_calls_is_the_sum_of_their_costs(price, one, other):
    together = in_nano_cents(price, one) + in_nano_cents(price, other)

    assert price.cost_usd(one + other).scaleb(14) == together


@given(prices(), st.integers(0, 10**6), st.integers(0, 10**6), _COUNTS)
def test_more_tokens_in_the_same_tier_never_cost_less(price, prompt, more, completion):
    longer = Usage(prompt + more, completion + more)

    if price.at(prompt) == price.at(prompt + more):
        assert price.cost_usd(longer) >= price.cost_usd(Usage(prompt, completion))


@given(prices(), usages(), _COUNTS, _COUNTS)
def test_no_call_costs_more_than_its_worst_case(price, usage, prompt, completion):
    worst = price.worst_usd(usage.prompt_tokens + prompt, usage.completion_tokens + completion)

    assert price.cost_usd(usage) <= worst


@given(prices())
def test_a_price_is_read_as_it_was_written(price):
    assert price_from_dict(price_to_dict(price)) == price


@given(usages())
def test_usage_is_read_as_it_was_written(usage):
    assert usage_from_dict(usage_to_dict(usage)) == usage


def test_a_price_is_written_with_what_it_has():
    assert price_to_dict(GEMINI) == {
        "input_usd": "1.25",
        "output_usd": "10",
        "cached_usd": "0.125",
        "tiers": [
            {
                "above_tokens": 200_000,
                "input_usd": "2.5",
                "output_usd": "15",
                "cached_usd": "0.25",
            }
        ],
    }
    assert price_to_dict(None) is None


@pytest.mark.parametrize("count", [-1, 1.5, "3", None, [3]])
def test_what_is_no_count_of_tokens_is_no_usage(count):
    with pytest.raises(ValueError, match="counts of tokens were expected"):
        usage_from_dict({"prompt_tokens": count, "completion_tokens": 1})


def test_usage_that_was_written_before_it_had_all_its_fields_is_read():
    assert usage_from_dict({"prompt_tokens": 3, "completion_tokens": 1}) == Usage(3, 1)


def test_a_sum_of_costs_is_not_rounded():
    costs = usd("123456789012345", "0.000000000000001234567")

    assert total_usd(costs) == Decimal("123456789012345.000000000000001234567")
