"""`partbook serve` with its page, as a process of its own, on the lab's scripted workers."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette", reason="needs pip install 'partbook[serve]'")

from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError

COMMAND = [sys.executable, "-m", "partbook", "serve", "--pool", "lab", "--port", "0", "--no-log"]


@contextmanager
def served(*options: str):
    process = subprocess.Popen([*COMMAND, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^ ]+(?=/v1)", process.stdout.readline())
        assert found
        process.stdout.readline()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


def test_the_page_is_shown_and_answers_and_keeps_what_it_is_to_keep():
    with served("--keep") as (process, url):
        greeting = process.stdout.readline()
        data = b'{"question": "Add 1 and 2."}'
        asked = json.loads(urllib.request.urlopen(f"{url}/page/asks", data).read())
        events = urllib.request.urlopen(f"{url}/page/asks/{asked['ask']}/events").read()
        about = json.loads(urllib.request.urlopen(f"{url}/page/about").read())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert greeting == f"page: {url}/\n"
    assert b'"type":"ended"' in events
    assert about["keeps_runs"]
    assert "Add 1 and 2." in CliRunner().invoke(app, ["runs"]).output
    assert process.returncode == 0


def test_without_the_page_there_is_none():
    with served("--no-page") as (_, url):
        found = []
        for path in ("/", "/page/about"):
            with pytest.raises(urllib.error.HTTPError) as raised:
                urllib.request.urlopen(url + path)
            raised.value.close()
            found.append(raised.value.code)

    assert found == [404, 404]


def test_a_folder_of_reports_must_be_there(tmp_path):
    options = ["serve", "--pool", "lab", "--reports", str(tmp_path / "nothing")]
    result = CliRunner().invoke(app, options)

    assert isinstance(result.exception, ConfigError)
    assert "--reports" in str(result.exception)
