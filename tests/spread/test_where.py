"""What `--on` says, and what is said of a cluster that cannot be used."""

import socket

import pytest
from typer.testing import CliRunner

from partbook.cli.main import app
from partbook.errors import ConfigError
from partbook.spread.where import Where, check_reachable, where_of

pytest.importorskip("ray", reason="needs Ray: pip install 'partbook[ray]'")


@pytest.mark.parametrize(
    ("text", "address"), [("ray", "auto"), ("ray://head.example:10001", "ray://head.example:10001")]
)
def test_a_cluster_is_named_by_its_address(text, address):
    where = where_of(text)

    assert where is not None
    assert where.address == address


def test_without_a_place_this_process_plays():
    assert where_of("") is None


@pytest.mark.parametrize("text", ["rey", "ray://head", "http://head:1", "ray://h:x", "ray://:1"])
def test_anything_else_is_refused_with_what_was_expected(text):
    with pytest.raises(ConfigError, match="`ray` or `ray://HOST:PORT` was expected"):
        where_of(text)


def test_an_address_at_which_nothing_listens_is_refused_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(ConfigError, match=f"no Ray cluster answers at ray://127.0.0.1:{port}"):
            check_reachable(Where("127.0.0.1", port), 2.0)


def test_nodes_of_another_python_or_partbook_are_refused():
    from partbook.spread.ray_nodes import Versions, check_versions  # noqa: PLC0415

    with pytest.raises(ConfigError, match=r"node n has Python 3\.12 and Partbook 1, this is Pyth"):
        check_versions(Versions("3.11", "1"), Versions("3.12", "1"), "n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "lab", "--limit", "2", "--on", "rey"], "--on:"),
        (["audit", "nothing.jsonl", "--on", "ray"], "--on is for --conductor"),
    ],
)
def test_a_wrong_place_is_said_before_anything_is_written(tmp_path, arguments, said):
    out = ["--out", str(tmp_path / "x")] if arguments[0] == "evaluate" else []

    result = CliRunner().invoke(app, [*arguments, *out])

    assert isinstance(result.exception, ConfigError), result.output
    assert said in str(result.exception)
    assert not (tmp_path / "x").exists()
