"""Shapes as the providers' documents give them, and as faulty servers were seen to send them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.message import Usage
from partbook.models.usage import figures_in, merged, usage_from


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        # OpenAI's chat completions: details are parts.
        ({"prompt_tokens": 100, "completion_tokens": 40}, Usage(100, 40)),
        (
            {
                "prompt_tokens": 2000,
                "completion_tokens": 400,
                "total_tokens": 2400,
                "prompt_tokens_details": {"cached_tokens": 1500, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 300},
            },
            Usage(2000, 400, 1500, 300),
        ),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 40,
                "prompt_tokens_details": None,
                "completion_tokens_details": {"reasoning_tokens": None},
            },
            Usage(100, 40),
        ),
        # OpenAI's Responses: the same under other names.
        ({"input_tokens": 36, "output_tokens": 87, "total_tokens": 123}, Usage(36, 87)),
        (
            {
                "input_tokens": 8000,
                "input_tokens_details": {"cached_tokens": 7000},
                "output_tokens": 900,
                "output_tokens_details": {"reasoning_tokens": 640},
                "total_tokens": 8900,
            },
            Usage(8000, 900, 7000, 640),
        ),
        (
            {
                "input_tokens": 8000,
                "input_tokens_details": {"cached_tokens": 7000, "cache_write_tokens": 500},
                "output_tokens": 9,
            },
            Usage(8000, 9, 7000, 0, 500),
        ),
        # Anthropic: what the cache had or got is not part of input_tokens.
        ({"input_tokens": 120, "output_tokens": 300}, Usage(120, 300)),
        (
            {
                "input_tokens": 120,
                "cache_read_input_tokens": 9000,
                "cache_creation_input_tokens": 1000,
                "output_tokens": 300,
            },
            Usage(10_120, 300, 9000, 0, 1000),
        ),
        (
            {
                "input_tokens": 20,
                "cache_read_input_tokens": None,
                "cache_creation_input_tokens": 700,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 200,
                    "ephemeral_1h_input_tokens": 500,
                },
                "output_tokens": 3,
            },
            Usage(720, 3, 0, 0, 700, 500),
        ),
        (
            {
                "input_tokens": 20,
                "cache_creation": {"ephemeral_5m_input_tokens": 200},
                "output_tokens": 3,
            },
            Usage(220, 3, 0, 0, 200),
        ),
        # Gemini's own names: thoughts come beside the candidates, cached content within the prompt.
        (
            {"promptTokenCount": 50, "candidatesTokenCount": 20, "totalTokenCount": 70},
            Usage(50, 20),
        ),
        (
            {
                "promptTokenCount": 5000,
                "cachedContentTokenCount": 4096,
                "candidatesTokenCount": 20,
                "thoughtsTokenCount": 300,
                "totalTokenCount": 5320,
            },
            Usage(5000, 320, 4096, 300),
        ),
        (
            {"promptTokenCount": 9, "thoughtsTokenCount": 64, "totalTokenCount": 73},
            Usage(9, 64, 0, 64),
        ),
        (
            {
                "prompt_token_count": 50,
                "candidates_token_count": 20,
                "thoughts_token_count": 7,
                "tool_use_prompt_token_count": 10,
            },
            Usage(60, 27, 0, 7),
        ),
        (
            {
                "promptTokenCount": 50,
                "candidatesTokenCount": 27,
                "thoughtsTokenCount": 7,
                "totalTokenCount": 77,
            },
            Usage(50, 27, 0, 7),  # the total shows that these candidates hold the thoughts
        ),
        # Dialects of OpenAI's shape.
        (
            {  # OpenRouter
                "prompt_tokens": 194,
                "completion_tokens": 2,
                "total_tokens": 196,
                "cost": 0.95,
                "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 50},
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
            Usage(194, 2, 100, 0, 50),
        ),
        (
            {  # DeepSeek
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "prompt_cache_hit_tokens": 64,
                "prompt_cache_miss_tokens": 36,
            },
            Usage(100, 10, 64),
        ),
        ({"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 64}, Usage(100, 10, 64)),
        (
            {  # LiteLLM before Anthropic: there prompt_tokens holds the cached ones
                "prompt_tokens": 10_120,
                "completion_tokens": 300,
                "total_tokens": 10_420,
                "cache_read_input_tokens": 9000,
                "cache_creation_input_tokens": 1000,
            },
            Usage(10_120, 300, 9000, 0, 1000),
        ),
        (
            {  # Bedrock
                "inputTokens": 120,
                "outputTokens": 300,
                "totalTokens": 10_420,
                "cacheReadInputTokens": 9000,
                "cacheWriteInputTokens": 1000,
            },
            Usage(10_120, 300, 9000, 0, 1000),
        ),
        (
            {  # Cohere
                "billed_units": {"input_tokens": 5, "output_tokens": 7},
                "tokens": {"input_tokens": 71, "output_tokens": 9},
            },
            Usage(71, 9),
        ),
    ],
)
def test_every_known_shape_has_one_meaning(figures, expected):
    assert usage_from(figures) == expected


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        # Reasoning left out of completion_tokens: the total shows it.
        (
            {
                "prompt_tokens": 30,
                "completion_tokens": 50,
                "total_tokens": 480,
                "completion_tokens_details": {"reasoning_tokens": 400},
            },
            Usage(30, 450, 0, 400),
        ),
        ({"prompt_tokens": 30, "completion_tokens": 50, "total_tokens": 90}, Usage(30, 60, 0, 10)),
        (
            {
                "prompt_tokens": 30,
                "completion_tokens": 450,
                "total_tokens": 480,
                "completion_tokens_details": {"reasoning_tokens": 400},
            },
            Usage(30, 450, 0, 400),
        ),
        (
            {
                "prompt_tokens": 30,
                "completion_tokens": 50,
                "completion_tokens_details": {"reasoning_tokens": 400},
            },
            Usage(30, 450, 0, 400),  # no total, but 400 are no part of 50
        ),
        (
            {
                "prompt_tokens": 500,
                "completion_tokens": 50,
                "total_tokens": 950,
                "prompt_tokens_details": {"cached_tokens": 400},
                "completion_tokens_details": {"reasoning_tokens": 400},
            },
            Usage(500, 450, 400, 400),
        ),
        # Cached tokens left out of prompt_tokens: likewise.
        (
            {
                "prompt_tokens": 120,
                "completion_tokens": 300,
                "total_tokens": 9420,
                "prompt_tokens_details": {"cached_tokens": 9000},
            },
            Usage(9120, 300, 9000),
        ),
        (
            {
                "input_tokens": 10_120,
                "output_tokens": 300,
                "total_tokens": 10_420,
                "cache_read_input_tokens": 9000,
            },
            Usage(10_120, 300, 9000),
        ),
        # One of the two is told by the total alone.
        ({"prompt_tokens": 30, "total_tokens": 80}, Usage(30, 50)),
        ({"completion_tokens": 50, "total_tokens": 80, "prompt_tokens": None}, Usage(30, 50)),
    ],
)
def test_the_total_shows_what_a_number_holds(figures, expected):
    assert usage_from(figures) == expected


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 0,
                "prompt_tokens_details": {"cached_tokens": 150},
            },
            Usage(100, 0, 100, inconsistent=True),
        ),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 1,
                "total_tokens": 101,
                "prompt_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 40},
            },
            Usage(100, 1, 60, 0, 40, inconsistent=True),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "completion_tokens_details": {"reasoning_tokens": 9},
            },
            Usage(10, 5, 0, 5, inconsistent=True),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 9},
            Usage(10, 5, inconsistent=True),
        ),
        (
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_creation_input_tokens": 20,
                "cache_creation": {"ephemeral_1h_input_tokens": 30},
            },
            Usage(30, 5, 0, 0, 20, 20, inconsistent=True),
        ),
    ],
)
def test_parts_that_exceed_their_whole_are_cut_to_it_and_flagged(figures, expected):
    assert usage_from(figures) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, Usage(5, 7)),
        (7.0, Usage(5, 7)),
        (6.5, Usage(5, 7)),
        ("7", Usage(5, 7)),
        ("7.0", Usage(5, 7)),
        ("7.5", None),
        ("seven", None),
        ("-7", None),
        ("9" * 5000, None),
        (-7, None),
        (True, None),
        (None, None),
        ([7], None),
        ({"tokens": 7}, None),
        (10**12 + 1, None),
        (10**400, None),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_what_is_no_count_is_unknown_and_never_0(value, expected):
    assert usage_from({"prompt_tokens": 5, "completion_tokens": value}) == expected


@pytest.mark.parametrize(
    "figures",
    [
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"input_tokens": 0, "output_tokens": 0},
        {"promptTokenCount": 0, "candidatesTokenCount": 0},
        {"promptTokenCount": 9},
        {"total_tokens": 80},
        {"cost": 0.1},
    ],
)
def test_figures_that_do_not_tell_what_was_read_and_written_are_unknown(figures):
    assert usage_from(figures) is None


@pytest.mark.parametrize(
    "reply",
    [
        {"usage": {"prompt_tokens": 1}},
        {"usageMetadata": {"prompt_tokens": 1}},
        {"usage_metadata": {"prompt_tokens": 1}},
        {"type": "message_start", "message": {"usage": {"prompt_tokens": 1}}},
        {"type": "response.completed", "response": {"usage": {"prompt_tokens": 1}}},
        {"choices": [], "x_groq": {"usage": {"prompt_tokens": 1}}},
    ],
)
def test_figures_are_found_wherever_a_reply_keeps_them(reply):
    assert figures_in(reply) == {"prompt_tokens": 1}


@pytest.mark.parametrize(
    "reply", [{}, {"usage": None}, {"usage": {}}, {"usage": 3}, {"message": "x"}, {"choices": []}]
)
def test_a_reply_without_figures_has_none(reply):
    assert figures_in(reply) is None


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([{"prompt_tokens": 21, "completion_tokens": n} for n in (1, 2, 3)], Usage(21, 3)),
        (
            [
                {"input_tokens": 120, "cache_read_input_tokens": 9000, "output_tokens": 1},
                {"output_tokens": 300},
            ],
            Usage(9120, 300, 9000),
        ),
        (
            [
                {"prompt_tokens": 21, "completion_tokens": 3},
                {"prompt_tokens": 21, "completion_tokens": None},
            ],
            Usage(21, 3),
        ),
    ],
)
def test_of_a_stream_what_is_told_last_counts_and_what_was_told_once_stays(chunks, expected):
    figures = None
    for chunk in chunks:
        figures = merged(figures, chunk)

    assert usage_from(figures) == expected


_NAMES = st.sampled_from(
    [
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "input_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cached_tokens",
        "cache_write_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "prompt_cache_hit_tokens",
        "promptTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "totalTokenCount",
        "cachedContentTokenCount",
        "toolUsePromptTokenCount",
        "inputTokens",
        "outputTokens",
        "prompt_tokens_details",
        "completion_tokens_details",
        "input_tokens_details",
        "cache_creation",
        "tokens",
        "ephemeral_1h_input_tokens",
        "ephemeral_5m_input_tokens",
    ]
)
_VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-10, 10**13)
    | st.floats()
    | st.text(max_size=4)
    | st.integers(0, 2000)
    | st.lists(st.integers(), max_size=1)
)


@given(st.dictionaries(_NAMES, _VALUES | st.dictionaries(_NAMES, _VALUES, max_size=4), max_size=9))
def test_whatever_a_provider_sends_parts_are_parts_and_nothing_is_negative(figures):
    usage = usage_from(figures)

    if usage is not None:
        assert 0 <= usage.cache_write_1h_tokens <= usage.cache_write_tokens
        assert usage.cached_tokens >= 0
        assert usage.cached_tokens + usage.cache_write_tokens <= usage.prompt_tokens
        assert 0 <= usage.reasoning_tokens <= usage.completion_tokens
        assert usage.total_tokens > 0
