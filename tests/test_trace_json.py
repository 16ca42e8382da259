import json
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partbook.errors import StoreError
from partbook.spend_json import money
from partbook.trace import Trace
from partbook.trace_json import (
    trace_from_dict,
    trace_summary,
    trace_to_dict,
    trace_to_json,
    workflow_to_dict,
)
from tests.traces import WORKFLOW, a_trace, traces

SLOW_TO_DRAW = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@SLOW_TO_DRAW
@given(traces())
def test_what_is_written_is_read_back(trace: Trace):
    written = json.dumps(trace_to_dict(trace))

    assert trace_from_dict(json.loads(written)) == trace


@SLOW_TO_DRAW
@given(traces())
def test_the_text_of_a_trace_is_that_of_its_values(trace: Trace):
    text = trace_to_json(trace, trace_summary(trace), {})

    assert json.loads(text) == trace_to_dict(trace)
    assert text.isascii()


def test_steps_that_were_put_into_words_before_are_taken_as_they_are():
    trace = a_trace()

    text = trace_to_json(trace, trace_summary(trace), {(0, 1): '{"step":"as it was"}'})

    steps = json.loads(text)["rounds"][0]["steps"]
    assert [step["step"] for step in steps] == [0, "as it was", 2]


def test_the_sums_are_in_the_written_form():
    data = trace_to_dict(a_trace())

    assert data["version"] == 1
    assert data["answer"] == "115"
    assert data["calls"] == 4
    assert data["cost_usd"] == "0.001"
    assert data["usage"] == {
        "prompt_tokens": 1000,
        "completion_tokens": 200,
        "cached_tokens": 10,
        "reasoning_tokens": 5,
        "cache_write_tokens": 0,
        "cache_write_1h_tokens": 0,
        "inconsistent": False,
    }


def test_a_workflow_is_written_with_its_access_lists():
    assert workflow_to_dict(WORKFLOW)["steps"][2] == {
        "worker": 2,
        "subtask": "Compare both answers and give the right one",
        "access": [0, 1],
    }


@pytest.mark.parametrize(
    ("cost", "written"),
    [
        (None, None),
        (Decimal("0.0000001"), "0.0000001"),
        (Decimal("1E+2"), "100"),
        (Decimal("0.00"), "0"),
        (Decimal("1.10"), "1.1"),
    ],
)
def test_money_is_written_in_plain_digits(cost, written):
    assert money(cost) == written


@pytest.mark.parametrize("version", [None, 0, 2, "1"])
def test_another_version_is_refused(version):
    data = trace_to_dict(a_trace()) | {"version": version}

    with pytest.raises(StoreError, match=r"version 1 was expected, found .*newer Partbook"):
        trace_from_dict(data)


@pytest.mark.parametrize("data", [[], "trace", None, 7])
def test_what_is_no_object_is_no_trace(data):
    with pytest.raises(StoreError, match="not a trace: an object was expected"):
        trace_from_dict(data)


def test_a_missing_field_is_named():
    data = trace_to_dict(a_trace())
    del data["question"]

    with pytest.raises(StoreError, match="not a trace: KeyError: 'question'"):
        trace_from_dict(data)


def test_a_workflow_that_breaks_a_rule_is_refused():
    data = trace_to_dict(a_trace())
    data["rounds"][0]["workflow"]["steps"][0]["access"] = [2]

    with pytest.raises(StoreError, match="not a trace: WorkflowError: step 0: access 2"):
        trace_from_dict(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a JSON value."""
    found = [path]
    if isinstance(value, dict):
        found += [p for key, item in value.items() for p in places(item, (*path, key))]
    if isinstance(value, list):
        found += [p for i, item in enumerate(value) for p in places(item, (*path, i))]
    return found


EVERY_PLACE = places(trace_to_dict(a_trace()))[1:]


@SLOW_TO_DRAW
@given(st.sampled_from(EVERY_PLACE), JSON)
def test_a_trace_with_anything_else_in_any_place_is_read_or_refused(path, anything):
    data = trace_to_dict(a_trace())
    around = data
    for key in path[:-1]:
        around = around[key]
    around[path[-1]] = anything

    with suppress(StoreError):
        assert isinstance(trace_from_dict(data), Trace)


@pytest.mark.parametrize("parent", [[], [0], [0, 0, 0], [0, 0], [-1, 0], [1, 0], ["0", "0"], 7])
def test_a_first_round_with_a_parent_is_no_trace(parent):
    data = trace_to_dict(a_trace())
    data["rounds"][0]["parent"] = parent

    with pytest.raises(StoreError, match="its parent is no step of an earlier round"):
        trace_from_dict(data)
