"""OpenAI's own Python SDK against a live server."""

from contextlib import asynccontextmanager

import openai
import pytest

from partbook.conduct import Fixed
from partbook.errors import WorkerError
from partbook.message import Usage
from tests.fakes import pool_of
from tests.server.live import ASK, PIN, TWO, serving
from tests.server.models import Refusing, Saying, Stepwise


@asynccontextmanager
async def sdk(pool, proposer=None, **options):
    async with (
        serving(pool, proposer, **options) as client,
        openai.AsyncOpenAI(base_url=f"{client.url}/v1", api_key="none", max_retries=0) as made,
    ):
        yield made


async def test_a_plain_conversation():
    pool = pool_of(Saying(("a thought",)), Saying(("42",)))
    async with sdk(pool, Fixed(TWO)) as client:
        reply = await client.chat.completions.create(model="partbook", messages=ASK)

    assert (reply.model, reply.choices[0].message.content) == (PIN, "42")
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None
    assert reply.usage.total_tokens == 30


async def test_a_streamed_conversation_with_keep_alives_and_usage():
    worker = Stepwise()
    pool = pool_of(Saying(("a thought",)), worker)
    async with sdk(pool, Fixed(TWO), endpoint={"keep_alive_s": 0.02}) as client:
        stream = await client.chat.completions.create(
            model="partbook", messages=ASK, stream=True, stream_options={"include_usage": True}
        )
        chunks = []
        silent = 0
        async for chunk in stream:
            chunks.append(chunk)
            silent += not chunk.choices or not chunk.choices[0].delta.model_dump(exclude_none=True)
            if silent == 3:  # keep-alives were read as chunks
                for piece in ("4", "2", None):
                    worker.pieces.put_nowait(piece)

    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == "42"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 7


async def test_models_are_listed_and_found():
    async with sdk(pool_of(Saying(("42",)))) as client:
        listed = [model.id async for model in client.models.list()]
        found = await client.models.retrieve("partbook/w0")

    assert listed == ["partbook", PIN, "partbook/w0"]
    assert found.id == "partbook/w0"


async def test_an_error_in_a_stream_is_raised_with_its_words():
    model = Refusing(WorkerError("the worker is down", kind="server", usage=Usage()))
    async with sdk(pool_of(model, retries=0)) as client:
        stream = await client.chat.completions.create(model="partbook", messages=ASK, stream=True)

        with pytest.raises(openai.APIError, match="the worker is down"):
            async for _ in stream:
                pass


async def test_errors_are_of_the_sdks_own_types():
    limited = Refusing(WorkerError("wait", kind="rate_limit", usage=Usage()))
    async with sdk(pool_of(limited, retries=0)) as client:
        with pytest.raises(openai.NotFoundError, match="no model"):
            await client.chat.completions.create(model="gpt-9", messages=ASK)
        with pytest.raises(openai.BadRequestError, match="temperature"):
            await client.chat.completions.create(model="partbook", messages=ASK, temperature=9)
        with pytest.raises(openai.RateLimitError):
            await client.chat.completions.create(model="partbook", messages=ASK)
