"""The user's own tools pass through. Rule 13 is that of docs/serving.md."""

import asyncio
import json

import openai
import pytest

from partbook.conduct import Conductor, Fixed
from partbook.message import Completion, Usage
from partbook.models.http import HttpModel, open_session
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys
from tests.fakes import pool_of
from tests.models.scripted_server import DONE, ScriptedServer, event, reply, stream
from tests.server.live import ASK, PIN, TWO, fixed, serving
from tests.server.models import Saying, Stepwise

TOOLS = [
    {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}},
    {"type": "function", "function": {"name": "time", "parameters": {"type": "object"}}},
]
CALL = {
    "id": "call_abc",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Séoul"}'},
}
RESULT = {"role": "tool", "tool_call_id": "call_abc", "content": "rain"}


class Calling(Saying):
    """Asks for a tool first, then answers."""

    async def chat(self, messages, sampling, on_text=None):
        if messages[-1].role == "tool":
            return await super().chat(messages, sampling, on_text)
        self.heard.append(list(messages))
        self.asked.append(sampling)
        return Completion("", Usage(10, 5), "calling-1", tool_calls=json.dumps([CALL]))


async def test_rule_13_a_call_ends_the_turn_and_its_result_goes_back_to_who_asked():
    first, last = Saying(("thought",)), Calling(("It rains.",))
    async with serving(pool_of(first, last), Fixed(TWO)) as client:
        asking = await client.chat(tools=TOOLS, tool_choice="auto", parallel_tool_calls=False)
        message = asking.body["choices"][0]["message"]
        answered = await client.chat(tools=TOOLS, messages=[*ASK, message, RESULT])

    assert asking.body["choices"][0]["finish_reason"] == "tool_calls"
    assert (message["content"], message["tool_calls"]) == (None, [CALL])
    assert first.asked[0].tools is None
    assert json.loads(last.asked[0].tools or "") == {
        "tools": TOOLS,
        "tool_choice": "auto",
        "parallel_tool_calls": False,
    }
    assert (answered.text, answered.body["model"]) == ("It rains.", PIN)
    assert len(first.heard) == 1  # nobody planned again
    assert [m.role for m in last.heard[1]] == ["user", "assistant", "tool"]
    assert json.loads(last.heard[1][1].tool_calls) == [CALL]
    assert (last.heard[1][2].tool_call_id, last.heard[1][2].text) == ("call_abc", "rain")


async def test_rule_13_a_call_is_kept_where_a_step_that_nobody_reads_ends_after_it():
    slow, last = Stepwise(), Calling(("It rains.",))
    plan = fixed(("w0", "Think.", ()), ("w1", "Answer.", ()))
    async with serving(pool_of(slow, last), Fixed(plan)) as client:
        asking = asyncio.create_task(client.chat(tools=TOOLS))
        async with asyncio.timeout(10):
            await slow.reached.wait()
            while not last.heard:  # noqa: ASYNC110 - it is the model that is waited for
                await asyncio.sleep(0)
        slow.pieces.put_nowait("thought")
        slow.pieces.put_nowait(None)
        reply = await asking

    assert reply.body["choices"][0]["finish_reason"] == "tool_calls"
    assert reply.body["choices"][0]["message"]["tool_calls"] == [CALL]


async def test_rule_13_a_streamed_call_has_its_own_delta_and_finish_reason():
    for model in ("partbook", "partbook/w0"):
        async with serving(pool_of(Calling(("It rains.",)))) as client:
            streamed = await client.stream(model=model, tools=TOOLS)

        deltas = [c["choices"][0]["delta"] for c in streamed.chunks if c["choices"]]
        assert [d["tool_calls"] for d in deltas if "tool_calls" in d] == [[{"index": 0, **CALL}]]
        assert streamed.finish_reasons == ["tool_calls"]


@pytest.mark.parametrize("is_stream", [False, True])
async def test_calls_are_the_same_on_both_sides_of_the_wire(is_stream):
    message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    whole = reply({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
    arguments = CALL["function"]["arguments"]
    parts = [
        {"index": 0, "id": "call_abc", "type": "function", "function": {"name": "weather"}},
        {"index": 0, "function": {"arguments": arguments[:5]}},
        {"index": 0, "function": {"arguments": arguments[5:]}},
    ]
    chunks = [event({"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]}) for part in parts]
    end = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    script = stream(*chunks, end, DONE) if is_stream else whole
    async with ScriptedServer(script) as upstream, open_session() as session:
        model = HttpModel(session, upstream.url, "m")
        async with serving(pool_of(model)) as client:
            if is_stream:
                came = (await client.stream(tools=TOOLS, model="partbook/w0")).chunks
                calls = [
                    call
                    for chunk in came
                    for call in chunk["choices"][0]["delta"].get("tool_calls", [])
                ]
                expected = [{"index": 0, **CALL}]
            else:
                came = await client.chat(
                    tools=TOOLS, tool_choice="required", model="partbook/w0",
                    messages=[*ASK, message, RESULT],
                )  # fmt: skip
                calls = came.body["choices"][0]["message"]["tool_calls"]
                expected = [CALL]

    assert calls == expected
    sent = upstream.requests[0].json()
    assert sent["tools"] == TOOLS
    if not is_stream:
        assert sent["tool_choice"] == "required"
        assert sent["messages"][1:] == [message, RESULT]


async def test_a_worker_that_takes_no_tools_is_not_asked():
    local = Worker(WorkerSpec("w0", "local", price=FREE, retries=0), Saying(("42",)))
    async with serving(AgentPool("test", (local,))) as client:
        played = await client.chat(tools=TOOLS)
        alone = await client.chat(tools=TOOLS, model="partbook/w0")
        models = await client.get("/v1/models/partbook")

    assert [(r.status, r.error["param"]) for r in (played, alone)] == [(400, "tools")] * 2
    assert models.body["supports_tools"] is False


async def test_a_plan_that_ends_with_such_a_worker_is_said_or_refused():
    local = Worker(WorkerSpec("w0", "local", price=FREE), Saying(("42",)))
    plan = Saying(("model_id = [0]\nsubtasks = ['Answer.']\naccess_list = [[]]",))
    proposer = Conductor(plan, price=FREE)
    async with serving(AgentPool("test", (local,)), proposer) as client:
        may = await client.chat(tools=TOOLS)
        must = await client.chat(tools=TOOLS, tool_choice="required")

    assert "tools were not passed on" in may.headers["x-partbook-warning"]
    assert (must.status, must.error["param"]) == (502, "tool_choice")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"tools": [{"type": "web_search"}]}, "tools[0].type"),
        ({"tools": [{"type": "function", "function": {}}]}, "tools[0].function.name"),
        ({"tools": TOOLS, "tool_choice": "sometimes"}, "tool_choice"),
        (
            {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "x"}}},
            "tool_choice",
        ),
        ({"messages": [*ASK, {"role": "tool", "content": "x"}]}, "messages[1].tool_call_id"),
        (
            {"messages": [*ASK, {"role": "assistant", "tool_calls": [{"id": "a"}]}]},
            "messages[1].tool_calls[0].function",
        ),
    ],
)
async def test_rule_13_what_cannot_be_passed_on_is_named(fields, param):
    async with serving(pool_of(Saying(("42",)))) as client:
        refused = await client.chat(**fields)

    assert (refused.status, refused.error["param"]) == (400, param)


async def test_rule_13_a_result_goes_to_who_asked_for_it_with_the_same_key(tmp_path):
    one, other = Calling(("It rains.",)), Calling(("It snows.",))
    with ApiKeys.open(tmp_path / "keys.db") as keys:
        bearers = [{"x-api-key": keys.create(name)[1]} for name in ("ann", "bob")]
        async with serving(pool_of(one, other), admission=KeyDesk(keys)) as client:
            for bearer, model in zip(bearers, ("partbook/w0", "partbook/w1"), strict=True):
                await client.chat(bearer, model=model, tools=TOOLS)
            history = [*ASK, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT]
            answers = [(await client.chat(b, messages=history, tools=TOOLS)).text for b in bearers]

    assert answers == ["It rains.", "It snows."]


async def test_a_result_whose_caller_is_not_known_is_part_of_the_history():
    worker = Saying(("It rains.",))
    history = [*ASK, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT]
    async with serving(pool_of(worker)) as client:
        answered = await client.chat(messages=history)

    assert answered.status == 200
    assert "Assistant: (calls weather with" in worker.heard[0][0].text
    assert "Tool: rain" in worker.heard[0][0].text


async def test_a_tool_conversation_with_openais_sdk():
    pool = pool_of(Saying(("thought",)), Calling(("It rains.",)))
    async with (
        serving(pool, Fixed(TWO)) as client,
        openai.AsyncOpenAI(base_url=f"{client.url}/v1", api_key="none", max_retries=0) as sdk,
    ):
        first = await sdk.chat.completions.create(model="partbook", messages=ASK, tools=TOOLS)
        message = first.choices[0].message
        second = await sdk.chat.completions.create(
            model="partbook",
            messages=[*ASK, message.model_dump(), RESULT],
            tools=TOOLS,
        )

    assert message.tool_calls is not None
    assert message.tool_calls[0].id == "call_abc"
    assert second.choices[0].message.content == "It rains."
