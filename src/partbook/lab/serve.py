"""The lab's workers as an OpenAI-compatible endpoint, for anybody's client.

A model is a worker, by its name. A single user message is question and subtask in one; the forms
of `prompt.worker_messages` are taken apart again (see `worker.heard`). Usage counts words: what
stands between white space in all messages, and in the answer. `seed`, `stop` and the limit of the
completion count; other fields are accepted and change nothing, since the workers are scripts.
There are no keys and no limits: it is meant for this machine.
"""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from partbook.errors import ConfigError
from partbook.lab.pool import PROFILES, lab_pool
from partbook.lab.values import fraction
from partbook.message import Completion, Message, Role, Sampling, Usage
from partbook.pool import AgentPool

__all__ = ["lab_endpoint"]

_POOL = web.AppKey("pool", AgentPool)

_CREATED = 0
"""The lab has no clock: the same request gives the same bytes."""

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}


def lab_endpoint(seed: int = 0) -> web.Application:
    """The application; the seed is the world's.

    Routes: `POST /v1/chat/completions`, `GET /v1/models`, `GET /v1/models/{name}`.
    """
    app = web.Application(client_max_size=4 * 1024**2)
    app[_POOL] = lab_pool(seed)
    app.router.add_post("/v1/chat/completions", _chat)
    app.router.add_get("/v1/models", _models)
    app.router.add_get("/v1/models/{name}", _model)
    return app


class _Refused(Exception):
    """A request that cannot be answered, with the field that is at fault."""

    def __init__(self, message: str, param: str | None, status: int = 400) -> None:
        super().__init__(message)
        self.param = param
        self.status = status


async def _models(request: web.Request) -> web.Response:
    return web.json_response(
        {"object": "list", "data": [_described(name) for name in request.app[_POOL].names]}
    )


async def _model(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    try:
        request.app[_POOL].find(name)
    except ConfigError:
        return _error(_unknown(name))
    return web.json_response(_described(name))


async def _chat(request: web.Request) -> web.StreamResponse:
    pool = request.app[_POOL]
    try:
        body = _json(await request.read())
        name, messages, sampling = _model_name(body, pool), _messages(body), _sampling(body)
    except _Refused as err:
        return _error(err)
    completion = await pool[pool.find(name)].model.chat(messages, sampling)
    if body.get("stream") is True:
        return await _streamed(request, completion, body)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": completion.text},
        "finish_reason": completion.finish_reason,
    }
    return web.json_response(
        _envelope("chat.completion", completion)
        | {"choices": [choice], "usage": _usage(completion.usage)}
    )


async def _streamed(
    request: web.Request, completion: Completion, body: Mapping[str, Any]
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)

    async def send(**fields: object) -> None:
        chunk = _envelope("chat.completion.chunk", completion) | fields
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())

    def choice(delta: dict[str, str], reason: str | None = None) -> list[dict[str, object]]:
        return [{"index": 0, "delta": delta, "finish_reason": reason}]

    await send(choices=choice({"role": "assistant", "content": ""}))
    words = completion.text.split(" ")
    for i, word in enumerate(words):
        await send(choices=choice({"content": word + (" " if i < len(words) - 1 else "")}))
    await send(choices=choice({}, completion.finish_reason))
    options = body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") is True:
        await send(choices=[], usage=_usage(completion.usage))
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


def _json(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as err:
        raise _Refused("the body is no JSON", None) from err
    if not isinstance(body, dict):
        raise _Refused("the body must be a JSON object", None)
    return body


def _model_name(body: Mapping[str, Any], pool: AgentPool) -> str:
    name = body.get("model")
    if not isinstance(name, str):
        raise _Refused("model must be a text", "model")
    if name not in pool.names:
        raise _unknown(name)
    return name


def _messages(body: Mapping[str, Any]) -> list[Message]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _Refused("messages must be a list with at least one message", "messages")
    return [_message(i, message) for i, message in enumerate(messages)]


def _message(i: int, message: object) -> Message:
    where = f"messages[{i}]"
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(role, str) or role not in _ROLES:
        raise _Refused(f"{where} must have a role of {', '.join(_ROLES)}", where)
    content = message.get("content")
    if isinstance(content, str):
        return Message(_ROLES[role], content)
    if isinstance(content, list) and all(_is_text(part) for part in content):
        return Message(_ROLES[role], "".join(part["text"] for part in content))
    raise _Refused(f"{where}.content must be a text or a list of text parts", where)


def _is_text(part: object) -> bool:
    return (
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def _sampling(body: Mapping[str, Any]) -> Sampling:
    asked = (body.get(name) for name in ("max_completion_tokens", "max_tokens"))
    limit = next((value for value in asked if value is not None), Sampling().max_tokens)
    if type(limit) is not int or limit < 1:
        raise _Refused("max_tokens must be an integer from 1", "max_tokens")
    seed = body.get("seed")
    if seed is not None and type(seed) is not int:
        raise _Refused("seed must be an integer", "seed")
    stop = body.get("stop") or []
    stops = [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or not all(isinstance(text, str) for text in stops):
        raise _Refused("stop must be a text or a list of texts", "stop")
    return Sampling(max_tokens=limit, seed=seed, stop=tuple(stops))


def _unknown(name: str) -> _Refused:
    known = ", ".join(profile.name for profile in PROFILES)
    return _Refused(f"there is no model {name!r}; the lab has {known}", "model", 404)


def _error(err: _Refused) -> web.Response:
    code = "model_not_found" if err.status == 404 else None
    return web.json_response(
        {
            "error": {
                "message": str(err),
                "type": "invalid_request_error",
                "param": err.param,
                "code": code,
            }
        },
        status=err.status,
    )


def _described(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "partbook-lab"}


def _envelope(kind: str, completion: Completion) -> dict[str, object]:
    return {
        "id": f"chatcmpl-{int(fraction(completion.text) * 10**12):012d}",
        "object": kind,
        "created": _CREATED,
        "model": completion.model,
    }


def _usage(usage: Usage | None) -> dict[str, int]:
    usage = usage or Usage()
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
