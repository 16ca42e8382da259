"""`partbook serve --shadow` as a process of its own, on the lab's scripted workers."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError

USD = ("--shadow-usd-per-day", "1")


def got(url: str, data: bytes | None = None) -> dict:
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as reply:
        return json.loads(reply.read())


def test_a_served_request_is_played_once_more_and_shown():
    options = ["--shadow", "100%", "--shadow-system", "workflow:chain", "--shadow-judge", "ada"]
    command = [sys.executable, "-m", "partbook", "serve", "--pool", "lab", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--no-page", "--no-log", *options, *USD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(3)]
        found = re.search(r"http://[^ ]+/v1", told[0])
        assert found, told
        body = {"model": "partbook", "messages": [{"role": "user", "content": "Add 1 and 2."}]}
        got(f"{found[0]}/chat/completions", json.dumps(body).encode())
        for _ in range(5_000):
            state = got(f"{found[0]}/shadow")
            if state["no_verdict"]:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    shown = CliRunner().invoke(app, ["shadow", "--json"])

    assert "it ends when the interval of the share of wins excludes 50 %" in told[2]
    assert state["experiment"]["rival"] == "workflow:chain"
    assert json.loads(shown.stdout)["no_verdict"] == 1
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--shadow-system", "single:nobody"], "nobody"),
        (["--shadow-system", "workflow:none"], "none"),
        (["--shadow-system", "always"], "single:WORKER, workflow:NAME"),
        (["--shadow-system", "conductor"], "names no Conductor"),
        (["--shadow-system", "single:ada", "--shadow-judge", "nobody"], "--shadow-judge"),
        (["--shadow-system", "single:ada", "--shadow", "0"], "above 0"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_the_server_listens(options, said):
    command = ["serve", "--pool", "lab", "--port", "0", "--no-page", "--shadow", "5%"]
    result = CliRunner().invoke(app, [*command, *USD, *options])

    assert isinstance(result.exception, ConfigError)
    assert said in str(result.exception)
