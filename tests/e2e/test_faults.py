"""What a user sees of faults: a fallback that answers, a cut answer that is said, a clear error."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

LAB = 'name = "near"\nkind = "lab"\nmodel = "gus"\nroles = ["write"]\n'
QUESTION = "Count the vowels in the word castle."


@contextmanager
def api(*replies: tuple[int, dict[str, Any]]) -> Iterator[str]:
    """A server that answers with these replies, the last one again and again."""
    left = list(replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body = left.pop(0) if len(left) > 1 else left[0]
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def pool(folder: Path, endpoint: str, more: str = "", others: str = "") -> str:
    path = folder / "pool.toml"
    path.write_text(
        'name = "mine"\nworkflow = "single"\n[[workers]]\nname = "far"\nkind = "http"\n'
        f'model = "m"\nendpoint = "{endpoint}"\nroles = ["general"]\n{more}\n{others}'
    )
    return str(path)


def said(text: str, finish_reason: str = "stop") -> tuple[int, dict[str, Any]]:
    choice = {"message": {"content": text}, "finish_reason": finish_reason}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


def refused(status: int, message: str) -> tuple[int, dict[str, Any]]:
    return status, {"error": {"message": message}}


def test_a_fallback_answers_and_the_trace_says_so(partbook, tmp_path):
    with api(refused(404, "this model is gone")) as url:
        file = pool(tmp_path, url, 'fallbacks = ["near"]', f"[[workers]]\n{LAB}")

        done = partbook.run("run", "--pool", file, "--json", QUESTION)

    assert (done.returncode, done.stderr) == (0, "")
    (step,) = json.loads(done.stdout)["rounds"][0]["steps"]
    assert (step["worker"], step["answered_by"], step["calls"]) == ("far", "near", 2)
    assert step["attempts"][0]["kind"] == "not_found"
    assert step["notes"] == ["answered by 'near' in place of 'far'"]


def test_a_passing_fault_is_not_seen_in_the_answer_but_in_the_steps(partbook, tmp_path):
    with api(refused(503, "busy"), said("42")) as url:
        done = partbook.run("run", "--pool", pool(tmp_path, url), "--show", QUESTION)

    assert done.returncode == 0
    assert "tried before: far, overloaded: m at 127.0.0.1:" in done.stdout
    assert "42" in done.stdout


def test_an_answer_that_is_cut_off_is_said_on_standard_error(partbook, tmp_path):
    with api(said("The answer is", "length")) as url:
        done = partbook.run("run", "--pool", pool(tmp_path, url), QUESTION)

    assert (done.returncode, done.stdout) == (0, "The answer is\n")
    assert done.stderr.startswith("the answer was cut off at its token limit; raise the worker's")


def test_a_cut_answer_can_be_continued(partbook, tmp_path):
    with api(said("The answer", "length"), said(" is 42.")) as url:
        file = pool(tmp_path, url, 'on_truncated = "continue"')

        done = partbook.run("run", "--pool", file, QUESTION)

    assert (done.stdout, done.stderr) == ("The answer is 42.\n", "")


def test_a_worker_that_refuses_the_key_is_named(partbook, tmp_path):
    with api(refused(401, "bad key")) as url:
        done = partbook.run("run", "--pool", pool(tmp_path, url), QUESTION)

    assert done.returncode == 1
    assert done.stderr.startswith("failed: worker 'far': m at 127.0.0.1:")
    assert done.stderr.endswith(": 401: bad key\n")
