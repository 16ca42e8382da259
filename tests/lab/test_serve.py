import asyncio
import json

import aiohttp
import pytest
from aiohttp import web

from partbook.lab.optimum import optimum, perform
from partbook.lab.pool import lab_pool
from partbook.lab.problem import lab_problems
from partbook.lab.serve import lab_endpoint
from partbook.message import Sampling
from partbook.models.http import HttpModel, open_session
from partbook.prompt import worker_messages

BODY = {"model": "bo", "messages": [{"role": "user", "content": "Reverse the word lantern."}]}


@pytest.fixture
async def base():
    """The endpoint on a real socket, up to and including the version."""
    runner = web.AppRunner(lab_endpoint())
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    yield f"http://127.0.0.1:{port}/v1"
    await runner.cleanup()


async def ask(base, body):
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base}/chat/completions", data=json.dumps(body)) as reply,
    ):
        return reply.status, await reply.json()


async def test_a_worker_answers_a_chat_and_its_words_are_counted(base):
    status, reply = await ask(base, BODY)

    assert status == 200
    assert reply["object"] == "chat.completion"
    assert reply["model"] == "bo"
    assert reply["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "I worked it out. Answer: nretnal"},
            "finish_reason": "stop",
        }
    ]
    assert reply["usage"] == {"prompt_tokens": 4, "completion_tokens": 6, "total_tokens": 10}


@pytest.mark.parametrize("usage", [True, False])
async def test_a_stream_gives_the_same_text_and_usage_only_where_it_is_asked_for(base, usage):
    body = {**BODY, "stream": True, "stream_options": {"include_usage": usage}}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base}/chat/completions", json=body) as reply,
    ):
        kind, text = reply.content_type, await reply.text()
    *frames, done = [frame.removeprefix("data: ") for frame in text.split("\n\n") if frame]
    chunks = [json.loads(frame) for frame in frames]

    assert (kind, done) == ("text/event-stream", "[DONE]")
    deltas = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
    assert deltas[0]["delta"]["role"] == "assistant"
    said = "".join(delta["delta"].get("content", "") for delta in deltas)
    assert said == "I worked it out. Answer: nretnal"
    assert [d["finish_reason"] for d in deltas if d["finish_reason"]] == ["stop"]
    counted = [chunk["usage"] for chunk in chunks if "usage" in chunk]
    expected = {"prompt_tokens": 4, "completion_tokens": 6, "total_tokens": 10}
    assert counted == ([expected] if usage else [])


async def test_our_own_client_plays_an_optimum_over_http_to_the_same_answer(base):
    pool = lab_pool()
    async with open_session() as session:
        for context in ("turns", "tagged", "plain"):
            for problem in lab_problems(8, "test"):
                workflow = optimum(problem, pool).workflow
                answers = []
                for step in workflow.steps:
                    read = [(workflow.steps[j].subtask, answers[j]) for j in step.access]
                    spec = pool[step.worker].spec
                    spec = type(spec)(spec.name, "http", context=context)
                    messages = worker_messages(problem.question, step.subtask, read, spec)
                    model = HttpModel(session, base, spec.name)
                    answers.append((await model.chat(messages, Sampling())).text)

                assert answers[-1] == perform(workflow, problem.question, pool).answer


async def test_the_models_are_the_workers(base):
    async with aiohttp.ClientSession() as session:
        listed = await (await session.get(f"{base}/models")).json()
        one = await session.get(f"{base}/models/bo")
        described = await one.json()
        missing = await session.get(f"{base}/models/eve")

    assert [model["id"] for model in listed["data"]] == list(lab_pool().names)
    assert described == listed["data"][1]
    assert missing.status == 404


async def test_half_of_a_surrogate_pair_is_read_like_any_text(base):
    body = {**BODY, "messages": [{"role": "user", "content": "\ud800 Reverse the word lantern."}]}

    status, reply = await ask(base, body)

    assert status == 200
    assert reply["choices"][0]["message"]["content"] == "I worked it out. Answer: nretnal"


async def test_a_seed_is_another_attempt_and_parts_and_limits_are_understood(base):
    gus = {**BODY, "model": "gus"}
    replies = await asyncio.gather(*(ask(base, {**gus, "seed": seed}) for seed in range(20)))
    parts = [{"type": "text", "text": "Reverse the "}, {"type": "text", "text": "word lantern."}]
    limited = {
        "model": "bo",
        "messages": [{"role": "developer", "content": "x"}, {"role": "user", "content": parts}],
        "max_completion_tokens": None,
        "max_tokens": 2,
    }
    _, short = await ask(base, limited)

    assert len({reply["choices"][0]["message"]["content"] for _, reply in replies}) > 1
    assert short["choices"][0]["message"]["content"] == "I worked "
    assert short["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("change", "status", "param"),
    [
        ({"model": "eve"}, 404, "model"),
        ({"model": None}, 400, "model"),
        ({"messages": []}, 400, "messages"),
        ({"messages": "hi"}, 400, "messages"),
        ({"messages": [{"role": "robot", "content": "x"}]}, 400, "messages[0]"),
        ({"messages": [{"role": "user"}]}, 400, "messages[0]"),
        ({"messages": ["x"]}, 400, "messages[0]"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            400,
            "messages[0]",
        ),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, 400, "messages[0]"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": True}, 400, "max_tokens"),
        ({"seed": "x"}, 400, "seed"),
        ({"stop": [1]}, 400, "stop"),
    ],
)
async def test_a_bad_request_is_refused_with_the_field_at_fault(base, change, status, param):
    found, reply = await ask(base, {**BODY, **change})

    assert found == status
    assert set(reply["error"]) == {"message", "type", "param", "code"}
    assert reply["error"]["param"] == param


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"[" * 100_000, b"\xff"])
async def test_a_body_that_is_no_json_object_is_refused(base, raw):
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{base}/chat/completions", data=raw) as reply,
    ):
        assert reply.status == 400
        assert "JSON" in (await reply.json())["error"]["message"]
