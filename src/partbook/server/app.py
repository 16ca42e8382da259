"""The application: the routes of one server, and what all of them share.

Requests are read here, as far as their headers and their size; what is in a body is left to
`chat_request.py`. Every error, whoever raises it, leaves in the shape of the API that was spoken
to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from partbook.server.access_log import AccessLog
from partbook.server.admission import Admission, Holder
from partbook.server.anthropic_dialect import AnthropicDialect, anthropic_error
from partbook.server.anthropic_request import read_anthropic
from partbook.server.body import body_of, json_reply
from partbook.server.chat_dialect import ChatDialect
from partbook.server.chat_request import ChatRequest, read_chat
from partbook.server.dialect import Dialect
from partbook.server.fields import parsed
from partbook.server.follow_up import FollowUps, Turn
from partbook.server.job import Job
from partbook.server.metrics import Metrics
from partbook.server.openapi import openapi_document
from partbook.server.refusal import Refusal
from partbook.server.responses_dialect import ResponsesDialect
from partbook.server.responses_request import read_responses
from partbook.server.running import Running
from partbook.server.served import Alone, Offer, Served
from partbook.server.shadow import Shadow
from partbook.server.shadowed import Shadowed
from partbook.server.siblings import Siblings
from partbook.server.stream import KEEP_ALIVE_S, StreamedAnswer
from partbook.server.tools import Callers
from partbook.server.traces import shown_trace
from partbook.server.whole import WholeAnswer

__all__ = ["Endpoint", "ExtraRoutes"]

MAX_BODY_BYTES = 8 * 2**20
"""Longest body of a request."""

MOST_AT_ONCE = 2000
"""Most requests that are answered at the same time."""


_Answering = WholeAnswer | StreamedAnswer | Shadowed | Response

ExtraRoutes = Callable[[Running, Metrics], Sequence[BaseRoute]]
"""Makes further routes, whose requests are counted among the others and end as they do."""


class _Read(Protocol):
    def __call__(
        self, body: Mapping[str, Any], headers: Mapping[str, str], *, strict: bool
    ) -> ChatRequest: ...


class Endpoint:
    """One server's routes; `app` is the ASGI application."""

    def __init__(
        self,
        served: Served,
        admission: Admission,
        *,
        max_body_bytes: int = MAX_BODY_BYTES,
        most_at_once: int = MOST_AT_ONCE,
        keep_alive_s: float = KEEP_ALIVE_S,
        extra_routes: ExtraRoutes | None = None,
        shadow: Shadow | None = None,
        siblings: Siblings | None = None,
    ) -> None:
        """Put it together.

        Args:
            served: what is offered.
            admission: who may ask.
            max_body_bytes: longest body of a request.
            most_at_once: most requests that are answered at the same time.
            keep_alive_s: longest silence of a stream, in seconds.
            extra_routes: what else is answered, such as the page; None: nothing.
            shadow: takes a share of what is answered; None: nobody does.
            siblings: other processes that answer on the same port; None: there are none.
        """
        self.served = served
        self.metrics = Metrics()
        self.running = Running(most_at_once)
        self.running.watchers.append(self._count)
        self.shadow = shadow
        self._siblings = siblings
        self._admission = admission
        self._callers = Callers()
        self._follow_ups = FollowUps()
        self._max_body_bytes = max_body_bytes
        self._keep_alive_s = keep_alive_s
        routes: list[BaseRoute] = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/responses", self._responses, methods=["POST"]),
            Route("/v1/messages", self._messages, methods=["POST"]),
            Route("/v1/models", self._models, methods=["GET"]),
            Route("/v1/models/{name:path}", self._model, methods=["GET"]),
            Route("/v1/runs/{run_id}", self._run, methods=["GET"]),
            Route("/healthz", _healthy, methods=["GET"]),
            Route("/readyz", self._ready, methods=["GET"]),
            Route("/metrics", self._metrics_text, methods=["GET"]),
            Route("/openapi.json", _openapi, methods=["GET"]),
        ]
        if shadow is not None:
            shadow.watch(self.running)
            routes.append(Route("/v1/shadow", self._shadow_state, methods=["GET"]))
        if extra_routes is not None:
            routes += extra_routes(self.running, self.metrics)
        handlers: dict[Any, Any] = {
            Refusal: _refused,
            HTTPException: _http_error,
            Exception: _bug,
        }
        inner = Starlette(routes=routes, exception_handlers=handlers)
        inner.router.redirect_slashes = False
        self.app: ASGIApp = AccessLog(inner, self.metrics)

    def _count(self) -> None:
        """Somebody has come or gone; other processes tell of it, too, so it is known at once."""
        self.metrics.in_flight = len(self.running)

    async def _chat(self, request: Request) -> _Answering:
        return await self._answer(request, read_chat, ChatDialect)

    async def _responses(self, request: Request) -> _Answering:
        return await self._answer(request, read_responses, ResponsesDialect)

    async def _messages(self, request: Request) -> _Answering:
        return await self._answer(request, read_anthropic, AnthropicDialect)

    async def _answer(
        self, request: Request, read: _Read, spelling: Callable[[Job], Dialect]
    ) -> _Answering:
        """Take a request as far as it can be refused, and give what answers it.

        Args:
            request: its body is not read yet.
            read: what makes a request of its body and headers.
            spelling: how the reply is spelt.
        """
        # Looked into a dozen times; where a name stands twice, the first one counts.
        headers = dict(reversed(request.headers.items()))
        holder = await self._admission.admit(headers)
        self.running.check()
        if holder.rate is not None:
            await holder.rate.take()
        try:
            body = await body_of(request, self._max_body_bytes)
        except ClientDisconnect:
            return Response(status_code=499)
        asked = read(parsed(body), headers, strict=self.served.strict)
        offer = self.served.offer(asked.model, holder.workers)
        if holder.account is not None:
            await holder.account.check()
        offer, turn = self._or_one_worker(offer, asked, holder)
        job = Job(self.served, asked, offer, holder, self.metrics, self._callers, turn)
        dialect = spelling(job)
        note = request.state.note
        answer: WholeAnswer | StreamedAnswer = (
            StreamedAnswer(job, dialect, self.running, note, self._keep_alive_s)
            if asked.stream
            else WholeAnswer(job, dialect, self.running, note)
        )
        return answer if self.shadow is None else Shadowed(answer, job, self.shadow)

    def _or_one_worker(
        self, offer: Offer, asked: ChatRequest, holder: Holder
    ) -> tuple[Offer, Turn | None]:
        """The offer, or the one worker that goes on; and how the conversation does."""
        if isinstance(offer, Alone):
            return offer, None
        served, allowed = self.served, holder.workers
        caller = self._callers.asked(holder.key_id, asked.conversation.messages)
        if caller is not None and allowed is not None and caller not in allowed:
            caller = None
        turn, name = None, caller
        if offer.writes_workflows:
            names = ["*"] if allowed is None else sorted(allowed)
            scope = [holder.key_id, offer.model, *names]
            mode = asked.follow_ups or served.follow_ups
            pool = served.pool_for(offer, allowed)
            turn = self._follow_ups.turn(asked, scope, pool, mode, caller)
            if turn.plan == "one-worker" and turn.kept is not None:
                name = turn.kept.worker
        if name is None:
            return offer, turn
        return Alone(offer.model, served.pool[served.pool.find(name)]), turn

    async def _models(self, request: Request) -> Response:
        holder = await self._admission.admit(request.headers)
        names = self.served.names(holder.workers)
        data = [self.served.described(name) for name in names]
        return json_reply({"object": "list", "data": data})

    async def _model(self, request: Request) -> Response:
        holder = await self._admission.admit(request.headers)
        name = request.path_params["name"]
        self.served.offer(name, holder.workers)
        return json_reply(self.served.described(name))

    async def _run(self, request: Request) -> Response:
        holder = await self._admission.admit(request.headers)
        trace = await shown_trace(self.served, holder, request.path_params["run_id"])
        return json_reply(trace, headers={"Cache-Control": "no-store"})

    async def _shadow_state(self, request: Request) -> Response:
        await self._admission.admit(request.headers)
        assert self.shadow is not None
        return json_reply(self.shadow.to_dict(), headers={"Cache-Control": "no-store"})

    async def _ready(self, _: Request) -> Response:
        if self.running.is_stopping:
            return json_reply({"status": "stopping"}, 503)
        return json_reply({"status": "ready", "model": self.served.pin})

    async def _metrics_text(self, request: Request) -> Response:
        await self._admission.admit(request.headers)
        siblings = self._siblings
        text = self.metrics.text() if siblings is None else siblings.text(self.metrics)
        text += "" if self.shadow is None else self.shadow.metrics_text()
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


async def _healthy(_: Request) -> Response:
    return json_reply({"status": "ok"})


async def _openapi(_: Request) -> Response:
    return json_reply(openapi_document())


async def _refused(request: Request, err: Refusal) -> Response:
    request.state.note["error"] = err.code or err.kind
    return json_reply(_spelt(request, err), err.status, err.headers())


def _spelt(request: Request, err: Refusal) -> dict[str, Any]:
    """An error in the shape of the API that was spoken to."""
    return anthropic_error(err) if request.url.path == "/v1/messages" else err.body()


async def _http_error(request: Request, err: HTTPException) -> Response:
    """No route, or none for the method."""
    message = f"there is no {request.method} {request.url.path[:200]} here"
    code = "unknown_url" if err.status_code == 404 else "method_not_allowed"
    refusal = Refusal(message, status=err.status_code, kind="invalid_request_error", code=code)
    return json_reply(_spelt(request, refusal), err.status_code, dict(err.headers or {}))


async def _bug(request: Request, _: Exception) -> Response:
    """What nobody expected; the server's log has it in full."""
    refusal = Refusal("the server failed", status=500, kind="server_error", code="internal")
    return json_reply(_spelt(request, refusal), 500)
