"""`partbook serve` as a process of its own, on the lab's scripted workers."""

import json
import re
import signal
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError
from partbook.store import ApiKeys
from tests.server.family import served


def post(url: str, headers: dict[str, str] | None = None, **fields) -> tuple[int, dict]:
    body = {"model": "partbook", "messages": [{"role": "user", "content": "Add 1 and 2."}]}
    return got(f"{url}/chat/completions", headers, json.dumps(body | fields).encode())


def got(
    url: str, headers: dict[str, str] | None = None, data: bytes | None = None
) -> tuple[int, dict]:
    request = urllib.request.Request(url, data, headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as err:
        with err:
            return err.code, json.loads(err.read())


def test_it_answers_logs_and_ends_by_a_signal(partbook):
    with served(partbook) as server:
        status, body = post(server.url)
        done = server.end(signal.SIGTERM)

    assert status == 200
    assert server.greeting[1].startswith("models: partbook, partbook-2")
    assert re.fullmatch(r"partbook-\d{4}-\d\d-\d\d-[0-9a-f]{6}", body["model"])
    assert json.loads(done.stderr.splitlines()[0])["model"] == body["model"]
    assert done.returncode == 0


def test_another_workflow_has_another_pin(partbook):
    pins = []
    for options in ((), ("--workflow", "panel")):
        with served(partbook, *options) as server:
            pins.append(got(f"{server.url}/models")[1]["data"][1]["id"])

    assert pins[0] != pins[1]


def test_when_something_was_first_served_stays(tmp_path):
    with ApiKeys.open(tmp_path / "keys.db") as keys:
        first = keys.first_served("a")

        assert keys.first_served("a") == first
        assert keys.first_served("b") > first


def test_with_a_key_in_the_store_a_key_is_needed(partbook):
    made = CliRunner().invoke(app, ["keys", "create", "ann"])
    key = made.stdout.strip()
    with served(partbook) as server:
        without = post(server.url)
        with_it = post(server.url, {"Authorization": f"Bearer {key}"})

    assert (without[0], with_it[0]) == (401, 200)


def test_others_are_not_let_in_without_keys():
    result = CliRunner().invoke(app, ["serve", "--pool", "lab", "--host", "0.0.0.0"])

    assert isinstance(result.exception, ConfigError)
    assert "partbook keys create" in str(result.exception)


def test_keep_puts_runs_into_the_store(partbook):
    with served(partbook, "--keep") as server:
        post(server.url)
        server.end(signal.SIGINT)

    listed = CliRunner().invoke(app, ["runs"])
    assert "Add 1 and 2." in listed.output


def test_rule_24_a_key_that_was_made_for_it_is_shown_a_whole_trace_and_no_key_in_it(
    partbook,
):
    runner = CliRunner()
    plain, trusted = (
        runner.invoke(app, ["keys", "create", *arguments]).stdout.strip()
        for arguments in (["ann"], ["bob", "--traces"])
    )
    with served(partbook, "--keep") as server:
        url = server.url
        headers = {"Authorization": f"Bearer {plain}"}
        body = {"messages": [{"role": "user", "content": f"Add 1 and 2. My key is {plain}."}]}
        _, reply = post(url, headers, partbook_metadata=True, **body)
        run = f"{url}/runs/{reply['partbook']['run_id']}"
        without = got(run)
        refused = got(run, headers)
        shown = got(run, {"Authorization": f"Bearer {trusted}"})
        beginning = got(run[:-1], {"Authorization": f"Bearer {trusted}"})

    assert (without[0], refused[0], beginning[0]) == (401, 403, 404)
    assert refused[1]["error"]["code"] == "traces_not_allowed"
    status, trace = shown
    assert (status, trace["run_id"]) == (200, reply["partbook"]["run_id"])
    assert trace["question"] == "Add 1 and 2. My key is [key]."
    assert trace["rounds"][0]["steps"][0]["messages"]
    assert plain not in json.dumps(trace)
    assert trusted not in json.dumps(trace)


def test_rule_22_a_word_that_is_no_way_to_go_on_is_refused():
    result = CliRunner().invoke(app, ["serve", "--pool", "lab", "--follow-ups", "always"])

    assert isinstance(result.exception, ConfigError)
    assert "plan, keep or easy" in str(result.exception)


@pytest.mark.parametrize("option", ["--usd-per-day", "--usd-per-month"])
def test_a_budget_must_be_an_amount(option):
    result = CliRunner().invoke(app, ["keys", "create", "ann", option, "much"])

    assert isinstance(result.exception, ConfigError)


def test_keys_are_listed_with_their_limits_and_revoked_by_name():
    runner = CliRunner(env={"COLUMNS": "200"})
    options = ["--usd-per-day", "5", "--requests-per-minute", "7", "--worker", "ada"]
    key = runner.invoke(app, ["keys", "create", "ann", *options]).stdout.strip()
    revoked = runner.invoke(app, ["keys", "revoke", "ann"])
    listed = runner.invoke(app, ["keys", "list"])

    assert key.startswith("pb-")
    assert "of 'ann' is revoked" in revoked.output
    assert re.search(r"ann +revoked +5 +- +0 +7 +ada", listed.output)
    assert key not in listed.output
