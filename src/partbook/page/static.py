"""The built page: its one HTML file at every address of the page, and its assets.

The files have hashed names, so they may be kept for good; the HTML file is asked for every time.
What the browser may do with them is said by the content-security policy: it loads nothing from
anywhere else and runs nothing but these files.
"""

import asyncio
import gzip
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from partbook.server.refusal import Refusal

__all__ = ["FOLDER", "HEADERS", "Static"]

FOLDER = Path(__file__).parent / "static"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_FOR_GOOD = "public, max-age=31536000, immutable"
_WORTH_PACKING = 1_000
_PACKED = frozenset({".css", ".html", ".js", ".json", ".svg", ".txt"})
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
"""Said here and not looked up: where a system takes `.js` for plain text, no browser runs it."""

_MISSING = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Partbook</title>
<h1>The page is not built</h1>
<p>Its files are missing. In a clone:
<code>cd web &amp;&amp; npm ci &amp;&amp; npm run build</code>.
<p>The API is there all the same: <code>/v1/chat/completions</code>.
"""


class Static:
    """Serves the files of one folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder.resolve()

    async def page(self, request: Request) -> Response:
        """The HTML file; where it is missing, a page that says so."""
        found = await asyncio.to_thread(self._file, "index.html", _packs(request))
        if found is None:
            return Response(_MISSING, 503, HEADERS | {"Cache-Control": "no-store"}, "text/html")
        return _response(found, "text/html; charset=utf-8", "no-cache")

    async def asset(self, request: Request) -> Response:
        """A file under `/assets/`.

        Raises:
            Refusal: there is none of this name.
        """
        name: str = request.path_params["name"]
        found = await asyncio.to_thread(self._file, f"assets/{name}", _packs(request))
        if found is None:
            raise Refusal(
                "there is no such file",
                status=404,
                kind="invalid_request_error",
                code="unknown_url",
            )
        kind = _KINDS.get(Path(name).suffix, "application/octet-stream")
        return _response(found, kind, _FOR_GOOD)

    def _file(self, name: str, packed: bool) -> tuple[bytes, bool] | None:
        """A file's bytes, and whether they are packed; None: there is none of this name."""
        if "\0" in name:
            return None
        try:
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder) or not path.is_file():
                return None
            is_packed = packed and path.suffix in _PACKED
            return _read(path, path.stat().st_mtime_ns, is_packed)
        except OSError:  # a name that is too long, or a file that is gone by now
            return None


@lru_cache(maxsize=256)
def _read(path: Path, _: int, packed: bool) -> tuple[bytes, bool]:
    """A file as it is at this time of its last change."""
    data = path.read_bytes()
    if packed and len(data) >= _WORTH_PACKING:
        return gzip.compress(data, 6, mtime=0), True
    return data, False


def _packs(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def _response(found: tuple[bytes, bool], kind: str, cache: str) -> Response:
    data, is_packed = found
    headers = HEADERS | {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    return Response(data, 200, headers, kind)
