"""The OpenAPI document is valid, says what the routes are, and real requests and replies fit it."""

import json

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from starlette.routing import Route

from partbook.conduct import Fixed
from partbook.errors import WorkerError
from partbook.server.anthropic_request import read_anthropic
from partbook.server.chat_request import read_chat
from partbook.server.openapi import openapi_document
from partbook.server.refusal import Refusal
from partbook.server.responses_request import read_responses
from tests.fakes import pool_of
from tests.server.live import ASK, TWO, serving
from tests.server.models import Refusing, Saying
from tests.server.test_tools import TOOLS, Calling

DOCUMENT = openapi_document()


def validator(name: str, *, closed: bool = False) -> Draft202012Validator:
    """Of a component; `closed`: a field that it does not name is a fault."""
    components = json.loads(json.dumps(DOCUMENT["components"]))
    if closed:
        close(components["schemas"][name])
        close(components["schemas"]["Metadata"])
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}
    return Draft202012Validator(schema)


def close(schema: object) -> None:
    match schema:
        case dict():
            if schema.get("properties"):
                schema["additionalProperties"] = False
            for inner in schema.values():
                close(inner)
        case list():
            for inner in schema:
                close(inner)


def test_the_document_is_valid():
    validate(DOCUMENT)


async def test_every_route_is_in_the_document_and_nothing_else():
    async with serving(pool_of(Saying(("42",)))) as client:
        served = await client.get("/openapi.json")
        inner = client.endpoint.app._app

    routes = {
        (route.path.replace(":path", ""), method.lower())
        for route in inner.routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD"
    }
    told = {(path, method) for path, item in DOCUMENT["paths"].items() for method in item}
    assert routes == {pair for pair in told if pair[1] != "parameters"}
    assert served.body == json.loads(json.dumps(DOCUMENT))


WHOLE = [
    ("/v1/chat/completions", {"messages": ASK}, "ChatCompletion"),
    ("/v1/responses", {"input": "What is 6*7?"}, "Response"),
    ("/v1/messages", {"messages": ASK, "max_tokens": 50}, "Message"),
]


@pytest.mark.parametrize(("path", "body", "schema"), WHOLE)
async def test_a_reply_has_the_fields_of_the_document_and_no_others(path, body, schema):
    pool = pool_of(Saying(("a thought",)), Saying(("42",)))
    async with serving(pool, Fixed(TWO)) as client:
        data = json.dumps({"model": "partbook", "partbook_metadata": True, **body}).encode()
        reply = await client.post(path, data)

    assert reply.status == 200
    validator(schema, closed=True).validate(reply.body)


@pytest.mark.parametrize(("path", "body", "schema"), WHOLE)
async def test_so_has_a_reply_that_asks_for_a_tool(path, body, schema):
    spelt = {
        "Response": [{"type": "function", "name": "weather"}],
        "Message": [{"name": "weather", "input_schema": {"type": "object"}}],
    }
    async with serving(pool_of(Calling(("It rains.",)))) as client:
        data = json.dumps({"model": "partbook", "tools": spelt.get(schema, TOOLS), **body})
        reply = await client.post(path, data.encode())

    validator(schema, closed=True).validate(reply.body)


async def test_models_errors_and_status_have_the_fields_of_the_document():
    async with serving(pool_of(Saying(("42",)))) as client:
        models, ready = await client.get("/v1/models"), await client.get("/readyz")
        missing = await client.get("/v1/models/nobody")

    validator("ModelList", closed=True).validate(models.body)
    validator("Status", closed=True).validate(ready.body)
    validator("Error", closed=True).validate(missing.body)


async def test_errors_of_messages_have_the_shape_of_its_api_whoever_raises_them():
    broken = Refusing(WorkerError("down", kind="server"))
    async with serving(pool_of(broken, retries=0)) as client:
        no_method = await client.get("/v1/messages")
        data = json.dumps({"model": "partbook", "messages": ASK, "max_tokens": 5}).encode()
        failed = await client.post("/v1/messages", data)

    assert (no_method.status, no_method.headers["Allow"]) == (405, "POST")
    assert failed.status == 502
    for reply in (no_method, failed):
        validator("MessagesError", closed=True).validate(reply.body)


READERS = {
    "ChatRequest": (read_chat, {"messages": ASK}),
    "ResponsesRequest": (read_responses, {"input": "x"}),
    "MessagesRequest": (read_anthropic, {"messages": ASK, "max_tokens": 5}),
}
GOOD = [
    ("ChatRequest", {"max_tokens": 5.0}),
    ("ChatRequest", {"max_usd": "1.5e-3", "max_calls": 0, "stop": []}),
    ("ChatRequest", {"messages": [*ASK, {"role": "assistant"}, *ASK]}),
    ("ChatRequest", {"function_call": "auto", "modalities": ["text"], "logprobs": False}),
    ("ResponsesRequest", {"previous_response_id": "", "background": False}),
    ("ResponsesRequest", {"input": [{"type": "reasoning"}, {"role": "user", "content": "x"}]}),
    ("MessagesRequest", {"stop_sequences": "END", "thinking": {"type": "disabled"}}),
    ("MessagesRequest", {"system": [{"type": "text", "text": "Be brief."}]}),
]


def of(role: str, block: dict) -> dict:
    """A body whose last turn has one block."""
    return {"messages": [*ASK, {"role": role, "content": [block]}]}


USE = {"type": "tool_use", "id": "a", "name": "b", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
BAD = [
    ("ChatRequest", {"model": ""}),
    ("ChatRequest", {"max_usd": "1_000"}),
    ("ChatRequest", {"max_usd": " 1"}),
    ("ChatRequest", {"max_usd": "1e999"}),
    ("ChatRequest", {"max_usd": "NaN"}),
    ("ChatRequest", {"max_tokens": 5.5}),
    ("ChatRequest", {"tools": TOOLS, "tool_choice": {"function": {"name": "time"}}}),
    ("ChatRequest", {"messages": [*ASK, {"role": "assistant", "content": "x", "tool_calls": ""}]}),
    ("ChatRequest", {"messages": [*ASK, {"role": "assistant", "content": "x", "tool_calls": 0}]}),
    ("ResponsesRequest", {"previous_response_id": 0}),
    ("ResponsesRequest", {"prompt": {}}),
    ("ResponsesRequest", {"input": [{"role": "user", "content": "x"}] * 2000}),
    ("MessagesRequest", {"messages": ASK * 2000}),
    ("MessagesRequest", of("user", {"type": "thinking"})),
    ("MessagesRequest", of("assistant", USE | {"id": 5})),
    ("MessagesRequest", of("assistant", USE | {"input": 5})),
    ("MessagesRequest", of("user", RESULT | {"tool_use_id": ""})),
    ("MessagesRequest", of("user", RESULT | {"content": 5})),
]


@pytest.mark.parametrize(("schema", "fields"), GOOD)
def test_what_the_document_allows_is_read(schema, fields):
    read, usual = READERS[schema]
    body = {"model": "m", **usual, **fields}

    validator(schema).validate(body)
    assert read(body, {}, strict=True).model == "m"


@pytest.mark.parametrize(("schema", "fields"), BAD)
def test_what_the_document_does_not_allow_is_refused(schema, fields):
    read, usual = READERS[schema]
    body = {"model": "m", **usual, **fields}

    assert not validator(schema).is_valid(body)
    with pytest.raises(Refusal) as refused:
        read(body, {}, strict=False)
    assert refused.value.status == 400


@pytest.mark.parametrize("value", ["1_0", "+5", " 5", "٥", "0x5", "", "inf"])
def test_a_limit_in_a_header_is_a_plain_number(value):
    body = {"model": "m", "messages": ASK}

    for name in ("x-partbook-max-calls", "x-partbook-timeout-s", "x-partbook-max-usd"):
        with pytest.raises(Refusal) as refused:
            read_chat(body, {name: value}, strict=False)
        assert refused.value.status == 400
