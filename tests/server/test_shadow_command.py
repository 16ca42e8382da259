"""`partbook serve --shadow` as a process of its own, on the lab's scripted workers."""

import json
import urllib.request

import pytest
from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError
from tests.server.family import served, until

USD = ("--shadow-usd-per-day", "1")


def got(url: str, data: bytes | None = None) -> dict:
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as reply:
        return json.loads(reply.read())


def test_a_served_request_is_played_once_more_and_shown(partbook):
    options = ["--shadow", "100%", "--shadow-system", "workflow:chain", "--shadow-judge", "ada"]
    with served(partbook, *options, *USD) as server:
        body = {"model": "partbook", "messages": [{"role": "user", "content": "Add 1 and 2."}]}
        got(f"{server.url}/chat/completions", json.dumps(body).encode())
        until(lambda: got(f"{server.url}/shadow")["no_verdict"])
        state = got(f"{server.url}/shadow")
        done = server.end()
    shown = CliRunner().invoke(app, ["shadow", "--json"])

    assert "it ends when the interval of the share of wins excludes 50 %" in done.stdout
    assert state["experiment"]["rival"] == "workflow:chain"
    assert json.loads(shown.stdout)["no_verdict"] == 1
    assert done.returncode == 0


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
