"""One file from the Hugging Face hub, or from a mirror that speaks like it.

What the hub says about its file is compared with the pinned size and sha256 before anything is
fetched, so that a file that has changed there costs one request. The hash of what arrived is left
to `download.py`. Only the standard library is used: one file and one header do not need a client.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urljoin
from urllib.request import HTTPRedirectHandler, Request, build_opener

from partbook.errors import ConfigError
from partbook.models.registry import HubFile

__all__ = ["OnProgress", "fetch_from_hub", "hub_endpoint"]

OnProgress = Callable[[int, int], None]
"""Is told how many bytes are here, and how many there will be."""

ASK_TIMEOUT_S = 10.0
"""Longest wait for the hub's answer about a file: a hub that can be reached answers in one."""

READ_TIMEOUT_S = 30.0
"""Longest silence within a transfer."""

MAX_TRIES = 20
"""How often a cut transfer is taken up again; each time it must have come further."""

MAX_HOPS = 3
"""How many redirects lead to the answer about a file; a renamed repository needs one."""

CHUNK_BYTES = 256 * 1024


class _NoRedirect(HTTPRedirectHandler):
    """Hands a redirect back: the hub describes its file in the headers of the redirect itself."""

    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message
    ) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def hub_endpoint() -> str:
    """Base URL of the hub: `HF_ENDPOINT`, as the hub's own clients call it, or the hub itself."""
    return os.environ.get("HF_ENDPOINT") or "https://huggingface.co"


def fetch_from_hub(
    source: HubFile,
    part: Path,
    *,
    size_bytes: int,
    sha256: str,
    endpoint: str,
    on_progress: OnProgress,
) -> None:
    """Bring `part` to its full size, going on where an earlier transfer stopped.

    Args:
        source: where in the hub the file is.
        part: what is here so far; may be missing. Its content is not checked.
        size_bytes: the whole file's size.
        sha256: the whole file's hash, compared with what the hub says, not with the bytes.
        endpoint: base URL of the hub, http or https.
        on_progress: called with the file's bytes.

    Raises:
        ConfigError: the hub cannot be reached, lacks the file, has another one, or breaks off.
        OSError: `part` cannot be written.
    """
    if not endpoint.startswith(("http://", "https://")):
        raise ConfigError(f"hub: {endpoint!r} is no http or https URL (HF_ENDPOINT)")
    path = f"{source.repo}/resolve/{quote(source.revision, safe='')}/{quote(source.file)}"
    url = f"{endpoint.rstrip('/')}/{path}"
    with _network(url):
        described = _describe(url)
    _compare(described, url, size_bytes, sha256)
    for _ in range(MAX_TRIES):
        before = _size(part)
        if before >= size_bytes:
            return
        _append(url, part, before, size_bytes, on_progress)
        if _size(part) <= before:
            break
    if _size(part) < size_bytes:
        raise ConfigError(f"hub: {url} broke off at {_size(part)} of {size_bytes} bytes")


def _describe(url: str) -> Message:
    """The headers with which the hub describes a file, without fetching it."""
    opener = build_opener(_NoRedirect)
    for _ in range(MAX_HOPS):
        try:
            with opener.open(_request(url, method="HEAD"), timeout=ASK_TIMEOUT_S) as answer:
                described: Message = answer.headers
                return described
        except HTTPError as error:
            error.close()
            if error.code not in (301, 302, 303, 307, 308):
                raise
            if "X-Linked-Etag" in error.headers:
                return error.headers
            url = urljoin(url, error.headers.get("Location", ""))
    raise ConfigError(f"hub: {url} leads on and on")


def _compare(described: Message, url: str, size_bytes: int, sha256: str) -> None:
    """Refuse a file that is said to be another one; silence is no refusal."""
    tag = described.get("X-Linked-Etag") or described.get("ETag") or ""
    tag = tag.strip().removeprefix("W/").strip('"').lower()
    if re.fullmatch("[0-9a-f]{64}", tag) and tag != sha256:
        raise ConfigError(f"hub: {url} is another file: sha256 {tag}, expected {sha256}")
    size = described.get("X-Linked-Size") or described.get("Content-Length") or ""
    if size.isdecimal() and size.lstrip("0") != str(size_bytes):
        raise ConfigError(f"hub: {url} is another file: {size} bytes, expected {size_bytes}")


def _append(url: str, part: Path, start: int, size_bytes: int, on_progress: OnProgress) -> None:
    """One request from `start` on; a cut connection ends it without an error."""
    request = _request(url, headers={"Range": f"bytes={start}-"} if start else {})
    with _network(url):
        answer = build_opener().open(request, timeout=READ_TIMEOUT_S)
    with answer:
        resumed = answer.status == 206
        if resumed and not answer.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            raise ConfigError(f"hub: {url} sent another range than bytes {start}-")
        here = start if resumed else 0
        # A server without ranges sends the whole file again.
        with part.open("ab" if resumed else "wb") as file:
            for piece in _pieces(answer):
                file.write(piece[: size_bytes - here])
                here = min(here + len(piece), size_bytes)
                on_progress(here, size_bytes)
                if here == size_bytes:
                    return


def _pieces(answer: HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            piece = answer.read(CHUNK_BYTES)
        except (OSError, HTTPException):
            return
        if not piece:
            return
        yield piece


@contextmanager
def _network(url: str) -> Iterator[None]:
    """Turn what a connection can end in into one sentence."""
    try:
        yield
    except HTTPError as error:
        error.close()
        raise ConfigError(f"hub: {url} answered {error.code} {error.reason}") from error
    except (OSError, HTTPException, ValueError) as error:  # ValueError: it redirects to no URL
        why = error.reason if isinstance(error, URLError) else error
        raise ConfigError(f"hub: {url} cannot be reached: {why}") from error


def _request(url: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> Request:
    return Request(url, method=method, headers={"User-Agent": "partbook", **(headers or {})})


def _size(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0
