"""Cases of real accounting failures, by kind; in each a cost that a naive sum gets wrong."""

import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.price import price_command
from partbook.errors import ConfigError

app = typer.Typer()
app.command()(price_command)

FLAT = {"input": "2.00", "cached_input": "0.50", "output": "8.00"}
ANTHROPIC = {"input": "3.00", "cache_read": "0.30", "cache_write": "3.75", "output": "15.00"}
TIERS = {
    "threshold": 200_000,
    "low": {"input": "1.25", "cached_input": "0.125", "output": "10.00"},
    "high": {"input": "2.50", "cached_input": "0.25", "output": "15.00"},
}


def run(case: object, *options: str):
    text = case if isinstance(case, str) else json.dumps(case)
    result = CliRunner().invoke(app, options, input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def price(case: object) -> dict:
    return json.loads(run(case, "--json").stdout)


def openai(prompt: int, completion: int, cached: int | None = None, **more: object) -> dict:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, **more}
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return usage


KINDS = {
    "cached tokens are part of the prompt": [
        ({"price_per_m": FLAT, "usage": openai(2000, 400, 1500)}, "0.00495"),
        ({"price_per_m": FLAT, "usage": openai(2000, 400, 0)}, "0.0072"),
        ({"price_per_m": FLAT, "usage": openai(2000, 400, 2000)}, "0.0042"),
        (
            {
                "price_per_m": FLAT,
                "usage": {
                    "input_tokens": 2000,
                    "output_tokens": 400,
                    "input_tokens_details": {"cached_tokens": 1500},
                },
            },
            "0.00495",
        ),
        (
            {"price_per_m": {"input": "2", "output": "8"}, "usage": openai(2000, 400, 1500)},
            "0.0072",
        ),
    ],
    "cache classes beside the prompt": [
        (
            {
                "format": "anthropic",
                "price_per_m": ANTHROPIC,
                "usage": {
                    "input_tokens": 120,
                    "cache_read_input_tokens": 9000,
                    "cache_creation_input_tokens": 1000,
                    "output_tokens": 300,
                },
            },
            "0.01131",
        ),
        (
            {
                "format": "anthropic",
                "price_per_m": ANTHROPIC,
                "usage": {"input_tokens": 120, "output_tokens": 300},
            },
            "0.00486",
        ),
        (
            {
                "format": "anthropic",
                "price_per_m": ANTHROPIC | {"cache_write_1h": "6.00"},
                "usage": {
                    "input_tokens": 120,
                    "cache_read_input_tokens": 0,
                    "cache_creation_input_tokens": 1000,
                    "cache_creation": {"ephemeral_1h_input_tokens": 1000},
                    "output_tokens": 0,
                },
            },
            "0.00636",
        ),
        (
            {
                "format": "anthropic",
                "price_per_m": ANTHROPIC,
                "usage_chunks": [
                    {"input_tokens": 120, "cache_read_input_tokens": 9000, "output_tokens": 1},
                    {"output_tokens": 300},
                ],
            },
            "0.00756",
        ),
    ],
    "reasoning is output": [
        (
            {
                "format": "xai",
                "price_per_m": {"input": "3.00", "output": "15.00"},
                "usage": openai(
                    30, 50, total_tokens=480, completion_tokens_details={"reasoning_tokens": 400}
                ),
            },
            "0.00684",
        ),
        (
            {
                "price_per_m": {"input": "3.00", "output": "15.00"},
                "usage": openai(
                    30, 450, total_tokens=480, completion_tokens_details={"reasoning_tokens": 400}
                ),
            },
            "0.00684",
        ),
        (
            {
                "format": "gemini",
                "price_per_m": {"input": "3.00", "output": "15.00"},
                "usage": {
                    "promptTokenCount": 30,
                    "candidatesTokenCount": 50,
                    "thoughtsTokenCount": 400,
                    "totalTokenCount": 480,
                },
            },
            "0.00684",
        ),
        (
            {
                "price_per_m": {"input": "3.00", "output": "15.00"},
                "response": {
                    "usageMetadata": {
                        "promptTokenCount": 30,
                        "candidatesTokenCount": 50,
                        "totalTokenCount": 480,
                    }
                },
            },
            "0.00684",
        ),
    ],
    "one tier for the whole call": [
        ({"tiers": TIERS, "usage": openai(200_000, 1000)}, "0.26"),
        ({"tiers": TIERS, "usage": openai(200_001, 1000)}, "0.5150025"),
        ({"tiers": TIERS, "usage": openai(205_000, 1000, 200_000)}, "0.0775"),
        ({"tiers": TIERS, "usage": openai(200_000, 1000, 199_000)}, "0.036125"),
        (
            {
                "tiers": [
                    {"input": 1, "output": 1},
                    {"above": 10, "input": 2, "output": 2},
                    {"above": 20, "input": 3, "output": 3},
                ],
                "usage": openai(20, 10),
            },
            "0.00006",
        ),
    ],
    "of running totals the last counts": [
        (
            {"price_per_m": FLAT, "usage_chunks": [openai(21, n) for n in (1, 2, 3)]},
            "0.000066",
        ),
        ({"price_per_m": FLAT, "usage_chunks": [None, openai(21, 3)]}, "0.000066"),
        (
            {
                "price_per_m": FLAT,
                "usage_chunks": [{"choices": [], "usage": openai(21, 3)}, {"choices": []}],
            },
            "0.000066",
        ),
    ],
    "failed calls are paid": [
        (
            {
                "price_per_m": FLAT,
                "attempts": [
                    {"finish_reason": "length", "error": "truncated", "usage": openai(1000, 500)},
                    {"finish_reason": "stop", "usage": openai(1000, 700)},
                ],
            },
            "0.0136",
        ),
        (
            {"price_per_m": FLAT, "attempts": [{"status": 429}, {"usage": openai(1000, 700)}]},
            "0.0076",
        ),
        (
            {
                "price_per_m": FLAT,
                "attempts": [
                    {"usage": openai(1000, 500)},
                    {"price_per_m": {"input": "1", "output": "1"}, "usage": openai(1000, 500)},
                ],
            },
            "0.0075",
        ),
    ],
    "the planner's own call": [
        (
            {
                "price_per_m": FLAT,
                "conductor_usage": openai(300, 80),
                "steps": [
                    {"worker": 0, "usage": openai(10, 5)},
                    {"worker": 1, "usage": openai(20, 6)},
                ],
            },
            "0.001388",
        ),
        ({"price_per_m": FLAT, "conductor_usage": openai(300, 80), "steps": []}, "0.00124"),
        (
            {
                "price_per_m": {"conductor": FLAT, "0": {"input": 0, "output": 0}},
                "conductor_usage": openai(300, 80),
                "steps": [{"worker": 0, "usage": openai(10, 5)}],
            },
            "0.00124",
        ),
        (
            {
                "price_per_m": FLAT,
                "conductor_usage": openai(300, 80),
                "steps": [{"worker": 0, "attempts": [{"usage": openai(10, 5)}] * 2}],
            },
            "0.00136",
        ),
    ],
    "streamed or not": [
        ({"price_per_m": FLAT, "stream": True, "usage": openai(14, 100)}, "0.000828"),
        ({"price_per_m": FLAT, "stream": False, "usage": openai(14, 100)}, "0.000828"),
        (
            {
                "price_per_m": FLAT,
                "same_request": ["stream", "non-stream"],
                "usage": openai(14, 100),
            },
            "0.000828",
        ),
    ],
    "exact": [
        (
            {"price_per_m": {"input": "0.1", "output": "0.2"}, "usage": openai(1, 1)},
            "0.0000003",
        ),
        (
            {
                "price_per_m": {"input": 0.1, "output": 0.2},
                "attempts": [{"usage": openai(1, 1)}] * 9,
            },
            "0.0000027",
        ),
        (
            {
                "price_per_m": {"input": "0.123456789012345678901", "output": "1"},
                "usage": openai(999_999_999_999, 0),
            },
            "123456.789012222222111987654321099",
        ),
        ({"price_per_m": {"input": "0", "output": "0"}, "usage": openai(9, 9)}, "0"),
    ],
    "a model of the list": [
        ({"model": "gpt-5", "usage": openai(10_000, 2_000, 4_000)}, "0.028"),
        ({"model": "gemini-2.5-pro", "usage": openai(205_000, 1000, 200_000)}, "0.0775"),
        (
            {
                "model": "anthropic/claude-sonnet-4",
                "endpoint": "https://openrouter.ai/api/v1",
                "usage": openai(1000, 100),
            },
            "0.0045",
        ),
    ],
}


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(*pair, id=f"{kind} {i}")
        for kind, ps in KINDS.items()
        for i, pair in enumerate(ps)
    ],
)
def test_a_case_costs_what_was_worked_out_by_hand(case, expected):
    assert price(case)["cost_usd"] == expected


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({"price_per_m": FLAT, "usage": None}, "the provider did not say how many tokens"),
        ({"price_per_m": FLAT, "stream": True}, "the provider did not say how many tokens"),
        ({"price_per_m": FLAT, "usage": openai(0, 0)}, "the provider did not say how many tokens"),
        ({"price_per_m": FLAT, "usage_chunks": []}, "the provider did not say how many tokens"),
        ({"price_per_m": None, "usage": openai(9, 9)}, "the price is unknown"),
        ({"price_per_m": {}, "usage": openai(9, 9)}, "the price for input is unknown"),
        (
            {"price_per_m": {"input": "1", "output": None}, "usage": openai(9, 9)},
            "the price for output is unknown",
        ),
        (
            {"price_per_m": FLAT | {"per_picture": "1"}, "usage": openai(9, 9)},
            "a price for 'per_picture' is not known here; known: input,",
        ),
        ({"model": "no-such-model", "usage": openai(9, 9)}, "no price of 'no-such-model' is known"),
        ({"usage": openai(9, 9)}, "the case names no price and no model"),
        (
            {"price_per_m": FLAT, "attempts": [{"usage": openai(9, 9)}, {"usage": None}]},
            "the provider did not say how many tokens",
        ),
        (
            {"price_per_m": {"0": FLAT}, "steps": [{"worker": 1, "usage": openai(9, 9)}]},
            "the case names no price for '1'",
        ),
        ({"price_per_m": FLAT, "attempts": []}, "no call was made"),
    ],
)
def test_what_is_unknown_is_null_with_a_reason_and_never_0(case, reason):
    found = price(case)

    assert found["cost_usd"] is None
    assert found["reason"].startswith(reason)


def test_all_figures_of_one_call_are_told():
    case = {"price_per_m": FLAT, "usage": openai(2000, 400, 1500)}

    assert price(case) == {
        "cost_usd": "0.00495",
        "calls": 1,
        "prompt_tokens": 2000,
        "completion_tokens": 400,
        "cached_tokens": 1500,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
    }


def test_a_run_is_told_by_worker_with_its_conductor():
    case = {
        "conductor_usage": openai(300, 80),
        "steps": [{"worker": 0, "usage": openai(10, 5)}, {"worker": 1, "usage": openai(20, 6)}],
    }

    found = price(case)

    assert (found["calls"], found["total_prompt_tokens"], found["total_completion_tokens"]) == (
        3,
        330,
        91,
    )
    assert found["per_worker"] == {"conductor": [300, 80], "0": [10, 5], "1": [20, 6]}


@pytest.mark.parametrize("cached", [101, 150, 10**9])
def test_more_cached_tokens_than_the_prompt_has_are_cut_to_it_and_flagged(cached):
    found = price({"price_per_m": FLAT, "usage": openai(100, 0, cached)})

    assert (found["cost_usd"], found["flag"]) == ("0.00005", "inconsistent_usage")


def test_an_estimate_counts_only_where_the_case_gives_one_and_is_flagged():
    case = {
        "price_per_m": FLAT,
        "usage": None,
        "text_tokens_estimate": {"prompt": 100, "completion": 50},
    }

    guessed = price(case)
    told = price(case | {"usage": openai(14, 100)})

    assert (guessed["cost_usd"], guessed["estimated"]) == ("0.0006", True)
    assert (told["cost_usd"], told.get("estimated")) == ("0.000828", None)


def test_a_stream_and_a_whole_reply_are_read_alike():
    case = {"price_per_m": FLAT, "same_request": ["stream", "non-stream"], "usage": openai(14, 100)}

    assert price(case)["equal_for_both"] is True


def test_a_price_of_one_s_own_wins_over_the_list(tmp_path):
    own = tmp_path / "prices.toml"
    own.write_text('[[prices]]\nmodel = "gpt-5"\ninput_usd = 1\noutput_usd = 1\n')
    case = {"model": "gpt-5", "usage": openai(1000, 1000)}

    assert json.loads(run(case, "--json", "--prices", str(own)).stdout)["cost_usd"] == "0.002"


def test_without_json_it_is_said_in_words():
    known = run({"price_per_m": FLAT, "usage": openai(2000, 400, 1500)})
    unknown = run({"price_per_m": None, "usage": openai(9, 9)})

    assert (known.stdout, unknown.stdout) == ("$0.00495\n", "unknown: the price is unknown\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "standard input holds no JSON object"),
        ("[" * 100_000, "standard input holds no JSON object"),
        ("[1]", "standard input must hold a JSON object; found list"),
        ({"price_per_m": 3, "usage": {}}, "key 'price_per_m' must be an object; found 3"),
        ({"price_per_m": FLAT | {"input": "two"}}, "price 'input' must be a number; found 'two'"),
        ({"price_per_m": FLAT | {"input": "1e99999"}}, "price 'input' must be a number"),
        ({"price_per_m": FLAT | {"input": True}}, "price 'input' must be a number; found True"),
        ({"price_per_m": FLAT | {"input": "NaN"}}, "price 'input' must be a number; found 'NaN'"),
        ({"price_per_m": FLAT | {"input": "-2"}}, "a price of 0 or more was expected, found -2"),
        ({"attempts": 3}, "key 'attempts' must be a list of objects; found 3"),
        ({"steps": [3]}, r"key 'steps' must be a list of objects; found \[3\]"),
        ({"tiers": 3}, "key 'tiers' must be an object or a list; found 3"),
        ({"tiers": TIERS | {"threshold": "x"}}, "a tier must name its threshold in tokens; found"),
        ({"usage_chunks": 3}, "key 'usage_chunks' must be a list; found 3"),
    ],
)
def test_an_input_that_is_no_case_is_refused(text, message):
    with pytest.raises(ConfigError, match=message):
        run(text, "--json")


def test_calls_in_calls_have_a_limit():
    case: dict = {"usage": openai(1, 1)}
    for _ in range(20):
        case = {"attempts": [case]}

    with pytest.raises(ConfigError, match="calls lie in calls more than 8 deep"):
        run(case)


DOCS = (Path(__file__).parents[2] / "docs" / "money.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^\$ echo '([^']+)' \| partbook price ?(.*)\n(.+)$", re.MULTILINE)


@pytest.mark.parametrize(("case", "options", "printed"), EXAMPLE.findall(DOCS))
def test_the_examples_of_the_document_print_what_it_says(case, options, printed, tmp_path):
    own = tmp_path / "prices.toml"
    own.write_text(DOCS.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")

    result = run(case, *options.replace("prices.toml", str(own)).split())

    assert result.stdout == printed + "\n"


def test_the_document_has_examples():
    assert len(EXAMPLE.findall(DOCS)) == 4
