from decimal import Decimal

import pytest

from partbook.message import Usage
from partbook.pool import Price
from partbook.prices import context_window_of, price_of


@pytest.mark.parametrize(
    ("model", "endpoint", "expected"),
    [
        ("gpt-5", "", ("1.25", "10", "0.125")),
        ("gpt-5", "https://api.openai.com/v1", ("1.25", "10", "0.125")),
        ("claude-sonnet-4", "", ("3", "15", "0.3")),
        ("claude-sonnet-4-20250514", "https://api.anthropic.com/v1", ("3", "15", "0.3")),
        ("anthropic/claude-sonnet-4", "https://openrouter.ai/api/v1", ("3", "15", "0.3")),
    ],
)
def test_a_known_model_has_its_list_price(model, endpoint, expected):
    assert price_of(model, endpoint) == Price(*map(Decimal, expected))


def test_a_price_with_tiers_is_that_of_short_prompts():
    endpoint = "https://generativelanguage.googleapis.com/v1beta/openai"

    price = price_of("gemini-2.5-pro", endpoint)

    assert price == Price(Decimal("1.25"), Decimal("10"), Decimal("0.125"))


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
