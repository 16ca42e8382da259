from decimal import Decimal

import genai_prices
import pytest

from partbook.list_prices import context_window_of, price_of
from partbook.message import Usage
from partbook.own_prices import OwnPrice
from partbook.price import Price, Tier


@pytest.mark.parametrize(
    ("model", "endpoint", "expected"),
    [
        ("gpt-5", "", ("1.25", "10", "0.125")),
        ("gpt-5", "https://api.openai.com/v1", ("1.25", "10", "0.125")),
        ("claude-sonnet-4", "", ("3", "15", "0.3", "3.75", "6")),
        (
            "claude-sonnet-4-20250514",
            "https://api.anthropic.com/v1",
            ("3", "15", "0.3", "3.75", "6"),
        ),
        (
            "anthropic/claude-sonnet-4",
            "https://openrouter.ai/api/v1",
            ("3", "15", "0.3", "3.75"),
        ),
    ],
)
def test_a_known_model_has_its_list_price(model, endpoint, expected):
    assert price_of(model, endpoint) == Price(*map(Decimal, expected))


def usd(*prices: str) -> list[Decimal]:
    return [Decimal(price) for price in prices]


def test_a_price_that_rises_with_the_prompt_has_tiers():
    endpoint = "https://generativelanguage.googleapis.com/v1beta/openai"

    price = price_of("gemini-2.5-pro", endpoint)

    long = Price(*usd("2.5", "15", "0.25"))
    assert price == Price(*usd("1.25", "10", "0.125"), tiers=(Tier(200_000, long),))


def test_tiers_of_all_classes_of_tokens_become_one_row_of_tiers():
    price = price_of("qwen/qwen3-coder-flash", "https://openrouter.ai/api/v1")

    assert price is not None
    assert [(tier.above_tokens, tier.price.input_usd) for tier in price.tiers] == [
        (32_000, Decimal("0.325")),
        (128_000, Decimal("0.52")),
    ]
    assert price.tiers[1].price == Price(*usd("0.52", "2.6", "0.104", "0.65"))


@pytest.mark.parametrize("model", ["sonar", "sonar-deep-research"])
def test_a_price_with_charges_that_are_not_by_token_is_unknown(model):
    assert price_of(model) is None


def test_the_price_of_a_long_prompt_is_what_the_table_s_own_arithmetic_says():
    usage = Usage(300_000, 2_000, cached_tokens=100_000)
    listed = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=300_000, output_tokens=2_000, cache_read_tokens=100_000),
        "gemini-2.5-pro",
    )

    price = price_of("gemini-2.5-pro")

    assert price is not None
    assert price.cost_usd(usage) == listed.total_price == Decimal("0.555")


OWN = (
    OwnPrice("my-model", "http://127.0.0.1", Price(*usd("1", "2"))),
    OwnPrice("gpt-5*", "", Price(*usd("3", "4"))),
)


def test_a_price_of_one_s_own_wins_over_the_list():
    assert price_of("gpt-5-mini", "https://api.openai.com/v1", OWN) == Price(*usd("3", "4"))
    assert price_of("claude-sonnet-4", "", OWN) == price_of("claude-sonnet-4")


def test_a_price_of_one_s_own_holds_for_its_endpoint_only():
    assert price_of("my-model", "http://127.0.0.1:8000/v1", OWN) == Price(*usd("1", "2"))
    assert price_of("my-model", "https://proxy.example/v1", OWN) is None


@pytest.mark.parametrize(
    ("model", "endpoint"),
    [
        ("no-such-model", ""),
        ("no-such-model", "https://api.openai.com/v1"),
        ("gpt-5", "http://127.0.0.1:8000/v1"),
        ("gpt-5", "https://proxy.example/v1"),
        ("", ""),
        ("", "https://api.openai.com/v1"),
        ("text-embedding-3-small", "https://api.openai.com/v1"),  # has no price for output
    ],
)
def test_what_is_not_in_the_table_is_unknown_and_not_free(model, endpoint):
    assert price_of(model, endpoint) is None


def test_a_call_of_gpt_5_costs_what_its_price_page_says():
    price = price_of("gpt-5")

    assert price is not None
    assert price.cost_usd(Usage(10_000, 2_000, cached_tokens=4_000)) == Decimal("0.028")


def test_the_context_window_of_an_unknown_model_is_unknown():
    assert context_window_of("gpt-5") == 400_000
    assert context_window_of("no-such-model") is None
    assert context_window_of("gpt-5", "http://127.0.0.1:8000/v1") is None
