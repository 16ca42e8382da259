"""Every fault of docs/faults.md, and cases that were seen in the wild, against a real server."""

import asyncio
import socket
from decimal import Decimal
from pathlib import Path

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor, Fixed, conduct
from partbook.errors import BudgetError, WorkerError
from partbook.event import Event, Proposed, StepRetried
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Message, Sampling, Usage
from partbook.models.breaker import Breaker
from partbook.models.http import HttpModel, open_session
from partbook.perform import GO_ON
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE, Price
from partbook.retry import REACTIONS
from partbook.secret import Secret
from partbook.trace_json import trace_from_dict, trace_to_dict
from tests.fakes import Echo, Scripted, pool_of
from tests.fault_server import (
    FAULTS,
    perform_on,
    perform_over_http,
    refused,
    said,
)
from tests.models.scripted_server import (
    ABORT,
    DONE,
    STREAM_HEAD,
    ScriptedServer,
    chunk,
    delta,
    reply,
    stream,
)

DOCS = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in DOCS.split("## Waiting")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| fault")
]
OK = said("ok")
BACKUP = Worker(WorkerSpec("backup", "http", price=FREE, context="plain"), Echo("backup"))


# The matrix


def test_the_documents_have_a_row_for_every_fault_that_the_server_can_do():
    assert {name for name, *_ in ROWS} == {*FAULTS, "no connection"}


@pytest.mark.parametrize(("name", "kind", "tries", "breaker"), ROWS, ids=[row[0] for row in ROWS])
async def test_a_fault_is_reacted_to_as_the_documents_say(name, kind, tries, breaker):
    how = {
        "stream": "stream" in name,
        "context_window": 8192,
        "on_truncated": "fail",
        "timeout_s": 0.2 if name == "no reply in time" else 30.0,
    }
    if name == "no connection":
        outcome = await perform_without_a_server()
    else:
        outcome = await perform_over_http(*[FAULTS[name]] * 5, **how)
        assert len(outcome.requests) == int(tries)

    kind = kind.removeprefix("none, or ")
    assert isinstance(outcome.error, WorkerError)
    assert outcome.error.kind == kind
    assert [attempt.kind for attempt in outcome.step.attempts] == [kind] * (int(tries) - 1)
    assert outcome.step.calls == int(tries)
    assert REACTIONS[kind].trips == breaker
    assert outcome.is_left_alone == (breaker == "at once")


async def perform_without_a_server():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        async with open_session() as session:
            return await perform_on(HttpModel(session, url, "m"))


async def test_with_no_retries_a_passing_fault_ends_the_step():
    outcome = await perform_over_http(refused(503), OK, retries=0)

    assert (outcome.step.answer, len(outcome.requests)) == (None, 1)


async def test_a_tool_is_not_asked_again():
    outcome = await perform_on(Scripted(["", "late"]), kind="calculator")

    assert (outcome.step.answer, outcome.step.calls) == (None, 1)


# Waiting


async def test_a_wait_that_the_provider_asks_for_is_kept_in_full():
    outcome = await perform_over_http(refused(429, headers={"Retry_After": "3"}), OK)

    assert (outcome.step.answer, outcome.step.calls) == ("ok", 2)
    assert 3 <= outcome.waits[0] <= 3.5


async def test_a_date_to_wait_for_is_measured_by_the_servers_clock():
    outcome = await perform_over_http(FAULTS["429, Retry-After as a date"], OK)

    assert outcome.step.answer == "ok"
    assert 7 <= outcome.waits[0] <= 7.5


@pytest.mark.parametrize("seconds", ["3600", "9" * 30])
async def test_a_wait_of_an_hour_or_more_is_not_begun(seconds):
    outcome = await perform_over_http(refused(429, headers={"Retry_After": seconds}), OK)

    assert (len(outcome.requests), outcome.waits) == (1, [])
    assert outcome.error.kind == "rate_limit"
    assert outcome.error.retry_after_s >= 3600


@pytest.mark.parametrize("told", ["-5", "0", "nan", "inf", "soon", ""])
async def test_a_wait_that_makes_no_sense_counts_as_not_said(told):
    outcome = await perform_over_http(refused(429, headers={"Retry_After": told}), OK)

    assert outcome.step.answer == "ok"
    assert 0.25 <= outcome.waits[0] <= 0.5


async def test_a_quota_is_tried_again_where_the_provider_says_when():
    told = {"details": [{"@type": "RetryInfo", "retryDelay": "34s"}]}
    spent = refused(429, "You exceeded your current quota", **told)

    outcome = await perform_over_http(spent, OK)

    assert outcome.step.attempts[0].kind == "quota"
    assert 34 <= outcome.waits[0] <= 34.5


async def test_a_wait_that_goes_beyond_the_deadline_is_not_begun():
    outcome = await perform_over_http(
        refused(429, headers={"Retry_After": "30"}), OK, limits=Limits(timeout_s=10)
    )

    assert (len(outcome.requests), outcome.waits) == (1, [])


async def test_waits_grow_and_are_drawn():
    outcome = await perform_over_http(*[refused(500)] * 5, retries=4)

    low, high = [0.25, 0.5, 1, 2], [0.5, 1, 2, 4]
    assert all(a <= w <= b for a, w, b in zip(low, outcome.waits, high, strict=True))


# Text that had arrived


async def test_overload_inside_a_stream_is_tried_again():
    outcome = await perform_over_http(FAULTS["error in a stream"], OK, stream=True)

    assert (outcome.step.answer, outcome.step.calls) == ("ok", 2)
    assert outcome.step.attempts[0].kind == "overloaded"


@pytest.mark.parametrize(
    "broken", [[STREAM_HEAD, chunk(delta("abc")), ABORT], stream(delta("abc"))]
)
async def test_after_a_reset_in_mid_stream_the_text_begins_anew(broken):
    whole = stream(delta("abc"), delta("def", "stop") + DONE)

    outcome = await perform_over_http(broken, whole, stream=True)

    assert outcome.step.answer == "abcdef"
    assert outcome.shown == "abcdef"
    assert (outcome.step.attempts[0].kind, outcome.step.attempts[0].usage) == (
        "broken_stream",
        None,
    )


# No answer in a good reply


async def test_an_answer_that_is_nothing_but_reasoning_is_a_failure_that_is_paid_for():
    outcome = await perform_over_http(
        FAULTS["nothing but reasoning"], OK, price=Price(Decimal(1), Decimal(10))
    )

    assert outcome.step.answer is None
    assert outcome.error.kind == "reasoning_exhausted"
    assert "limit of 2000 tokens was spent before an answer began" in str(outcome.error)
    assert outcome.step.usage.total_tokens == 2040
    assert outcome.step.cost_usd == Decimal("0.02004")
    assert len(outcome.requests) == 1


async def test_reasoning_that_the_chat_template_has_opened_is_no_answer_before_it_is_closed():
    cut = said("Let me work this out. If the answer were 9, then", "length")

    outcome = await perform_over_http(cut, opens_reasoning=True)

    assert outcome.error.kind == "reasoning_exhausted"
    assert outcome.step.answer is None


async def test_an_answer_after_its_closed_reasoning_is_one_though_it_is_cut_off():
    cut = said("It is 9.</think>The answer is 9, beca", "length")

    outcome = await perform_over_http(cut, opens_reasoning=True)

    assert outcome.step.answer == "It is 9.</think>The answer is 9, beca"
    assert outcome.step.finish_reason == "length"


async def test_a_full_window_is_not_taken_for_a_low_limit():
    outcome = await perform_over_http(
        FAULTS["window full"], OK, context_window=8192, on_truncated="continue"
    )

    assert outcome.error.kind == "context"
    assert "fill its context window of 8192 tokens" in str(outcome.error)
    assert len(outcome.requests) == 1


async def test_a_blank_last_answer_fails_the_run():
    pool = pool_of(Echo("a"), Scripted([" ", "\n", ""]), retries=0)
    steps = (FixedStep("w0", "x"), FixedStep("w1", "y", (0,)))

    trace = await conduct("q", pool, Fixed(FixedWorkflow("two", "", steps)))

    assert (trace.status, trace.reason) == ("failed", "worker")
    assert "worker 'w1': answered nothing" in trace.detail


async def test_a_bad_key_is_named_with_its_worker_and_status_but_not_shown():
    secret = "sk-very-secret-123"
    wrong = refused(401, f"bad key {secret}", code="invalid_api_key")

    outcome = await perform_over_http(wrong, OK, key=Secret(secret))

    assert str(outcome.error).startswith("worker 'w': m at 127.0.0.1:")
    assert "401: bad key" in str(outcome.error)
    assert secret not in str(outcome.error)
    assert len(outcome.requests) == 1


async def test_half_a_character_breaks_no_request():
    outcome = await perform_over_http(OK, read="price \ud83d up \U0001f600")

    sent = outcome.requests[0].body.decode("utf-8")
    assert "price \ufffd up \U0001f600" in sent


# Truncated answers


async def test_a_truncated_answer_is_passed_on_and_marked():
    outcome = await perform_over_http(FAULTS["answer cut off"])

    assert (outcome.step.answer, outcome.step.finish_reason) == ("The answer is", "length")


async def test_a_truncated_answer_can_be_continued_and_every_part_is_paid_for():
    price = Price(Decimal(2), Decimal(8))
    parts = [
        said("The ans", "length", prompt_tokens=1000, completion_tokens=500),
        said("wer is", "length", prompt_tokens=1000, completion_tokens=500),
        said(" 12.", "stop", prompt_tokens=1000, completion_tokens=700),
    ]

    outcome = await perform_over_http(*parts, on_truncated="continue", price=price)

    assert (outcome.step.answer, outcome.step.finish_reason) == ("The answer is 12.", "stop")
    costs = [*(attempt.cost_usd for attempt in outcome.step.attempts), outcome.step.cost_usd]
    assert costs == [Decimal("0.006"), Decimal("0.006"), Decimal("0.0076")]
    assert outcome.step.calls == 3
    assert [m["content"] for m in outcome.requests[2].json()["messages"][-2:]] == [
        "The answer is",
        GO_ON,
    ]


async def test_a_text_that_is_continued_stays_and_a_broken_continuation_does_not():
    first = stream(delta("The ans", "length") + DONE)
    broken = [STREAM_HEAD, chunk(delta("wer w")), ABORT]
    rest = stream(delta("wer is 12.", "stop") + DONE)

    outcome = await perform_over_http(first, broken, rest, stream=True, on_truncated="continue")

    assert outcome.shown == outcome.step.answer == "The answer is 12."


async def test_what_cannot_be_continued_is_passed_on_and_noted():
    outcome = await perform_over_http(
        FAULTS["answer cut off"], refused(401), on_truncated="continue"
    )

    assert (outcome.step.answer, outcome.step.finish_reason) == ("The answer is", "length")
    assert outcome.step.calls == 2
    assert "cut off and not continued" in outcome.step.notes[0]


async def test_a_limit_that_forbids_going_on_leaves_the_marked_part():
    outcome = await perform_over_http(
        FAULTS["answer cut off"], OK, on_truncated="continue", limits=Limits(calls=1)
    )

    assert (outcome.step.answer, outcome.step.calls) == ("The answer is", 1)
    assert "the limit of 1 calls is reached" in outcome.step.notes[0]


async def test_an_answer_is_not_continued_for_ever():
    outcome = await perform_over_http(
        *[said("la ", "length", prompt_tokens=1, completion_tokens=1)] * 6, on_truncated="continue"
    )

    assert (outcome.step.answer, outcome.step.finish_reason) == ("la la la la ", "length")
    assert outcome.step.calls == 4
    assert outcome.step.notes == ("the answer is cut off although it was continued 3 times",)


# Overflow


async def test_what_a_step_reads_is_shortened_where_the_provider_says_it_is_too_long():
    long = "begin" + "x" * 10_000 + "end"

    outcome = await perform_over_http(
        *[FAULTS["400, prompt too long"]] * 2, OK, read=long, on_overflow="shorten"
    )

    assert outcome.step.answer == "ok"
    sizes = [len(request.body) for request in outcome.requests]
    assert sizes[0] > 10_000 > sizes[1] > 5000 > sizes[2] > 2500
    seen = outcome.step.messages[2].text
    assert seen.startswith("begin")
    assert seen.endswith("end")
    assert "characters left out" in seen
    assert [note[:33] for note in outcome.step.notes] == ["earlier answers were shortened fo"] * 2


async def test_a_prompt_is_shortened_twice_at_most():
    outcome = await perform_over_http(
        *[FAULTS["400, prompt too long"]] * 5, read="x" * 9000, on_overflow="shorten"
    )

    assert outcome.error.kind == "context"
    assert len(outcome.requests) == 3


async def test_a_prompt_that_is_surely_too_long_is_shortened_before_it_is_sent():
    outcome = await perform_over_http(
        OK, read="x" * 40_000, on_overflow="shorten", context_window=5000
    )

    assert len(outcome.requests) == 1
    assert 12_000 < len(outcome.requests[0].body) < 16_000


async def test_without_leave_nothing_is_shortened():
    outcome = await perform_over_http(FAULTS["400, prompt too long"], OK, read="x" * 9000)

    assert outcome.error.kind == "context"
    assert len(outcome.requests) == 1


# Fallbacks and the breaker


async def test_a_fallback_answers_once_the_workers_own_tries_are_used_up():
    outcome = await perform_over_http(
        *[refused(503)] * 3, OK, others=[BACKUP], fallbacks=("backup",)
    )

    assert (outcome.step.worker, outcome.step.answered_by) == ("w", "backup")
    assert outcome.step.answer == "backup(x)"
    assert [attempt.worker for attempt in outcome.step.attempts] == ["w"] * 3
    assert outcome.step.notes == ("answered by 'backup' in place of 'w'",)


async def test_where_nobody_answers_the_error_says_what_each_said():
    dead = Worker(WorkerSpec("dead", "http", price=FREE, retries=0), Scripted([""]))

    outcome = await perform_over_http(
        refused(404, "this model is gone"), others=[dead], fallbacks=("dead",)
    )

    assert "worker 'w': m at " in str(outcome.error)
    assert "404: this model is gone; in its place worker 'dead': answered" in str(outcome.error)


async def test_a_worker_whose_model_is_gone_is_not_asked_again_for_a_while():
    async with ScriptedServer(refused(404), OK) as server, open_session() as session:
        worker = Breaker(HttpModel(session, server.url, "m"))
        for _ in range(2):
            outcome = await perform_on(worker, others=[BACKUP], fallbacks=("backup",))

    assert len(server.requests) == 1
    assert outcome.step.answered_by == "backup"
    assert (outcome.step.calls, outcome.step.attempts[0].calls) == (1, 0)
    assert outcome.budget.calls == 1


# Refused parameters

UNSUPPORTED = "Unsupported parameter: '{0}' is not supported with this model."


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": UNSUPPORTED.format("temperature"), "param": "temperature"}}),
        (400, {"error": {"message": "no", "code": "unsupported_value", "param": "temperature"}}),
        (400, {"error": "`temperature` is deprecated for this model"}),
        (
            422,
            {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
        ),
        (400, [{"error": {"message": 'Unknown name "temperature": Cannot find field.'}}]),
    ],
)
async def test_a_refused_parameter_is_left_out_from_then_on(status, body):
    asked = Sampling(max_tokens=5, temperature=0.0, seed=1)
    async with ScriptedServer(reply(body, status), OK, OK) as server, open_session() as session:
        model = HttpModel(session, server.url, "m")

        texts = [(await model.chat([Message("user", "q")], asked)).text for _ in range(2)]

    assert texts == ["ok", "ok"]
    assert ["temperature" in request.json() for request in server.requests] == [True, False, False]
    assert server.requests[2].json()["seed"] == 1


async def test_the_other_name_of_the_token_limit_is_learned():
    wrong = refused(400, UNSUPPORTED.format("max_tokens") + " Use 'max_completion_tokens'.")

    outcome = await perform_over_http(wrong, OK)

    assert outcome.requests[1].json()["max_completion_tokens"] == 2000
    assert "max_tokens" not in outcome.requests[1].json()
    assert (outcome.step.calls, outcome.step.attempts) == (1, ())


async def test_a_limit_that_is_refused_by_both_names_is_a_failure():
    both = [refused(400, UNSUPPORTED.format(n)) for n in ("max_tokens", "max_completion_tokens")]

    outcome = await perform_over_http(*both, OK)

    assert outcome.error.kind == "refused"
    assert len(outcome.requests) == 2


async def test_several_refused_parameters_are_learned_one_after_the_other():
    scripts = [refused(400, UNSUPPORTED.format(n)) for n in ("temperature", "top_p", "stop")]
    sampling = Sampling(temperature=1, top_p=0.5, stop=("x",), seed=3)

    outcome = await perform_over_http(*scripts, OK, sampling=sampling)

    assert outcome.step.answer == "ok"
    assert sorted(outcome.requests[3].json()) == ["max_tokens", "messages", "model", "seed"]


async def test_a_value_that_is_too_large_is_the_users_to_mend():
    outcome = await perform_over_http(FAULTS["400"], OK)

    assert (outcome.error.kind, len(outcome.requests)) == ("refused", 1)


async def test_calls_at_the_same_time_learn_the_same_once():
    gate = asyncio.Event()
    wrong = [gate, *refused(400, UNSUPPORTED.format("temperature"))]
    sampling = Sampling(temperature=1)
    async with ScriptedServer(wrong, wrong, OK, OK) as server, open_session() as session:
        model = HttpModel(session, server.url, "m")
        async with asyncio.TaskGroup() as group:
            calls = [
                group.create_task(model.chat([Message("user", "q")], sampling)) for _ in range(2)
            ]
            while len(server.requests) < 2:
                server.asked.clear()
                await server.asked.wait()
            gate.set()

    assert [call.result().text for call in calls] == ["ok", "ok"]
    assert len(server.requests) == 4


# Budget, trace, Conductor


async def test_a_limit_holds_over_all_tries():
    outcome = await perform_over_http(*[refused(503)] * 3, OK, limits=Limits(calls=2))

    assert isinstance(outcome.error, BudgetError)
    assert len(outcome.requests) == 2
    assert (outcome.step.calls, outcome.budget.calls) == (2, 2)


async def test_what_failed_tries_cost_is_in_the_sums_and_survives_being_written():
    price = Price(Decimal(2), Decimal(8))
    cut = said("half", "length", prompt_tokens=1000, completion_tokens=500)
    whole = said("whole", "stop", prompt_tokens=1000, completion_tokens=700)
    async with ScriptedServer(cut, whole) as server, open_session() as session:
        spec = WorkerSpec("w", "http", price=price, on_truncated="fail", fallbacks=("v",))
        model = HttpModel(session, server.url, "m")
        pool = AgentPool(
            "p", (Worker(spec, model), Worker(WorkerSpec("v", "http", price=price), model))
        )

        trace = await conduct("q", pool, Fixed(FixedWorkflow("one", "", (FixedStep("w", "x"),))))

    assert (trace.answer, trace.calls, trace.cost_usd) == ("whole", 2, Decimal("0.0136"))
    assert trace.usage == Usage(2000, 1200)
    assert trace_to_dict(trace_from_dict(trace_to_dict(trace))) == trace_to_dict(trace)


async def test_the_conductors_calls_are_tried_again_and_none_is_lost():
    plan = "model_id = [0]\nsubtasks = ['x']\naccess_list = [[]]"
    events: list[Event] = []
    async with ScriptedServer(refused(503), said(plan)) as server, open_session() as session:
        conductor = Conductor(HttpModel(session, server.url, "m"), price=FREE)

        trace = await conduct(
            "q", pool_of(Echo("a")), conductor, on_event=events.append, limits=Limits(calls=3)
        )

    assert (trace.answer, trace.calls) == ("a(x)", 3)
    assert [e.fault for e in events if isinstance(e, Proposed)] == ["overloaded", None]
    assert trace_to_dict(trace_from_dict(trace_to_dict(trace))) == trace_to_dict(trace)


async def test_a_conductor_that_cannot_be_reached_is_no_text_without_a_workflow():
    async with ScriptedServer(refused(401)) as server, open_session() as session:
        conductor = Conductor(HttpModel(session, server.url, "m"), price=FREE)

        trace = await conduct("q", pool_of(Echo("a")), conductor)

    assert (trace.status, trace.reason, trace.calls) == ("failed", "worker", 1)


async def test_a_run_that_is_cut_short_keeps_what_its_failed_tries_cost():
    events: list[Event] = []
    async with ScriptedServer(said(""), [asyncio.Event()]) as server, open_session() as session:
        spec = WorkerSpec("w", "http", price=FREE)
        pool = AgentPool("p", (Worker(spec, HttpModel(session, server.url, "m")),))
        single = Fixed(FixedWorkflow("one", "", (FixedStep("w", "x"),)))

        trace = await conduct("q", pool, single, limits=Limits(timeout_s=2), on_event=events.append)

    assert [e.kind for e in events if isinstance(e, StepRetried)] == ["empty"]
    assert (trace.status, trace.usage) == ("stopped", Usage(9, 2))
