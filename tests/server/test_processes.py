"""Several processes, of two servers, on one store and one API: limits are counted together."""

import datetime
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from decimal import Decimal

import pytest
from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError
from partbook.store import ApiKeys
from tests.server.family import (
    Family,
    a_family,
    an_api,
    ask,
    at_once,
    got,
    is_running,
    until,
    write_pool,
)


@pytest.fixture
def api():
    with an_api() as made:
        yield made


@pytest.fixture
def keys(any_store):
    with ApiKeys.open(any_store) as opened:
        yield opened


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "file.db")


def spent_usd(keys: ApiKeys) -> Decimal:
    return sum(keys.spent(month()).popitem()[1].values(), start=Decimal(0))


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def month() -> str:
    return today()[:7]


def statuses(replies) -> list[int]:
    return sorted(reply.result()[0] for reply in replies)


def test_two_servers_of_two_processes_keep_every_limit_together(any_store, keys, api, tmp_path):
    """A rate, a budget, calls in flight and requests a minute; each exactly, whoever is asked."""
    api.held["held"] = threading.Event()
    pool = write_pool(
        tmp_path / "pool.toml",
        api,
        quick="",
        held="max_concurrency = 50",
        narrow="max_concurrency = 2",
        paced="requests_per_minute = 3",
    )
    _, rated = keys.create("rated", requests_per_minute=4)
    _, bounded = keys.create("bounded", usd_per_day=Decimal(400))
    _, free = keys.create("free")
    with ExitStack() as stack:
        both = [
            stack.enter_context(a_family(any_store, "--processes", "2", pool=pool)) for _ in "ab"
        ]
        urls = [family.url for family in both]

        with at_once(urls, 20, key=rated, model="partbook/quick") as replies:
            pass
        assert statuses(replies) == [200] * 4 + [429] * 16

        with at_once(urls, 12, key=bounded, model="partbook/held", max_tokens=80) as replies:
            until(lambda: sum(reply.done() for reply in replies) == 9)
            api.held["held"].set()
        # A call holds some 110 dollars while it runs, and is billed 15.
        assert statuses(replies) == [200] * 3 + [402] * 9
        assert api.begun["held"] == 3
        until(lambda: keys.spent(month())[keys_id(keys, "bounded")] == {today(): Decimal(45)})

        with at_once(urls, 10, key=free, model="partbook/narrow") as replies:
            pass
        assert statuses(replies) == [200] * 10
        assert api.at_once["narrow"] == 2

        with at_once(urls, 6, key=free, model="partbook/paced", timeout_s=4) as replies:
            pass
        assert statuses(replies) == [200] * 3 + [504] * 3
        assert api.begun["paced"] == 3


def keys_id(keys: ApiKeys, name: str) -> str:
    return next(key.key_id for key in keys.all_keys() if key.name == name)


def test_a_limit_of_all_requests_holds_over_keys_and_servers(store, api, tmp_path):
    api.held["held"] = threading.Event()
    pool = write_pool(tmp_path / "pool.toml", api, held="max_concurrency = 50")
    with ApiKeys.open(store) as keys:
        _, ann = keys.create("ann")
        _, bob = keys.create("bob")
    limit = ("--usd-per-day", "400")
    with ExitStack() as stack:
        both = [stack.enter_context(a_family(store, *limit, pool=pool)) for _ in "ab"]
        urls = [family.url for family in both]
        asked = {"model": "partbook/held", "max_tokens": 80}
        with (
            at_once(urls, 6, key=ann, **asked) as of_ann,
            at_once(urls, 6, key=bob, **asked) as of_bob,
        ):
            replies = of_ann + of_bob
            until(lambda: sum(reply.done() for reply in replies) == 9)
            api.held["held"].set()

    assert statuses(replies) == [200] * 3 + [402] * 9
    with ApiKeys.open(store) as keys:
        assert keys.spent_in_all(month()) == {today(): Decimal(45)}
        assert [key.name for key in keys.all_keys()] == ["ann", "bob"]


def test_a_process_that_is_killed_holds_up_nobody_and_its_calls_cost_their_worst_case(
    any_store, keys, api, tmp_path
):
    api.held["held"] = threading.Event()
    pool = write_pool(tmp_path / "pool.toml", api, held="max_concurrency = 50", quick="")
    _, key = keys.create("ann", usd_per_day=Decimal(1_000_000))
    with a_family(any_store, "--processes", "2", pool=pool) as family:
        asked = {"key": key, "model": "partbook/held", "max_tokens": 80}
        with at_once([family.url], 16, **asked) as replies:
            until(lambda: api.begun["held"] == 16)
            reserved = spent_usd(keys)
            killed, other = family.pids()
            os.kill(killed, signal.SIGKILL)
            api.held["held"].set()
        lost = statuses(replies).count(0)
        after = [ask(family.url, key, "partbook/quick")[0] for _ in range(6)]
        until(lambda: len(family.pids()) == 2)

        assert statuses(replies) == [0] * lost + [200] * (16 - lost)
        assert 0 < lost < 16
        assert after == [200] * 6
        assert other in family.pids()
        assert killed not in family.pids()
        until(lambda: spent_usd(keys) == (16 - lost + 6) * 15 + lost * reserved / 16)


def test_metrics_are_the_sum_of_all_processes_and_keep_what_a_killed_one_did(store):
    with a_family(store, "--processes", "2") as family:
        for _ in range(12):
            ask(family.url)
        until(lambda: family.metrics()["processes"] == 2)
        until(lambda: chats(family) == 12.0)
        counted = [chats(family) for _ in range(6)]
        until(lambda: told(family) >= 3)  # seconds in which everybody has written its own
        os.kill(family.pids()[0], signal.SIGKILL)
        after = family.metrics()

    assert counted == [12.0] * 6
    assert after['requests_total{route="chat",status="200"}'] == 12.0
    assert after["calls_total"] == 12.0
    assert after['request_seconds_bucket{le="+Inf"}'] == 12.0


def chats(family: Family) -> float:
    return family.metrics()['requests_total{route="chat",status="200"}']


def told(family: Family) -> float:
    return family.metrics()['requests_total{route="metrics",status="200"}']


def test_it_ends_in_order_by_a_signal(store, api, tmp_path):
    api.held["held"] = threading.Event()
    pool = write_pool(tmp_path / "pool.toml", api, held="")
    with a_family(store, "--processes", "2", pool=pool) as family:
        with at_once([family.url], 1, model="partbook/held") as replies:
            until(lambda: api.begun["held"] == 1)
            family.process.send_signal(signal.SIGTERM)
            until(lambda: got(f"{family.url}/readyz")[0] in (0, 503))
            api.held["held"].set()
        family.process.wait(30)

    assert statuses(replies) == [200]
    assert family.process.returncode == 0


def test_processes_end_when_their_parent_is_killed(store, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # a killed parent leaves its folder behind

    with a_family(store, "--processes", "2") as family:
        pids = family.pids()
        os.kill(family.process.pid, signal.SIGKILL)
        until(lambda: not any(is_running(pid) for pid in pids))


def test_what_cannot_be_opened_is_said_once_with_exit_status_2(tmp_path):
    command = [sys.executable, "-m", "partbook", "serve", "--pool", "lab", "--host", "0.0.0.0"]
    made = subprocess.run(
        [*command, "--port", "0", "--processes", "3"], capture_output=True, text=True, check=False
    )

    assert made.returncode == 2
    assert made.stderr.count("error:") == 1
    assert "partbook keys create" in made.stderr


def test_a_port_that_somebody_listens_on_is_not_shared_with_them():
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = str(other.getsockname()[1])
        result = CliRunner().invoke(
            app, ["serve", "--pool", "lab", "--processes", "2", "--port", port]
        )

    assert isinstance(result.exception, ConfigError)
    assert f"cannot listen on 127.0.0.1:{port}" in str(result.exception)


@pytest.mark.parametrize(
    "options",
    [
        ["--page"],
        ["--shadow", "5%", "--shadow-system", "single:ada", "--shadow-usd-per-day", "1"],
    ],
)
def test_what_one_process_alone_can_do_is_refused_to_several(options):
    result = CliRunner().invoke(app, ["serve", "--pool", "lab", "--processes", "2", *options])

    assert isinstance(result.exception, ConfigError)
    assert f"{options[0]} is for one process" in str(result.exception)
