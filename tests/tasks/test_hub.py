"""The hub's side is a small server on loopback that answers as the hub does."""

import http.server
import json
import subprocess
import sys
import threading

import pytest

from partbook.tasks.catalogue import FAMILIES
from tests.tasks.own_rows import MATH500

MATH, EXPERTS = FAMILIES["math500"].source, FAMILIES["gpqa"].source
BODY = "".join(json.dumps({**MATH500[0], "unique_id": f"ours/{i}"}) + "\n" for i in range(500))

ASK = """
import sys
from pathlib import Path
from partbook.errors import ConfigError
from partbook.tasks.catalogue import load_task
try:
    task = load_task(sys.argv[1])
except ConfigError as err:
    print("error:", err)
else:
    print(len(task.split("test")), task.source)
"""


class Hub(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        if self.path == f"/datasets/{MATH.repo}/resolve/{MATH.revision}/test.jsonl":
            self.reply(200, BODY.encode(), {"X-Repo-Commit": MATH.revision, "ETag": '"abc"'})
        elif EXPERTS.repo in self.path:
            self.reply(403, b"", {"X-Error-Code": "GatedRepo", "X-Error-Message": "restricted"})
        else:
            self.reply(404, b"", {"X-Error-Code": "EntryNotFound"})

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def ask(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def one(task, **more):
        env = {
            "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
            "HF_HOME": str(tmp_path / "hub"),
            "PATH": "",
            **more,
        }
        done = subprocess.run(
            [sys.executable, "-c", ASK, task], env=env, capture_output=True, text=True, timeout=60
        )
        return done.stdout.strip() or done.stderr

    yield one
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_task_comes_from_the_hub_at_its_revision_and_then_from_the_cache(ask):
    first = ask("math500")
    again = ask("math500", HF_HUB_OFFLINE="1")

    assert first == again == f"100 {MATH.repo}@{MATH.revision}"


def test_a_gated_set_says_what_to_accept_and_where(ask):
    assert ask("gpqa") == (
        "error: Idavidrein/gpqa is gated: open https://huggingface.co/datasets/Idavidrein/gpqa, "
        "log in, accept its terms, then run `hf auth login` or set HF_TOKEN to a token of that "
        "account; or download the files there and say --data FOLDER"
    )


def test_without_the_hub_it_says_what_to_download_by_hand(ask):
    assert ask("aime25", HF_HUB_OFFLINE="1") == (
        "error: the hub cannot be reached; download by hand\n"
        "  https://huggingface.co/datasets/math-ai/aime25/resolve/"
        "563bb8404243c5f09de6ec262f2db674fe5bce9b/test.jsonl\n"
        "into one folder and say --data FOLDER"
    )


def test_a_file_that_is_gone_is_told(ask):
    assert ask("aime26").startswith("error: math-ai/aime26 at 79037aebdb6580008fb960d17cb21fd309")
