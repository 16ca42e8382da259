"""The bodies of requests, read as far as they may be long, and of replies, as JSON."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from partbook.server.refusal import Refusal
from partbook.spend_json import to_json

__all__ = ["body_of", "json_reply"]


async def body_of(request: Request, most_bytes: int) -> bytes:
    """Read a body.

    Raises:
        Refusal: it is longer, or says that it will be.
        ClientDisconnect: the client went away before it was whole.
    """
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > most_bytes:
        raise _too_large(most_bytes)
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > most_bytes:
            raise _too_large(most_bytes)
        pieces.append(piece)
    return b"".join(pieces)


def json_reply(
    data: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A reply in JSON.

    It is pure ASCII: what a client or a model wrote may hold half a surrogate pair, which UTF-8
    cannot.
    """
    return Response(to_json(data), status, headers, "application/json")


def _too_large(most: int) -> Refusal:
    return Refusal(
        f"a body of at most {most} bytes was expected",
        status=413,
        kind="invalid_request_error",
        code="request_too_large",
    )
