"""The OpenAPI document of a server: what it takes and gives, for generators of clients and fuzzers.

It says the same of every server and nothing of what one offers, so it needs no key. Bodies are
described in `openapi_chat.py`, `openapi_requests.py` and `openapi_replies.py`, headers in
`openapi_headers.py`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

from partbook.server.openapi_headers import ERROR_HEADERS, REPLY_HEADERS, REQUEST_HEADERS
from partbook.server.openapi_replies import REPLIES, STREAMS
from partbook.server.openapi_requests import REQUESTS
from partbook.server.openapi_schema import Schema, ref, text

__all__ = ["openapi_document"]

_WHY: Mapping[int, str] = {
    400: "The request is wrong, or asks for what cannot be done.",
    401: "No good key.",
    402: "A limit in dollars, calls or tokens is reached, or the budget of the key.",
    403: "Not for this key, or not from this machine.",
    404: "There is no such thing.",
    405: "There is no such method here.",
    413: "The body is too large.",
    429: "The key's rate, or a worker's.",
    500: "The server failed.",
    502: "A worker failed, the Conductor wrote no plan, or the answer has not the form asked for.",
    503: "A worker or this server is overloaded, or the server ends.",
    504: "A deadline was reached.",
}

_ASKING = (400, 401, 402, 403, 404, 405, 413, 429, 500, 502, 503, 504)
_LOOKING = (401, 403, 405, 500)
_OPEN = (405, 500)


@cache
def openapi_document() -> dict[str, object]:
    """The document, as JSON values (OpenAPI 3.1)."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Partbook",
            "version": version("partbook"),
            "summary": "A pool of workers behind one model name.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"key": []}],  # a server without keys takes any
        "paths": _paths(),
        "components": {
            "schemas": REQUESTS | REPLIES,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
    }


def _paths() -> Schema:
    return {
        "/v1/chat/completions": {
            "post": _asking("chat", "Answer", "ChatRequest", "ChatCompletion")
        },
        "/v1/responses": {
            "post": _asking(
                "responses", "Answer, as OpenAI's Responses API", "ResponsesRequest", "Response"
            )
        },
        "/v1/messages": {
            "post": _asking(
                "messages", "Answer, as Anthropic's messages API", "MessagesRequest", "Message"
            )
        },
        "/v1/models": {"get": _looking("models", "What can be asked for", "ModelList")},
        "/v1/models/{name}": {
            "get": _looking("model", "One of them", "Model", 404)
            | {"parameters": [_in_path("name", "It may hold a slash.")]}
        },
        "/v1/runs/{run_id}": {
            "get": _looking(
                "run", "The whole trace of a run, for keys that may see it", "Trace", 404
            )
            | {"parameters": [_in_path("run_id", "As `x-partbook-run-id` says it.")]}
        },
        "/healthz": {"get": _open("healthy", "Whether the process lives", _json("Status"))},
        "/readyz": {
            "get": _open("ready", "Whether it takes requests", _json("Status"), stops=True)
        },
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "Counts and seconds in Prometheus' text format",
                "responses": {
                    "200": {"description": "Metrics.", "content": _plain("text/plain")},
                    **_errors(_LOOKING, "Error"),
                },
            }
        },
        "/openapi.json": {
            "get": _open(
                "openapi", "This document", {"application/json": {"schema": {"type": "object"}}}
            )
        },
    }


def _asking(name: str, summary: str, request: str, reply: str) -> Schema:
    """An operation that asks for an answer."""
    error = "MessagesError" if reply == "Message" else "Error"
    good = {
        "description": f"The answer. {STREAMS[reply]}",
        "headers": _headers(REPLY_HEADERS),
        "content": _json(reply) | {"text/event-stream": {"schema": ref("Event")}},
        "links": {
            "trace": {
                "operationId": "run",
                "parameters": {"run_id": "$response.header.x-partbook-run-id"},
            }
        },
    }
    return {
        "operationId": name,
        "summary": summary,
        "parameters": [
            {"name": header, "in": "header", "schema": schema}
            for header, schema in REQUEST_HEADERS.items()
        ],
        "requestBody": {"required": True, "content": _json(request)},
        "responses": {"200": good, **_errors(_ASKING, error)},
    }


def _looking(name: str, summary: str, reply: str, *further: int) -> Schema:
    """An operation that looks something up."""
    return {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {"description": "It.", "content": _json(reply)},
            **_errors(sorted((*_LOOKING, *further)), "Error"),
        },
    }


def _open(name: str, summary: str, content: Schema, *, stops: bool = False) -> Schema:
    """An operation that needs no key."""
    responses: Schema = {"200": {"description": "It.", "content": content}}
    responses |= _errors(_OPEN, "Error")
    if stops:
        responses["503"] = {"description": "The server ends.", "content": content}
    return {"operationId": name, "summary": summary, "security": [], "responses": responses}


def _errors(statuses: tuple[int, ...] | list[int], schema: str) -> Schema:
    return {
        str(status): {
            "description": _WHY[status],
            "headers": _headers(ERROR_HEADERS.get(status, {})),
            "content": _json(schema),
        }
        for status in statuses
    }


def _headers(schemas: Mapping[str, Schema]) -> Schema:
    return {name: {"schema": schema} for name, schema in schemas.items()}


def _json(schema: str) -> Schema:
    return {"application/json": {"schema": ref(schema)}}


def _plain(kind: str) -> Schema:
    return {kind: {"schema": text()}}


def _in_path(name: str, about: str) -> Schema:
    schema = text(least=1)
    return {"name": name, "in": "path", "required": True, "description": about, "schema": schema}
