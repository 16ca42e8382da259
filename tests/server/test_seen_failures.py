"""What clients of such endpoints were seen to fail on, case by case, over a real connection.

The addresses are of the reports; E-017 and E-018 are in `test_stream.py`.
"""

import asyncio
import datetime

import pytest

from partbook.conduct import Fixed
from partbook.errors import WorkerError
from partbook.message import Message, Usage
from partbook.models.http import HttpModel, open_session
from partbook.server.admission import KeyDesk
from partbook.store import ApiKeys
from tests.fakes import pool_of
from tests.models.scripted_server import DONE, ScriptedServer, event, stream
from tests.server.live import ASK, TWO, fixed, serving
from tests.server.models import Saying, Stepwise

THREE = fixed(("w0", "Think.", ()), ("w1", "Doubt.", (0,)), ("w2", "Answer.", (0, 1)), name="three")
CHAT = "/v1/chat/completions"


async def test_e_003_workers_are_asked_for_usage_and_the_client_sees_no_chunk_of_it():
    """https://github.com/BerriAI/litellm/pull/35290"""
    usage = {"prompt_tokens": 9, "completion_tokens": 70, "total_tokens": 79}
    details = {"completion_tokens_details": {"reasoning_tokens": 64}}
    said = {"choices": [{"index": 0, "delta": {"content": "42"}, "finish_reason": "stop"}]}
    chunks = (event(said), event({"choices": [], "usage": usage | details}), DONE)
    async with (
        ScriptedServer(stream(*chunks)) as upstream,
        open_session() as session,
        serving(pool_of(HttpModel(session, upstream.url, "m"))) as client,
    ):
        reply = await client.stream()
        metrics = (await client.get("/metrics")).body

    assert reply.joined() == "42"
    assert all(chunk["choices"] and "usage" not in chunk for chunk in reply.chunks)
    assert upstream.requests[0].json()["stream_options"] == {"include_usage": True}
    assert 'partbook_tokens_total{kind="completion"} 70' in metrics


@pytest.mark.parametrize("model", ["partbook", "partbook/w0"])
async def test_e_004_content_parts_of_users_and_assistants_reach_the_worker(model):
    """https://github.com/CommandCodeAI/command-code/issues/820"""
    said = [{"type": "text", "text": "The word is heron."}]
    asked = [{"type": "text", "text": "Which word "}, {"type": "text", "text": "was it?"}]
    worker = Saying(("heron",))
    async with serving(pool_of(worker)) as client:
        reply = await client.chat(
            model=model,
            messages=[
                {"role": "user", "content": "Remember the word: heron"},
                {"role": "assistant", "content": said},
                {"role": "user", "content": asked},
            ],
        )

    prompt = "\n".join(message.text for message in worker.heard[0])
    assert reply.status == 200
    assert "The word is heron." in prompt
    assert "Which word was it?" in prompt


@pytest.mark.parametrize("model", ["partbook", "partbook/w0"])
async def test_e_006_developer_is_system(model):
    """https://github.com/ayunis-core/ayunis-core/pull/719"""
    worker = Saying(("Bonjour",))
    told = {"role": "developer", "content": "Answer in French."}
    async with serving(pool_of(worker, context="turns")) as client:
        reply = await client.chat(
            model=model, messages=[told, {"role": "user", "content": "Hello"}]
        )

    assert reply.status == 200
    assert worker.heard[0][0] == Message("system", "Answer in French.")


async def test_e_008_nulls_of_earlier_replies_are_taken():
    """https://github.com/tashfeenahmed/freellmapi/pull/232"""
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat(
            messages=[
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hello!", "tool_calls": None},
                {"role": "user", "content": "Again"},
            ],
            tools=None,
        )

    assert reply.status == 200


@pytest.mark.parametrize(
    ("stop", "expected"),
    [("END", ("END",)), (["END", "STOP"], ("END", "STOP")), (None, ())],
)
async def test_e_010_stop_is_a_text_a_list_or_null(stop, expected):
    """https://github.com/ollama/ollama/issues/5545"""
    worker = Saying(("42",))
    async with serving(pool_of(worker)) as client:
        reply = await client.chat(stop=stop)

    assert (reply.status, worker.asked[0].stop) == (200, expected)


@pytest.mark.parametrize("model", ["partbook", "partbook/w1"])
async def test_e_012_two_choices_are_two(model):
    """https://github.com/lidge-jun/opencodex/pull/5280"""
    pool = pool_of(Saying(("thought",)), Saying(("one", "two")))
    async with serving(pool, Fixed(TWO)) as client:
        reply = await client.chat(model=model, n=2)

    choices = reply.body["choices"]
    assert (reply.status, [choice["index"] for choice in choices]) == (200, [0, 1])
    assert sorted(choice["message"]["content"] for choice in choices) == ["one", "two"]


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_e_013_both_names_of_the_limit_hold_for_the_final_answer(name):
    """https://github.com/IBM/chuk-llm/issues/3"""
    first, last = Saying(("thought",)), Saying(("42",))
    async with serving(pool_of(first, last), Fixed(TWO)) as client:
        reply = await client.chat(**{name: 50})

    assert (reply.status, last.asked[0].max_tokens) == (200, 50)
    assert first.asked[0].max_tokens > 50


async def test_e_014_a_body_that_is_no_json_has_an_error_that_clients_read():
    """https://github.com/tenstorrent/tt-inference-server/pull/2771"""
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.post(CHAT, b"{oops")

    assert reply.status == 400
    assert reply.headers["Content-Type"] == "application/json"
    assert set(reply.error) == {"message", "type", "param", "code"}
    assert isinstance(reply.error["message"], str)
    assert (reply.error["type"], reply.error["param"]) == ("invalid_request_error", None)


async def test_e_015_an_unknown_model_is_a_404():
    """https://github.com/runpod-workers/worker-vllm/issues/57"""
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.chat(model="no-such-model")

    assert (reply.status, reply.error["code"]) == (404, "model_not_found")


async def test_e_016_a_mistyped_route_has_a_body_in_json():
    """https://github.com/UOR-Foundation/uor-r4/pull/764"""
    async with serving(pool_of(Saying(("42",)))) as client:
        reply = await client.post("/v1/embedings", b"{}")

    assert reply.status == 404
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.error["message"] == "there is no POST /v1/embedings here"


async def test_e_019_a_failure_after_keep_alives_is_a_frame_and_never_a_stop():
    """https://github.com/BerriAI/litellm-docs/pull/929"""
    worker = Stepwise(failure=WorkerError("the worker is down", kind="refused", usage=Usage()))
    pool = pool_of(worker, retries=0)
    async with (
        serving(pool, endpoint={"keep_alive_s": 0.02}) as client,
        client.open_stream() as reply,
    ):
        raw = b""
        while raw.count(b": still working\n") < 3:
            raw += await reply.content.readany()
        worker.pieces.put_nowait(None)
        raw += await reply.read()

    *_, error, done, end = raw.decode().split("\n\n")
    assert reply.status == 200
    assert error.startswith('data: {"error": {"message": ')
    assert (done, end) == ("data: [DONE]", "")
    assert b'"finish_reason":"' not in raw


@pytest.mark.parametrize("is_stream", [True, False], ids=["e_020", "e_021"])
async def test_e_020_and_e_021_a_client_that_leaves_in_step_1_of_3_ends_the_work(
    is_stream, tmp_path
):
    """https://github.com/BerriAI/litellm/pull/31499 and /issues/37140"""
    first, second, third = Stepwise(), Saying(("never",)), Saying(("never",))
    month = datetime.datetime.now(datetime.UTC).date().isoformat()[:7]
    with ApiKeys.open(tmp_path / "keys.db") as keys:
        kept, key = keys.create("ann")
        async with serving(
            pool_of(first, second, third), Fixed(THREE), admission=KeyDesk(keys)
        ) as client:
            asking = asyncio.create_task(
                client.stream({"x-api-key": key}, messages=ASK)
                if is_stream
                else client.chat({"x-api-key": key}, messages=ASK)
            )
            await first.reached.wait()
            asking.cancel()
            async with asyncio.timeout(1):
                await first.cancelled.wait()
        spent = keys.spent(month)

    assert second.heard == third.heard == []
    assert kept.key_id in spent
