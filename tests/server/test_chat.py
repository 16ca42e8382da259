"""Whole replies, over a real connection. Numbers of rules are those of docs/serving.md."""

import asyncio
import json
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor, Fixed
from partbook.errors import WorkerError
from partbook.message import Message, Sampling, Usage
from partbook.price import FREE, Price
from tests.fakes import pool_of
from tests.server.live import ONE, PIN, TWO, fixed, serving
from tests.server.models import Refusing, Saying, Stepwise

HISTORY = [
    {"role": "developer", "content": "Answer in French."},
    {"role": "user", "content": "Remember the word: heron"},
    {"role": "assistant", "content": [{"type": "text", "text": "The word is heron."}]},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Which word "}, {"type": "text", "text": "was it?"}],
    },
]
PLAN = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"


def heard(model: Saying) -> str:
    return "\n".join(message.text for message in model.heard[-1])


async def test_rule_1_the_three_routes_are_there():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat()
        models = await client.get("/v1/models")
        one = await client.get("/v1/models/partbook/w0")

    assert (reply.status, reply.text) == (200, "42")
    assert [model["id"] for model in models.body["data"]] == ["partbook", PIN, "partbook/w0"]
    assert one.body["id"] == "partbook/w0"


async def test_rule_2_the_whole_history_reaches_the_worker_who_answers():
    first, last = Saying(("thought",)), Saying(("héron",))
    async with serving(pool_of(first, last, context="turns"), Fixed(TWO)) as client:
        await client.chat(messages=HISTORY)

    assert last.heard[0][0] == Message("system", "Answer in French.")
    for text in ("Remember the word: heron", "The word is heron.", "Which word was it?"):
        assert text in heard(last)
        assert text in heard(first)


async def test_rule_2_a_worker_before_the_last_has_the_system_prompt_as_background():
    first = Saying(("thought",))
    pool = pool_of(first, Saying(("héron",)), context="turns", instructions="You think.")
    async with serving(pool, Fixed(TWO)) as client:
        await client.chat(messages=HISTORY)

    assert first.heard[0][0].text.startswith("You think.\n\nThe user's request comes with")
    assert first.heard[0][0].text.endswith("Answer in French.")


async def test_rule_2_one_worker_alone_gets_the_messages_as_they_are():
    worker = Saying(("héron",))
    async with serving(pool_of(worker, instructions="Do your part.")) as client:
        await client.chat(model="partbook/w0", messages=HISTORY)

    assert worker.heard[0] == [
        Message("system", "Answer in French."),
        Message("user", "Remember the word: heron"),
        Message("assistant", "The word is heron."),
        Message("user", "Which word was it?"),
    ]


async def test_rule_2_an_image_is_refused_by_its_place():
    image = [{"type": "image_url", "image_url": {"url": "data:"}}]
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat(messages=[{"role": "user", "content": image}])

    assert (reply.status, reply.error["param"]) == (400, "messages[0].content[0]")


async def test_rule_8_usage_is_the_sum_of_all_calls_and_details_are_parts_of_it():
    first = Saying(("thought",), Usage(100, 40, cached_tokens=60, reasoning_tokens=30))
    last = Saying(("42",), Usage(150, 5, cached_tokens=10))
    async with serving(pool_of(first, last), Fixed(TWO)) as client:
        reply = await client.chat()

    assert reply.body["usage"] == {
        "prompt_tokens": 250,
        "completion_tokens": 45,
        "total_tokens": 295,
        "prompt_tokens_details": {"cached_tokens": 70},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }


async def test_rule_9_reasoning_tokens_are_those_that_providers_told_and_never_estimated():
    """The first worker's text is long, and its provider tells of no reasoning in it."""
    first = Saying(("thought " * 500,), Usage(100, 40, reasoning_tokens=0))
    last = Saying(("42",), Usage(150, 900, reasoning_tokens=890))
    silent = Saying(("42",), None)
    async with serving(pool_of(first, last, silent), Fixed(TWO)) as client:
        whole = await client.chat(partbook_metadata=True)
        streamed = await client.stream(stream_options={"include_usage": True})
        unknown = await client.chat(model="partbook/w2", partbook_metadata=True)

    details = {"reasoning_tokens": 890}
    assert whole.body["usage"]["completion_tokens_details"] == details
    assert streamed.chunks[-1]["usage"]["completion_tokens_details"] == details
    assert whole.body["partbook"]["usage_is_whole"] is True
    assert unknown.body["partbook"]["usage_is_whole"] is False
    assert "usage of some calls is unknown" in unknown.headers["x-partbook-warning"]


async def test_rule_10_cost_is_in_a_header_and_on_request_in_usage():
    price = Price(Decimal(1), Decimal(2))
    async with serving(pool_of(Saying(("42",)), price=price)) as client:
        plain = await client.chat()
        asked = await client.chat(partbook_metadata=True)

    assert plain.headers["x-partbook-cost-usd"] == "0.00002"
    assert "cost" not in plain.body["usage"]
    assert asked.body["usage"]["cost"] == 0.00002
    assert asked.body["partbook"]["ledger"][0]["cost_usd"] == "0.00002"


async def test_rule_11_an_unknown_price_is_null_and_said():
    async with serving(pool_of(Saying(("42",)), price=None)) as client:
        reply = await client.chat(partbook_metadata=True)

    assert reply.headers["x-partbook-cost-usd"] == "unknown"
    assert "cost is unknown" in reply.headers["x-partbook-warning"]
    assert reply.body["usage"]["cost"] is None
    assert reply.body["partbook"]["cost_usd"] is None


async def test_rule_12_the_reply_names_the_pin_and_the_rest_only_on_request():
    pool = pool_of(Saying(("thought",)), Saying(("42",)))
    async with serving(pool, Fixed(TWO)) as client:
        plain = await client.chat()
        asked = await client.chat({"x-partbook-metadata": "1"})
        pinned = await client.chat(model=PIN)
        other_pin = await client.chat(model="partbook-2020-01-01-000000")

    assert plain.body["model"] == PIN
    assert "partbook" not in plain.body
    assert asked.body["partbook"]["plan"]["steps"][1] == {
        "worker": "w1",
        "subtask": "Answer.",
        "access": [0],
    }
    assert asked.body["partbook"]["run_id"] == asked.headers["x-partbook-run-id"]
    assert pinned.status == 200
    assert other_pin.status == 404


async def test_rule_14_every_effort_is_taken_and_bounds_the_steps():
    conductor = Saying((PLAN,))
    proposer = Conductor(conductor, price=FREE)
    async with serving(pool_of(Saying(("a",)), Saying(("b",))), proposer) as client:
        replies = [
            await client.chat(reasoning_effort=effort)
            for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max", "heroic")
        ]

    assert [reply.status for reply in replies[2:]] == [200] * 6
    # At most one step may be planned, two were: no plan, and no fallback.
    assert {reply.error["code"] for reply in replies[:2]} == {"no_workflow"}
    assert replies[-1].headers["x-partbook-warning"] == "passed over: reasoning_effort=heroic"


async def test_rule_14_an_effort_that_changes_nothing_is_said():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat(reasoning_effort="high")

    assert reply.headers["x-partbook-warning"] == "passed over: reasoning_effort"


async def test_rule_14_an_effort_that_is_not_known_is_sent_to_no_worker():
    worker = Saying(("42",))
    pool = pool_of(worker, sampling=Sampling(reasoning_effort="low"))
    async with serving(pool) as client:
        for model in ("partbook", "partbook/w0"):
            await client.chat(model=model, reasoning_effort="heroic")
            await client.chat(model=model, reasoning_effort="high")

    assert [asked.reasoning_effort for asked in worker.asked] == ["low", "high"] * 2


async def test_rule_16_wishes_hold_for_the_last_step_alone():
    conductor, first, last = Saying((PLAN,)), Saying(("thought",)), Saying(("42",))
    async with serving(pool_of(first, last), Conductor(conductor)) as client:
        await client.chat(max_completion_tokens=50, stop=["END"], seed=7, temperature=0.5)

    assert (conductor.asked[0].max_tokens, conductor.asked[0].stop) == (1024, ())
    assert (first.asked[0].max_tokens, first.asked[0].seed) == (4096, None)
    asked = last.asked[0]
    assert (asked.max_tokens, asked.stop, asked.seed, asked.temperature) == (50, ("END",), 7, 0.5)


async def test_rule_16_a_cut_off_answer_says_length_and_is_not_continued():
    worker = Saying(("half",), finish_reason="length")
    async with serving(pool_of(worker, on_truncated="continue")) as client:
        reply = await client.chat(max_tokens=5)

    assert reply.body["choices"][0]["finish_reason"] == "length"
    assert len(worker.heard) == 1


async def test_rule_16_n_asks_the_last_step_again_and_counts_every_call():
    first, last = Saying(("thought",)), Saying(("one", "two", "three"))
    async with serving(pool_of(first, last), Fixed(TWO)) as client:
        reply = await client.chat(n=3, seed=5)

    choices = reply.body["choices"]
    assert [choice["index"] for choice in choices] == [0, 1, 2]
    assert sorted(choice["message"]["content"] for choice in choices) == ["one", "three", "two"]
    assert [asked.seed for asked in last.asked] == [5, 6, 7]
    assert len(first.heard) == 1
    assert reply.body["usage"]["prompt_tokens"] == 40


async def test_rule_16_the_second_of_two_choices_has_the_next_seed():
    last, alone = Saying(("one", "two")), Saying(("one", "two"))
    async with serving(pool_of(last, alone)) as client:
        await client.chat(n=2, seed=5)
        await client.chat(model="partbook/w1", n=2, seed=5)

    assert [asked.seed for asked in last.asked] == [5, 6]
    assert [asked.seed for asked in alone.asked] == [5, 6]


async def test_rule_16_a_schema_goes_to_the_last_worker_and_is_checked():
    schema = {"type": "object", "required": ["answer"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    first, good, bad = Saying(("t",)), Saying(('{"answer": 42}',)), Saying(("forty-two",))
    async with serving(pool_of(first, good, bad), Fixed(TWO)) as client:
        kept = await client.chat(response_format=wanted)
        missed = await client.chat(model="partbook/w2", response_format=wanted)

    assert json.loads(kept.text) == {"answer": 42}
    assert json.loads(good.asked[0].response_format or "") == wanted
    assert first.asked[0].response_format is None
    assert (missed.status, missed.error["code"]) == (502, "format_not_kept")


async def test_rule_17_an_unknown_field_is_named_in_a_header_or_refused():
    async with serving(pool_of(Saying(("42",)))) as client:
        lenient = await client.chat(top_k=3, wild={"x": 1})
    async with serving(pool_of(Saying(("42",))), strict=True) as client:
        strict = await client.chat(top_k=3)

    assert lenient.headers["x-partbook-warning"] == "passed over: top_k, wild"
    assert (strict.status, strict.error["param"]) == (400, "top_k")


async def test_rule_17_a_name_cannot_break_out_of_the_header():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat(**{"a\r\nset-cookie: x": 1, "名": 2})

    assert reply.headers["x-partbook-warning"] == "passed over: (a long name), ?"
    assert "set-cookie" not in reply.headers


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("auth", 502, "worker_auth"),
        ("server", 502, "worker_server"),
        ("rate_limit", 429, "worker_rate_limit"),
        ("overloaded", 503, "worker_overloaded"),
        ("timeout", 504, "worker_timeout"),
        ("context", 400, "context_length_exceeded"),
        ("filter", 400, "content_filter"),
    ],
)
async def test_rule_18_a_workers_fault_has_an_honest_status(kind, status, code):
    model = Refusing(WorkerError("no", kind=kind, usage=Usage()))
    async with serving(pool_of(model, retries=0)) as client:
        replies = [await client.chat(), await client.chat(model="partbook/w0")]

    for reply in replies:
        assert (reply.status, reply.error["code"]) == (status, code)
        assert set(reply.error) == {"message", "type", "param", "code"}


async def test_rule_18_what_a_worker_refuses_is_the_clients_own_where_it_is_asked_alone():
    model = Refusing(WorkerError("bad seed", kind="refused", status=400, usage=Usage()))
    async with serving(pool_of(model)) as client:
        alone, played = await client.chat(model="partbook/w0"), await client.chat()

    assert (alone.status, played.status) == (400, 502)


async def test_rule_18_what_a_worker_says_that_utf8_cannot_hold_is_no_failure_of_the_server():
    model = Refusing(WorkerError("half a pair: \ud83d", kind="server", usage=Usage()))
    async with serving(pool_of(model, retries=0)) as client:
        reply = await client.chat()

    assert (reply.status, reply.error["code"]) == (502, "worker_server")
    assert reply.error["message"].endswith("half a pair: \ud83d")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/embedings", 404, "unknown_url"),
        ("/v1/chat/completions/", 404, "unknown_url"),
        ("/v1/models", 405, "method_not_allowed"),
    ],
)
async def test_rule_18_a_wrong_route_is_an_error_in_json(path, status, code):
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.post(path, b"{}")

    assert (reply.status, reply.error["code"]) == (status, code)


async def test_rule_18_a_body_that_is_no_json_and_a_model_that_is_not_there():
    async with serving(pool_of(Saying(("42",)))) as client:
        broken = await client.post("/v1/chat/completions", b"{oops")
        unknown = await client.chat(model="no-such-model")

    assert (broken.status, broken.error["type"]) == (400, "invalid_request_error")
    assert (unknown.status, unknown.error["code"]) == (404, "model_not_found")


async def test_rule_18_a_large_body_is_refused_before_it_is_read():
    small = {"max_body_bytes": 1000}
    async with serving(pool_of(Saying(("42",))), endpoint=small) as client:
        reply = await client.chat(messages=[{"role": "user", "content": "x" * 2000}])

    assert (reply.status, reply.error["code"]) == (413, "request_too_large")


async def test_rule_19_retry_after_is_passed_on():
    model = Refusing(WorkerError("wait", kind="rate_limit", usage=Usage(), retry_after_s=70))
    async with serving(pool_of(model)) as client:
        replies = [await client.chat(), await client.chat(model="partbook/w0")]

    assert [reply.headers["Retry-After"] for reply in replies] == ["70", "70"]


async def test_rule_20_a_deadline_ends_the_run_and_its_calls():
    worker = Stepwise()
    async with serving(pool_of(worker)) as client:
        by_body = await client.chat(timeout_s=0.05)
        by_header = await client.chat({"x-partbook-timeout-s": "0.05"}, model="partbook/w0")

    assert [reply.status for reply in (by_body, by_header)] == [504, 504]
    assert worker.cancelled.is_set()


async def test_rule_20_limits_of_a_request_stay_below_the_servers():
    price = Price(Decimal(1), Decimal(1))
    pool = pool_of(Saying(("a",)), Saying(("b",)), price=price)
    async with serving(pool, Fixed(TWO), limits=Limits(calls=1)) as client:
        calls = await client.chat(max_calls=9)
        usd = await client.chat(max_usd=0.000001, max_calls=1)

    assert (calls.status, calls.error["code"]) == (402, "limit_calls")
    assert (usd.status, usd.error["code"]) == (402, "limit_usd")


async def test_rule_20_a_client_that_goes_away_ends_the_calls_within_a_second():
    first, second = Stepwise(), Saying(("never",))
    async with serving(pool_of(first, second), Fixed(TWO)) as client:
        asking = asyncio.create_task(client.chat())
        await first.reached.wait()
        asking.cancel()

        async with asyncio.timeout(1):
            await first.cancelled.wait()

    assert second.heard == []


async def test_rule_21_a_model_states_the_smallest_window_of_those_it_may_need():
    pool = pool_of(Saying(("a",)), Saying(("b",)))
    windows = (8000, 4000)
    workers = tuple(
        replace(worker, spec=replace(worker.spec, context_window=window))
        for worker, window in zip(pool.workers, windows, strict=True)
    )
    async with serving(replace(pool, workers=workers), workflows={"plan": ONE}) as client:
        models = {m["id"]: m for m in (await client.get("/v1/models")).body["data"]}

    assert models["partbook"]["context_length"] == 8000  # it is a fixed one, of the first worker
    assert models["partbook/w1"]["context_length"] == 4000
    assert models["partbook"]["pinned"] == models[PIN]["id"]
    assert models["partbook/plan"]["supports_tools"] is True


@pytest.mark.parametrize("text", ["model_id = [9]\nsubtasks = ['x']\naccess_list = [[]]", "rm -rf"])
async def test_rule_23_and_rule_25_a_bad_plan_is_never_played_and_the_fallback_is_said(text):
    conductor = Saying((text,))
    proposer = Conductor(conductor, fallback=fixed(("w0", "Answer.", ()), name="single"))
    async with serving(pool_of(Saying(("42",))), proposer) as client:
        reply = await client.chat(partbook_metadata=True)

    assert reply.text == "42"
    assert len(conductor.heard) == 2  # one stricter try
    plan = reply.body["partbook"]["plan"]
    assert (plan["source"], plan["name"]) == ("fallback", "single")


async def test_the_conductor_is_shown_the_brief_and_no_wish():
    conductor = Saying((PLAN,))
    async with serving(pool_of(Saying(("a",)), Saying(("b",))), Conductor(conductor)) as client:
        await client.chat(messages=HISTORY)

    assert "Which word was it?\n\nWhat came before, shortened:" in heard(conductor)
