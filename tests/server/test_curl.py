"""curl against a live server: what docs/clients.md shows."""

import asyncio
import json
import shutil

import pytest

from partbook.conduct import Fixed
from tests.fakes import pool_of
from tests.server.live import ASK, PIN, TWO, serving
from tests.server.models import Saying
from tests.server.test_tools import CALL, RESULT, TOOLS, Calling

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


async def curl(url: str, *options: str, **body) -> str:
    data = json.dumps({"model": "partbook", "messages": ASK, **body})
    command = ["curl", "-sS", "--max-time", "20", *options, f"{url}/v1/chat/completions"]
    process = await asyncio.create_subprocess_exec(
        *command, "-d", data, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()


async def test_a_plain_conversation():
    async with serving(pool_of(Saying(("thought",)), Saying(("42",))), Fixed(TWO)) as client:
        reply = json.loads(await curl(client.url))

    assert (reply["model"], reply["choices"][0]["message"]["content"]) == (PIN, "42")


async def test_a_streamed_conversation():
    async with serving(pool_of(Saying(("it is 42",)))) as client:
        raw = await curl(client.url, "--no-buffer", stream=True)

    chunks = [json.loads(line[6:]) for line in raw.split("\n") if line.startswith("data: {")]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "it is 42"
    assert raw.endswith("data: [DONE]\n\n")


async def test_a_conversation_with_a_tool():
    async with serving(pool_of(Calling(("It rains.",)))) as client:
        asking = json.loads(await curl(client.url, tools=TOOLS))
        message = asking["choices"][0]["message"]
        history = [*ASK, message, RESULT]
        answered = json.loads(await curl(client.url, tools=TOOLS, messages=history))

    assert message["tool_calls"] == [CALL]
    assert answered["choices"][0]["message"]["content"] == "It rains."


async def test_an_error_is_a_status_that_curl_fails_on():
    async with serving(pool_of(Saying(("42",)))) as client:
        told = await curl(client.url, "-w", " %{http_code}", model="nobody")

    assert told.endswith(" 404")
