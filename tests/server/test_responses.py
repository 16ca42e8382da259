"""The Responses API, by hand and with OpenAI's own SDK."""

import json
from typing import Any

import openai
import pytest

from partbook.conduct import Fixed
from partbook.errors import WorkerError
from partbook.message import Usage
from tests.fakes import pool_of
from tests.server.live import PIN, TWO, serving
from tests.server.models import Refusing, Saying, Stepwise
from tests.server.test_tools import CALL, Calling

TOOL = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}


async def post(client, **body: Any):
    data = json.dumps({"model": "partbook", "input": "What is 6*7?", **body}).encode()
    return await client.post("/v1/responses", data)


async def test_rule_1_a_whole_response():
    pool = pool_of(Saying(("a thought",)), Saying(("42",)), context="turns")
    async with serving(pool, Fixed(TWO)) as client:
        reply = await post(client, instructions="Be brief.", max_output_tokens=50)

    assert (reply.status, reply.body["status"], reply.body["model"]) == (200, "completed", PIN)
    reasoning, message = reply.body["output"]
    assert reasoning["summary"][0]["text"].startswith("Plan (fixed):")
    assert message["content"][0] == {"type": "output_text", "text": "42", "annotations": []}
    assert reply.body["usage"]["total_tokens"] == 30
    last = pool[1].model
    assert isinstance(last, Saying)
    assert (last.heard[0][0].text, last.asked[0].max_tokens) == ("Be brief.", 50)


async def test_a_stream_through_openais_sdk_is_read_to_its_end():
    worker = Stepwise()
    pool = pool_of(Saying(("a thought",)), worker)
    async with (
        serving(pool, Fixed(TWO), endpoint={"keep_alive_s": 0.02}) as client,
        openai.AsyncOpenAI(base_url=f"{client.url}/v1", api_key="none", max_retries=0) as sdk,
    ):
        stream = await sdk.responses.create(model="partbook", input="What is 6*7?", stream=True)
        events = []
        alive = 0
        async for event in stream:
            events.append(event)
            alive += event.type == "response.in_progress"
            if alive == 3:
                alive += 1
                for piece in ("4", "2", None):
                    worker.pieces.put_nowait(piece)

    assert [event.sequence_number for event in events] == list(range(len(events)))
    text = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    plan = "".join(e.delta for e in events if e.type == "response.reasoning_summary_text.delta")
    assert text == "42"
    assert plan.endswith("[1 w0]\na thought\n")
    last = events[-1]
    assert last.type == "response.completed"
    assert last.response.output_text == "42"
    assert last.response.usage.total_tokens == 20


async def test_calls_and_their_results_are_items():
    worker = Calling(("It rains.",))
    async with (
        serving(pool_of(worker)) as client,
        openai.AsyncOpenAI(base_url=f"{client.url}/v1", api_key="none", max_retries=0) as sdk,
    ):
        first = await sdk.responses.create(model="partbook", input="Weather?", tools=[TOOL])
        streamed = [
            event
            async for event in await sdk.responses.create(
                model="partbook", input="Weather?", tools=[TOOL], stream=True
            )
        ]
        call = first.output[-1]
        second = await sdk.responses.create(
            model="partbook",
            tools=[TOOL],
            input=[
                {"role": "user", "content": "Weather?"},
                *(item.model_dump(exclude_none=True) for item in first.output),
                {"type": "function_call_output", "call_id": call.call_id, "output": "rain"},
            ],
        )

    assert (call.type, call.call_id, call.name) == ("function_call", "call_abc", "weather")
    assert json.loads(call.arguments) == {"city": "Séoul"}
    assert streamed[-1].response.output[-1].call_id == "call_abc"
    assert second.output_text == "It rains."
    assert json.loads(worker.heard[-1][1].tool_calls) == [CALL]


async def test_a_cut_off_answer_is_incomplete():
    async with serving(pool_of(Saying(("half",), finish_reason="length"))) as client:
        reply = await post(client, max_output_tokens=1)

    assert reply.body["status"] == "incomplete"
    assert reply.body["incomplete_details"] == {"reason": "max_output_tokens"}


async def test_rule_7_a_failed_stream_says_so_and_never_that_it_is_complete():
    model = Refusing(WorkerError("the worker is down", kind="server", usage=Usage()))
    async with (
        serving(pool_of(model, retries=0)) as client,
        openai.AsyncOpenAI(base_url=f"{client.url}/v1", api_key="none", max_retries=0) as sdk,
    ):
        stream = await sdk.responses.create(model="partbook", input="x", stream=True)
        events = [event async for event in stream]

    assert events[-1].type == "response.failed"
    assert events[-1].response.error.message.endswith("the worker is down")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"background": True}, "background"),
        ({"input": []}, "input"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input[0].type"),
        (
            {
                "instructions": "x",
                "input": [{"role": "user", "content": [{"type": "input_image"}]}],
            },
            "input[0].content[0]",
        ),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"tools": [{"type": "web_search"}]}, "tools[0].type"),
        ({"text": {"format": {"type": "yaml"}}}, "text.format"),
    ],
)
async def test_rule_17_what_cannot_be_done_is_named_as_it_is_called_here(fields, param):
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await post(client, **fields)

    assert (reply.status, reply.error["param"]) == (400, param)


async def test_rule_17_what_is_passed_over_is_named():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await post(client, store=True, include=["reasoning.encrypted_content"])

    assert reply.headers["x-partbook-warning"] == "passed over: include, store"


async def test_a_schema_is_asked_for_by_text_format():
    worker = Saying(('{"a": 1}',))
    form = {"type": "json_schema", "name": "x", "schema": {"type": "object"}, "strict": True}
    async with serving(pool_of(worker)) as client:
        reply = await post(client, text={"format": form})

    assert reply.status == 200
    assert json.loads(worker.asked[0].response_format or "") == {
        "type": "json_schema",
        "json_schema": {"name": "x", "schema": {"type": "object"}, "strict": True},
    }
