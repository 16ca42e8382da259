"""A key is planted, a provider quotes it back in many ways, and all that was written is read.

The command runs as a process of its own whose home, caches, store, recording and temporary files
lie in one folder.
"""

import base64
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

KEY = f"sk-{secrets.token_urlsafe(24)}+/=="
"""With characters that URLs and base64 spell in other ways."""

SPELLINGS = [
    KEY,
    quote(KEY),
    quote(KEY, safe=""),
    base64.b64encode(KEY.encode()).decode().rstrip("="),
    base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
]
QUOTED = " ".join(SPELLINGS)


@dataclass
class Provider:
    """Answers as the test wants, and quotes the key wherever there is room."""

    url: str = ""
    status: int = 200
    body: bytes = b""
    location: str = ""
    hangs: bool = False
    asked: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    authorizations: list[str] = field(default_factory=list)


@pytest.fixture
def provider() -> Iterator[Provider]:
    told = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.authorizations.append(self.headers["Authorization"])
            told.asked.set()
            if told.hangs:
                told.over.wait(60)
                return
            streamed = asked.get("stream") and told.status == 200
            body = _stream(told.body) if streamed else told.body
            self.send_response(told.status)
            kind = "text/event-stream" if streamed else "application/json"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Echo", self.headers["Authorization"])
            if told.location:
                self.send_header("Location", told.location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield told
    told.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


def answer(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    return json.dumps({"model": f"m-{KEY}", "choices": [choice], "usage": usage}).encode()


def _stream(body: bytes) -> bytes:
    """The same reply in events of seven letters each."""
    reply = json.loads(body)
    text = reply["choices"][0]["message"]["content"]
    events = []
    for start in range(0, len(text), 7):
        choice = {"index": 0, "delta": {"content": text[start : start + 7]}, "finish_reason": None}
        events.append({"model": reply["model"], "choices": [choice]})
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    events.append({"model": reply["model"], "choices": [last], "usage": reply["usage"]})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


class Home:
    """The folder that everything is written into, and the command that writes."""

    def __init__(self, folder: Path, provider: Provider, by_file: bool) -> None:
        self.folder, self.env = folder, dict(os.environ)
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        self.env |= {
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "PARTBOOK_STORE": str(folder / "runs.db"),
            "PYTHONASYNCIODEBUG": "1",  # it logs what it finds odd
        }
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            self.env[name] = str(folder / "home" / name)
        key = 'key_env = "PLANTED"'
        self.env["PLANTED"] = KEY
        if by_file:
            key = 'key_file = "../planted.key"'
            del self.env["PLANTED"]
            planted = folder.parent / "planted.key"
            planted.write_text(KEY)
            planted.chmod(0o600)
        self.pool = folder / "pool.toml"
        self.pool.write_text(
            'name = "mine"\nworkflow = "single"\n[[workers]]\nname = "far"\nkind = "http"\n'
            f'model = "m"\nendpoint = "{provider.url}"\nroles = ["general"]\n'
            f"retries = 1\ncache = true\n{key}\n"
        )

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        command = ["run", "--pool", str(self.pool), *options, "What is 2 + 2?"]
        with (self.folder / "stdout").open("wb") as out, (self.folder / "stderr").open("wb") as err:
            return subprocess.Popen(
                [sys.executable, "-m", "partbook", *command],
                env=self.env,
                cwd=self.folder,
                stdout=out,
                stderr=err,
            )

    def run(self, *options: str) -> int:
        return self.start(*options).wait(60)

    def written(self) -> dict[str, bytes]:
        """All files with what is in them."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def assert_no_key(self) -> None:
        """In no file, under no name, in no spelling, and neither is any long part of it."""
        for name, content in self.written().items():
            for spelling in [*SPELLINGS, KEY[: len(KEY) // 2], KEY[len(KEY) // 2 :]]:
                assert spelling.encode() not in content, f"{name} holds the key"
                assert spelling not in name


@pytest.fixture
def home(tmp_path, provider, request) -> Home:
    folder = tmp_path / "all"
    folder.mkdir()
    return Home(folder, provider, by_file=getattr(request, "param", "") == "by_file")


@pytest.mark.parametrize(
    ("home", "option"),
    [("by_variable", "--show"), ("by_variable", "--json"), ("by_file", "--no-show")],
    indirect=["home"],
)
def test_an_answer_that_quotes_the_key_is_shown_and_kept_without_it(home, provider, option):
    provider.body = answer(f"4. You sent {QUOTED}")

    status = home.run(option, "--record", str(home.folder / "recording"))

    assert (status, provider.authorizations) == (0, [f"Bearer {KEY}"])
    home.assert_no_key()
    for name in ("runs.db", "stdout", "recording", "home"):  # the cache is in the home
        found = [data for file, data in home.written().items() if file.startswith(name)]
        assert b"[key]" in b"".join(found), name


LONG = "x" * 470
"""Fills an error message so far that it is cut off within the key."""


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, json.dumps({"error": {"message": f"{QUOTED} {LONG[len(QUOTED) :]} {KEY}"}})),
        (500, f"{LONG} Authorization: Bearer {KEY}"),
        (200, json.dumps({"error": {"message": QUOTED, "code": 503}, "choices": QUOTED})),
        (307, ""),
    ],
)
def test_an_error_that_quotes_the_key_is_told_and_kept_without_it(home, provider, status, said):
    provider.status, provider.body = status, said.encode()
    if status == 307:
        provider.location = f"http://127.0.0.1:9/{quote(KEY)}?key={quote(KEY, safe='')}"

    assert home.run("--no-show", "--record", str(home.folder / "recording")) == 1

    assert set(provider.authorizations) == {f"Bearer {KEY}"}
    assert b"failed: worker 'far': m at 127.0.0.1:" in home.written()["stderr"]
    home.assert_no_key()


def test_a_time_out_and_an_interruption_leave_no_key_behind(home, provider):
    provider.hangs = True

    assert home.run("--no-show", "--timeout", "1") == 1
    home.assert_no_key()

    provider.asked.clear()
    with home.start("--show") as process:
        assert provider.asked.wait(30)
        home.assert_no_key()
        process.send_signal(signal.SIGINT)

    assert process.returncode == 130
    home.assert_no_key()


def test_a_killed_run_leaves_no_key_in_its_journal(home, provider):
    provider.hangs = True
    with home.start("--no-show") as process:
        assert provider.asked.wait(30)
        process.kill()

    assert process.returncode == -signal.SIGKILL
    assert [name for name in home.written() if "unfinished" in name]
    home.assert_no_key()


def test_no_span_holds_the_key_even_where_answers_are_on_spans(home, provider):
    needs = "needs pip install 'partbook[otel]'"
    collector_of = pytest.importorskip("tests.telemetry.collector", reason=needs)
    provider.body = answer(f"4. You sent {QUOTED}")
    with collector_of.collecting() as collector:
        home.env |= {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint}
        home.env |= {"PARTBOOK_OTEL_CONTENT": "1"}
        home.run("--no-show")

    sent = b"".join(collector.bodies)
    assert b"You sent [key]" in sent
    assert not [spelling for spelling in SPELLINGS if spelling.encode() in sent]


def test_the_search_would_find_a_key(home):
    (home.folder / "tmp" / "leak").write_text(f"x{base64.b64encode(KEY.encode()).decode()}x")

    with pytest.raises(AssertionError, match="leak holds the key"):
        home.assert_no_key()
