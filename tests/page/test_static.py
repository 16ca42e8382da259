"""The built files: policy, caching, and nothing outside their folder."""

import gzip

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from yarl import URL

from partbook.page.static import HEADERS, Static
from tests.fakes import pool_of
from tests.page.live import page_serving
from tests.server.models import Saying

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)

ADDRESSES = (
    "/",
    "/ask/abc",
    "/runs",
    "/runs/abc",
    "/compare",
    "/reports",
    "/reports/out/rivals",
    "/training",
    "/training/out/tiny",
    "/spend",
)


@pytest.fixture
def built(tmp_path):
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Partbook</title>")
    (folder / "assets" / "index-abc.js").write_text("let x = 1;\n" * 500)
    (folder / "assets" / "font-abc.woff2").write_bytes(b"\0" * 2000)
    (tmp_path / "secret.txt").write_text("hidden words")
    (folder / "assets" / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


async def got(tmp_path, folder, *paths, **headers):
    pool = pool_of(Saying(("42",)))
    async with page_serving(pool, tmp_path / "runs.db", static=Static(folder)) as client:
        found = []
        for path in paths:
            url = URL(client.url + path, encoded=True)  # as it stands here
            async with client.session.get(url, headers=headers) as reply:
                found.append((reply.status, dict(reply.headers), await reply.read()))
        return found


async def test_every_address_gives_the_page_with_its_policy(tmp_path, built):
    found = await got(tmp_path, built, *ADDRESSES)

    for status, headers, body in found:
        assert status == 200
        assert body.startswith(b"<!doctype html><title>Partbook</title>")
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-cache"


async def test_files_with_hashed_names_are_kept_for_good(tmp_path, built):
    [(status, headers, body)] = await got(tmp_path, built, "/assets/index-abc.js")

    assert status == 200
    assert headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert body.startswith(b"let x = 1;")


async def test_texts_are_packed_for_those_who_can_unpack_them(tmp_path, built):
    pool = pool_of(Saying(("42",)))
    async with page_serving(pool, tmp_path / "runs.db", static=Static(built)) as client:
        replies = []
        for path in ("/assets/index-abc.js", "/assets/font-abc.woff2"):
            reply = await client.session.get(
                client.url + path, headers={"Accept-Encoding": "gzip"}, auto_decompress=False
            )
            replies.append((reply.headers.get("Content-Encoding"), await reply.read()))

    assert replies[0][0] == "gzip"
    assert gzip.decompress(replies[0][1]) == b"let x = 1;\n" * 500
    assert replies[1] == (None, b"\0" * 2000)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/link.txt",
        "/assets//etc/passwd",
        "/assets/%00",
        "/assets/" + "x" * 5000,
        "/assets/",
        "/index.html",
    ],
)
async def test_nothing_outside_the_folder_is_shown(tmp_path, built, path):
    [(status, _, body)] = await got(tmp_path, built, path)

    assert status == 404
    assert b"hidden words" not in body


async def test_missing_files_are_said_to_be_missing(tmp_path):
    [(status, headers, body)] = await got(tmp_path, tmp_path / "nothing", "/")

    assert status == 503
    assert b"npm run build" in body
    assert headers["Content-Security-Policy"] == POLICY


async def test_a_file_that_was_built_again_is_shown_at_once(tmp_path, built):
    pool = pool_of(Saying(("42",)))
    async with page_serving(pool, tmp_path / "runs.db", static=Static(built)) as client:
        await client.get("/")
        (built / "index.html").write_text("<!doctype html><title>New</title>")
        again = await client.get("/")

    assert again.body == "<!doctype html><title>New</title>"
