"""A stored run as events again."""

from itertools import pairwise

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from hypothesis import HealthCheck, given, settings

from partbook.event import AnswerChecked, Proposed, RoundUnanswered, StepRetried
from partbook.message import Usage
from partbook.page.events_json import event_to_dict
from partbook.page.replayed import events_of
from partbook.step_trace import StepTrace
from partbook.trace import RoundTrace, Trace
from partbook.workflow import Step, Workflow
from tests.traces import a_trace, events, traces


def told(trace: Trace) -> list[tuple[str, float]]:
    return [(event["type"], event["at_s"]) for event in events_of(trace)]


def test_a_run_is_told_in_the_order_of_its_times():
    assert told(a_trace()) == [
        ("run_started", 0.0),
        ("round_started", 0.0),
        ("proposed", 0.5),
        ("planned", 0.5),
        ("step_started", 0.5),
        ("step_started", 0.5),
        ("step_finished", 1.5),
        ("step_finished", 1.75),
        ("step_started", 1.75),
        ("step_finished", 2.5),
        ("round_finished", 2.5),
        ("run_finished", 2.5),
    ]


def test_what_is_told_again_is_what_was_told():
    def by_type(found):
        return sorted(found, key=lambda event: (event["type"], str(event)))

    first = [event_to_dict(event, 0.0) for event in events()]
    again = events_of(a_trace())

    for event in (*first, *again):
        event["at_s"] = 0.0
    assert by_type(again) == by_type(first)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(traces())
def test_any_run_can_be_told_and_time_never_goes_back(trace):
    found = told(trace)

    assert found[0] == ("run_started", 0.0)
    assert found[-1][0] == "run_finished"
    assert all(a[1] <= b[1] for a, b in pairwise(found[1:]))


def test_tries_checks_and_a_second_round_lie_between_what_is_known():
    tries = (
        StepRetried(0, 0, 0, "a", "down", "server", 0.5, None, None),
        StepRetried(0, 0, 1, "a", "down", "server", 0.5, None, None),
    )
    first = RoundTrace(
        (),
        Workflow((Step(0, "x"),)),
        "fixed",
        "one",
        (StepTrace(0, "a", (), 1.0, 4.0, "yes", attempts=tries),),
        "yes",
        (AnswerChecked(0, "a", "no", False, "m", Usage(), None, 2.0),),
    )
    second = RoundTrace(
        (Proposed(1, "?", "c", None, None, 1.0, "no workflow"),), unanswered="workflow", detail="no"
    )
    trace = Trace("r", "q", "p", ("a",), 0.0, 8.0, "answered", (first, second), most_rounds=2)

    assert told(trace)[2:] == [
        ("planned", 1.0),
        ("step_started", 1.0),
        ("step_retried", 2.0),
        ("step_retried", 3.0),
        ("step_finished", 4.0),
        ("round_finished", 4.0),
        ("answer_checked", 6.0),
        ("round_started", 6.0),
        ("proposed", 7.0),
        ("round_unanswered", 7.0),
        ("run_finished", 8.0),
    ]


def test_a_round_inside_a_step_begins_with_the_step():
    outer = RoundTrace(
        (),
        Workflow((Step(0, "x"), Step(1, "y", (0,)))),
        "fixed",
        "",
        (
            StepTrace(0, "a", (), 0.0, 2.0, "1"),
            StepTrace(1, "itself", (), 2.0, 5.0, "2"),
        ),
        "2",
    )
    inner = RoundTrace(
        (Proposed(1, "p", "c", None, None, 1.0, None),),
        Workflow((Step(0, "z"),)),
        "conductor",
        "",
        (StepTrace(0, "a", (), 3.0, 4.5, "2"),),
        "2",
        parent=(0, 1),
    )
    trace = Trace("r", "q", "p", ("a", "itself"), 0.0, 5.0, "answered", (outer, inner))

    inner_events = [(e["type"], e["at_s"]) for e in events_of(trace) if e.get("round") == 1]
    assert inner_events == [
        ("round_started", 2.0),
        ("proposed", 3.0),
        ("planned", 3.0),
        ("step_started", 3.0),
        ("step_finished", 4.5),
        ("round_finished", 4.5),
    ]


def test_a_round_without_an_answer_says_why():
    round_ = RoundTrace(unanswered="kept", detail="the answer is kept")
    trace = Trace("r", "q", "p", ("a",), 0.0, 1.0, "answered", (round_,))

    found = [event for event in events_of(trace) if event["type"] == "round_unanswered"]
    assert found == [event_to_dict(RoundUnanswered(0, "kept", "the answer is kept"), 0.0)]
