from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import FaultKind
from partbook.models.fault_kind import kind_of, retry_after_s, told_retry_after_s

NOW = 1_782_900_000.0  # Wed, 01 Jul 2026 10:00:00 GMT
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "status", "details", "retryDelay"]), inner
        )
    ),
)


@pytest.mark.parametrize(
    ("status", "error", "words", "kind"),
    [
        (400, {"code": "context_length_exceeded"}, "", "context"),
        (400, None, "This model's maximum context length is 8192 tokens", "context"),
        (400, None, "prompt is too long: 210000 tokens > 200000 maximum", "context"),
        (400, None, "The input token count (1200000) exceeds the maximum number", "context"),
        (400, None, "the request exceeds the available context size", "context"),
        (500, None, "the request exceeds the available context size", "context"),
        (400, None, "max_tokens is too large", "refused"),
        (429, {"error": {"code": "insufficient_quota"}}, "", "quota"),
        (429, None, "You exceeded your current quota, please check your plan", "quota"),
        (429, {"code": "rate_limit_exceeded", "type": "tokens"}, "slow down", "rate_limit"),
        (413, {"error": {"code": "rate_limit_exceeded"}}, "", "rate_limit"),
        (400, None, "Your credit balance is too low", "quota"),
        (402, None, "", "quota"),
        (400, {"innererror": {"code": "ResponsibleAIPolicyViolation"}}, "", "filter"),
        (400, {"code": "content_filter"}, "", "filter"),
        (400, [{"error": {"status": "PERMISSION_DENIED"}}], "", "auth"),
        (403, None, "", "auth"),
        (404, None, "", "not_found"),
        (410, None, "", "not_found"),
        (501, None, "", "refused"),
        (507, None, "", "server"),
        (204, None, "", "refused"),
        (None, None, "upstream refused", "server"),
        (None, {"type": "overloaded_error"}, "", "overloaded"),
    ],
)
def test_a_fault_has_the_kind_that_its_words_or_its_status_say(status, error, words, kind):
    assert kind_of(status, error, words) == kind


@given(st.none() | st.integers(100, 999), JSON, st.text())
def test_nothing_that_a_provider_says_is_a_danger(status, error, words):
    assert kind_of(status, error, words) in get_args(FaultKind)
    told = told_retry_after_s(error)
    assert told is None or told > 0


@given(st.text(), st.text(), st.text())
def test_no_header_is_a_danger(told, told_ms, date):
    headers = {"Retry-After": told, "Retry-After-Ms": told_ms, "Date": date}

    waited = retry_after_s(headers, NOW)

    assert waited is None or waited > 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "Wed, 01 Jul 2026 10:00:07 GMT"}, 7.0),
        ({"Retry-After": "Wednesday, 01-Jul-26 10:00:07 GMT"}, 7.0),
        ({"Retry-After": "Wed, 01 Jul 2026 09:59:59 GMT"}, None),
        ({"Retry-After": "Wed, 99 Jul 2026 10:00:07 GMT"}, None),
        # The server's clock is an hour ahead of ours.
        (
            {
                "Date": "Wed, 01 Jul 2026 11:00:00 GMT",
                "Retry-After": "Wed, 01 Jul 2026 11:00:07 GMT",
            },
            7.0,
        ),
        ({"Retry-After-Ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "0"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "1e400"}, None),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_a_wait_is_read_from_seconds_or_from_a_date(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"error": {"details": [{}, {"retryDelay": "34.07s"}]}}, 34.07),
        ([{"error": {"details": [{"retryDelay": "2s"}]}}], 2.0),
        ({"details": [{"retryDelay": "-2s"}]}, None),
        ({"details": {"retryDelay": "2s"}}, None),
        ({"details": [{"retryDelay": 2}]}, None),
        (None, None),
    ],
)
def test_googles_way_to_ask_for_a_wait_is_read(error, seconds):
    assert told_retry_after_s(error) == seconds
