"""Streams, over a real connection. Numbers of rules are those of docs/serving.md."""

import asyncio
import json

import aiohttp

from partbook.conduct import Conductor, Fixed
from partbook.errors import WorkerError
from partbook.message import Usage
from partbook.models.http import HttpModel, open_session
from partbook.price import FREE
from partbook.server.stream import KEEP_ALIVE_S
from tests.fakes import pool_of
from tests.models.scripted_server import DONE, ScriptedServer, delta, stream
from tests.server.live import TWO, fixed, serving
from tests.server.models import Refusing, Saying, Stepwise

USAGE = {"stream_options": {"include_usage": True}}


async def next_text(reply: aiohttp.ClientResponse, field: str = "content") -> str:
    """The next piece of text in a stream."""
    while True:
        line = (await reply.content.readline()).decode()
        if not line:
            raise EOFError("the stream is over")
        if line.startswith("data: {"):
            choices = json.loads(line[6:])["choices"]
            if choices and choices[0]["delta"].get(field):
                return choices[0]["delta"][field]


async def test_rule_3_role_then_text_then_one_finish_reason_then_done():
    async with serving(pool_of(Saying(("the answer is 42",)))) as client:
        reply = await client.stream()

    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/event-stream")
    assert reply.chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert reply.joined() == "the answer is 42"
    assert reply.finish_reasons == ["stop"]
    assert reply.events[-1] == "[DONE]"
    assert reply.events.count("[DONE]") == 1


async def test_rule_4_usage_comes_only_where_it_is_asked_for_and_is_that_of_a_whole_reply():
    pool = pool_of(Saying(("thought",)), Saying(("42",)))
    async with serving(pool, Fixed(TWO)) as client:
        without, asked = await client.stream(), await client.stream(**USAGE)
        whole = await client.chat()

    assert all("usage" not in chunk and chunk["choices"] for chunk in without.chunks)
    last = asked.chunks[-1]
    assert (last["choices"], last["usage"]) == ([], whole.body["usage"])
    assert all(chunk["usage"] is None for chunk in asked.chunks[:-1])


async def test_rule_4_workers_are_asked_for_usage_whether_the_client_is_or_not():
    async with (
        ScriptedServer(stream(delta("42", "stop"), DONE)) as upstream,
        open_session() as session,
        serving(pool_of(HttpModel(session, upstream.url, "m"))) as client,
    ):
        await client.stream()

    assert upstream.requests[0].json()["stream_options"] == {"include_usage": True}


async def test_rule_5_the_first_bytes_come_before_any_worker_has_answered():
    worker = Stepwise()
    async with serving(pool_of(worker)) as client, client.open_stream() as reply:
        first = (await reply.content.readline()).decode()
        worker.pieces.put_nowait("x")
        worker.pieces.put_nowait(None)
        await reply.read()

    assert json.loads(first[6:])["choices"][0]["delta"]["role"] == "assistant"


async def test_rule_5_and_e_018_silence_is_broken_by_events_with_data_and_a_comment():
    """https://github.com/BerriAI/litellm/issues/34819"""
    worker = Stepwise()
    async with (
        serving(pool_of(worker), endpoint={"keep_alive_s": 0.05}) as client,
        client.open_stream() as reply,
    ):
        raw = b""
        while raw.count(b": still working\n") < 3:
            raw += await reply.content.readany()
        worker.pieces.put_nowait("42")
        worker.pieces.put_nowait(None)
        raw += await reply.read()

    blocks = [block for block in raw.decode().split("\n\n") if block.startswith(": ")]
    assert json.loads(blocks[0].split("\ndata: ")[1])["choices"][0]["delta"] == {}
    assert raw.endswith(b"data: [DONE]\n\n")  # and nothing after the end
    assert KEEP_ALIVE_S <= 10


async def test_rule_6_nothing_but_data_with_json_is_sent():
    pool = pool_of(Saying(("a\n\nb\r\ndata: c",)), Saying(("é 名 😀\n\n",)))
    async with serving(pool, Fixed(TWO)) as client:
        reply = await client.stream(**USAGE)

    blocks = reply.raw.split("\n\n")
    assert blocks[-1] == ""
    for block in blocks[:-2]:
        assert block.startswith("data: {")
        json.loads(block.removeprefix("data: "))
    assert reply.joined() == "é 名 😀\n\n"


async def test_rule_7_a_failure_after_the_first_byte_is_an_error_frame_and_no_stop():
    model = Refusing(WorkerError("the worker is down", kind="server", usage=Usage()))
    async with serving(pool_of(model, retries=0)) as client:
        reply = await client.stream()

    assert reply.status == 200
    assert json.loads(reply.events[-2])["error"] == {
        "message": "worker 'w0': the worker is down",
        "type": "upstream_error",
        "param": None,
        "code": "worker_server",
    }
    assert reply.events[-1] == "[DONE]"
    assert reply.finish_reasons == []


async def test_rule_7_an_answer_that_breaks_off_is_an_error_even_where_another_try_would_follow():
    for model in ("partbook", "partbook/w0"):
        worker = Stepwise(failure=WorkerError("cut", kind="broken_stream", usage=Usage()))
        async with serving(pool_of(worker, Saying(("another answer",)))) as client:
            worker.pieces.put_nowait("The answer")
            worker.pieces.put_nowait(None)
            reply = await client.stream(model=model)

        assert reply.joined() == "The answer"
        assert json.loads(reply.events[-2])["error"]["type"] == "upstream_error"
        assert (reply.events[-1], reply.finish_reasons) == ("[DONE]", [])


async def test_rule_7_what_is_wrong_with_a_request_has_its_status_in_a_stream_too():
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat(stream=True, temperature=9)

    assert (reply.status, reply.error["param"]) == (400, "temperature")


async def test_rule_10_metadata_and_cost_come_with_the_last_chunk():
    async with serving(pool_of(Saying(("42",)))) as client:
        plain = await client.stream(partbook_metadata=True)
        usage = await client.stream(partbook_metadata=True, **USAGE)

    assert plain.chunks[-1]["partbook"]["cost_usd"] == "0"
    assert all("partbook" not in chunk for chunk in plain.chunks[:-1])
    assert usage.chunks[-1]["usage"]["cost"] == 0.0
    assert usage.chunks[-1]["partbook"]["calls"] == 1


async def test_rule_15_plan_and_steps_are_reasoning_and_the_answer_is_content():
    pool = pool_of(Saying(("a thought",)), Saying(("42",)))
    async with serving(pool, Fixed(TWO)) as client:
        reply = await client.stream()
        whole = await client.chat()
    async with serving(pool, Fixed(TWO), reasoning=False) as client:
        silent = await client.stream()

    expected = "Plan (fixed):\n1. w0: Think.\n2. w1: Answer. (reads 1)\n\n[1 w0]\na thought\n"
    assert reply.joined("reasoning_content") == expected
    assert whole.body["choices"][0]["message"]["reasoning_content"] == expected
    assert reply.joined() == "42"
    assert (silent.joined("reasoning_content"), silent.joined()) == ("", "42")


async def test_rule_16_each_choice_of_a_stream_has_its_index_and_its_end():
    pool = pool_of(Saying(("one", "two", "three", "four")))
    async with serving(pool) as client:
        played = await client.stream(n=2)
        alone = await client.stream(model="partbook/w0", n=2)

    for reply in (played, alone):
        assert len(reply.finish_reasons) == 2
        assert reply.joined(index=0) != reply.joined(index=1)
        assert reply.joined(index=1) != ""


async def test_the_last_steps_text_comes_as_it_arrives():
    worker = Stepwise()
    async with (
        serving(pool_of(Saying(("t",)), worker), Fixed(TWO)) as client,
        client.open_stream() as reply,
    ):
        for piece in ("The", " answer", " is 42"):
            worker.pieces.put_nowait(piece)
            assert await next_text(reply) == piece
        worker.pieces.put_nowait(None)
        rest = await reply.read()

    assert rest.endswith(b"data: [DONE]\n\n")


async def test_a_try_that_failed_before_its_first_word_is_made_again():
    class Once(Saying):
        async def chat(self, messages, sampling, on_text=None):
            if not self.heard:
                self.heard.append([])
                raise WorkerError("busy", kind="overloaded", usage=Usage(), retry_after_s=0)
            return await super().chat(messages, sampling, on_text)

    async with serving(pool_of(Once(("42",)))) as client:
        reply = await client.stream()

    assert (reply.joined(), reply.finish_reasons) == ("42", ["stop"])


async def test_rule_20_a_client_that_leaves_a_stream_ends_the_calls_within_a_second():
    first, second = Stepwise(), Saying(("never",))
    async with serving(pool_of(first, second), Fixed(TWO)) as client:
        async with client.open_stream() as reply:
            await reply.content.readline()
            await first.reached.wait()
            reply.close()

            async with asyncio.timeout(1):
                await first.cancelled.wait()
        gone = (await client.get("/metrics")).body

    assert second.heard == []
    assert "partbook_clients_gone_total 1" in gone


async def test_a_client_that_leaves_while_the_conductor_writes_ends_that_call():
    conductor = Stepwise()
    async with (
        serving(pool_of(Saying(("a",))), Conductor(conductor, price=FREE)) as client,
        client.open_stream() as reply,
    ):
        await conductor.reached.wait()
        reply.close()

        async with asyncio.timeout(1):
            await conductor.cancelled.wait()


async def test_e_017_a_character_that_is_cut_in_two_by_the_network_arrives_whole():
    """https://github.com/api7/aisix/issues/111"""
    pieces = [
        "646174613a207b2263686f69636573223a5b7b22696e646578223a302c2264656c7461223a7b22636f6e74656e"
        "74223a22e9",
        "82a3e4b8aaf09f",
        "9880227d2c2266696e6973685f726561736f6e223a6e756c6c7d5d7d0a0a",
    ]
    script = stream(*map(bytes.fromhex, pieces), DONE)
    async with (
        ScriptedServer(script) as upstream,
        open_session() as session,
        serving(pool_of(HttpModel(session, upstream.url, "m"))) as client,
    ):
        reply = await client.stream()

    assert reply.joined() == "那个😀"


async def test_a_tool_that_does_not_stream_is_an_answer_in_one_piece():
    class Tool(Saying):
        async def chat(self, messages, sampling, on_text=None):
            return await super().chat(messages, sampling)

    plan = fixed(("w0", "Answer.", ()))
    async with serving(pool_of(Tool(("42",))), Fixed(plan)) as client:
        replies = [await client.stream(), await client.stream(model="partbook/w0", n=2)]

    assert [reply.joined() for reply in replies] == ["42", "42"]
    assert replies[1].joined(index=1) == "42"


async def test_with_two_rounds_the_answer_comes_once_and_is_that_of_the_last():
    plan = "model_id = [0]\nsubtasks = ['Answer.']\naccess_list = [[]]"
    again = "model_id = [1]\nsubtasks = ['Answer better.']\naccess_list = [[]]"
    conductor = Saying((plan, again))
    pool = pool_of(Saying(("41",)), Saying(("it is 42",)))
    async with serving(pool, Conductor(conductor, price=FREE)) as client:
        reply = await client.stream(reasoning_effort="max", **USAGE)

    pieces = [c["choices"][0]["delta"].get("content") for c in reply.chunks if c["choices"]]
    assert [piece for piece in pieces if piece] == ["it is 42"]
    assert "[1 w0]\n41\n" in reply.joined("reasoning_content")
    assert reply.chunks[-1]["usage"]["total_tokens"] == 4 * 15
