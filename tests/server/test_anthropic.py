"""Anthropic's messages API, by hand and with Anthropic's own SDK."""

import json

import anthropic
import pytest

from partbook.conduct import Fixed
from partbook.errors import WorkerError
from partbook.message import Message, Usage
from tests.fakes import pool_of
from tests.server.live import PIN, TWO, serving
from tests.server.models import Refusing, Saying, Stepwise
from tests.server.test_tools import CALL, Calling

ASK = [{"role": "user", "content": "What is 6*7?"}]
TOOL = {"name": "weather", "input_schema": {"type": "object"}}


def sdk(client) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=client.url, api_key="none", max_retries=0)


async def post(client, **body):
    data = {"model": "partbook", "max_tokens": 50, "messages": ASK, **body}
    return await client.post("/v1/messages", json.dumps(data).encode())


async def test_a_whole_message_through_anthropics_sdk():
    last = Saying(("42",), Usage(100, 5, cached_tokens=60))
    pool = pool_of(Saying(("a thought",)), last, context="turns")
    async with serving(pool, Fixed(TWO)) as client, sdk(client) as made:
        reply = await made.messages.create(
            model="partbook",
            max_tokens=50,
            system=[{"type": "text", "text": "Be brief."}],
            messages=ASK,
            stop_sequences=["END"],
        )

    assert [block.type for block in reply.content] == ["thinking", "text"]
    assert (reply.model, reply.content[1].text, reply.stop_reason) == (PIN, "42", "end_turn")
    assert (reply.usage.input_tokens, reply.usage.cache_read_input_tokens) == (50, 60)
    assert last.heard[0][0] == Message("system", "Be brief.")
    assert (last.asked[0].max_tokens, last.asked[0].stop) == (50, ("END",))


async def test_a_stream_through_anthropics_sdk_is_read_to_its_end():
    worker = Stepwise()
    pool = pool_of(Saying(("a thought",)), worker)
    async with (
        serving(pool, Fixed(TWO), endpoint={"keep_alive_s": 0.02}) as client,
        sdk(client) as made,
        made.messages.stream(model="partbook", max_tokens=50, messages=ASK) as stream,
    ):
        await worker.reached.wait()
        for piece in ("4", "2", None):
            worker.pieces.put_nowait(piece)
        text = "".join([piece async for piece in stream.text_stream])
        message = await stream.get_final_message()

    assert text == "42"
    assert message.stop_reason == "end_turn"
    assert message.content[0].thinking.endswith("[1 w0]\na thought\n")
    assert message.usage.output_tokens == 7


async def test_calls_and_their_results_are_blocks():
    worker = Calling(("It rains.",))
    async with serving(pool_of(worker)) as client, sdk(client) as made:
        first = await made.messages.create(
            model="partbook", max_tokens=50, messages=ASK, tools=[TOOL], tool_choice={"type": "any"}
        )
        async with made.messages.stream(
            model="partbook", max_tokens=50, messages=ASK, tools=[TOOL]
        ) as stream:
            streamed = await stream.get_final_message()
        call = first.content[-1]
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "rain"}
        second = await made.messages.create(
            model="partbook",
            max_tokens=50,
            tools=[TOOL],
            messages=[
                *ASK,
                {"role": "assistant", "content": [b.model_dump() for b in first.content]},
                {"role": "user", "content": [result]},
            ],
        )

    assert (first.stop_reason, call.id, call.input) == ("tool_use", "call_abc", {"city": "Séoul"})
    assert streamed.content[-1].input == {"city": "Séoul"}
    assert json.loads(worker.asked[0].tools or "")["tool_choice"] == "required"
    assert second.content[-1].text == "It rains."
    told = json.loads(worker.heard[-1][1].tool_calls)
    assert (told[0]["id"], told[0]["function"]["name"]) == (CALL["id"], "weather")
    assert worker.heard[-1][2] == Message("tool", "rain", tool_call_id="call_abc")


async def test_rule_7_a_failed_stream_ends_in_an_error_event():
    model = Refusing(WorkerError("the worker is down", kind="server", usage=Usage()))
    async with serving(pool_of(model, retries=0)) as client, sdk(client) as made:
        with pytest.raises(anthropic.APIStatusError, match="the worker is down"):
            async with made.messages.stream(
                model="partbook", max_tokens=50, messages=ASK
            ) as stream:
                await stream.get_final_message()


async def test_errors_have_the_shape_of_this_api():
    async with serving(pool_of(Saying(("42",)))) as client, sdk(client) as made:
        with pytest.raises(anthropic.NotFoundError):
            await made.messages.create(model="claude-9", max_tokens=5, messages=ASK)
        refused = await post(client, temperature=9)

    assert refused.body["type"] == "error"
    assert refused.error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"max_tokens": None}, "max_tokens"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "messages[0].role"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]},
            "messages[0].content[0]",
        ),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "tools[0].type"),
        ({"tool_choice": {"type": "maybe"}}, "tool_choice"),
        ({"stop_sequences": [""]}, "stop_sequences"),
    ],
)
async def test_rule_17_what_cannot_be_done_is_named(fields, param):
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await post(client, **fields)

    assert (reply.status, reply.error["param"]) == (400, param)


async def test_rule_17_what_is_passed_over_is_named():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await post(client, top_k=3, thinking={"type": "enabled", "budget_tokens": 1024})

    assert reply.headers["x-partbook-warning"] == "passed over: thinking, top_k"
