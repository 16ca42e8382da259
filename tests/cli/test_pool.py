"""`partbook pool`, where the file is somebody else's; the rest is in `tests/e2e`."""

import json

from typer.testing import CliRunner

from partbook.cli.pool import pool_app

run = CliRunner().invoke

HOSTILE = r"""
name = "theirs"
about = "read me\u001b[2J"
[[workers]]
name = "ada"
kind = "lab"
model = "ada"
card = "says\u001b]0;owned\u0007 a lot"
"""


def test_what_a_pool_file_says_is_shown_without_what_a_terminal_would_obey(tmp_path):
    path = tmp_path / "pool.toml"
    path.write_text(HOSTILE)

    shown = run(pool_app, ["show", str(path)])
    data = run(pool_app, ["show", str(path), "--json"])

    assert shown.stdout == f"read me\n  0  {'ada':22} {'lab':11} says a lot\n"
    assert json.loads(data.stdout)[0]["card"] == "says\x1b]0;owned\x07 a lot"
