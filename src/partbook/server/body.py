"""The body of a request, read as far as it may be long."""

from starlette.requests import Request

from partbook.server.refusal import Refusal

__all__ = ["body_of"]


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


def _too_large(most: int) -> Refusal:
    return Refusal(
        f"a body of at most {most} bytes was expected",
        status=413,
        kind="invalid_request_error",
        code="request_too_large",
    )
