"""The access log: a line of JSON for each request, and the same facts for the metrics.

It says who asked for which model, how it ended, and what it took. It never holds a word of what was
asked or answered, no key, and no query string.
"""

import json
import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partbook.server.metrics import Metrics

__all__ = ["AccessLog", "access_log"]

access_log = logging.getLogger("partbook.access")
"""Where the lines go, at INFO; the command line gives it a handler."""

_ROUTES = {
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1/messages": "messages",
    "/v1/models": "models",
    "/healthz": "health",
    "/readyz": "health",
    "/metrics": "metrics",
    "/page/asks": "page",
}


class AccessLog:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and note how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.monotonic()
        # Filled by whoever answers; what it holds goes into the line.
        note: dict[str, Any] = scope.setdefault("state", {}).setdefault("note", {})
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            if note.pop("gone", False):
                status = 499  # as nginx calls it: the client closed the request
            seconds = time.monotonic() - begun
            route = _ROUTES.get(scope["path"], "other")
            self._metrics.answered(route, status, seconds)
            if access_log.isEnabledFor(logging.INFO) and route not in ("health", "metrics"):
                line = {
                    "at": round(time.time(), 3),
                    "method": scope["method"],
                    "path": scope["path"][:200],
                    "status": status,
                    "seconds": round(seconds, 4),
                    **note,
                }
                access_log.info("%s", json.dumps(line))
