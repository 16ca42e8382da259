import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("trl")

from partbook.cli.main import app
from partbook.errors import ConfigError


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *arguments], catch_exceptions=True)


def test_a_dry_run_lists_the_stages_and_makes_nothing(tmp_path):
    out = tmp_path / "claims"

    done = run("--out", str(out), "--claims", "ab", "--dry-run")

    assert done.exit_code == 0
    assert done.output.startswith("warm-start")
    assert "minutes of one core are left" in done.output
    assert not out.exists()


def test_a_report_of_nothing_says_that_nothing_was_run(tmp_path):
    done = run("--out", str(tmp_path), "--claims", "ch", "--report")

    assert done.exit_code == 0
    assert "| **not run** |" in done.output
    assert "| **holds** |" not in done.output
    assert (tmp_path / "claims.json").read_text().startswith("[")


def test_a_report_that_cannot_be_written_is_a_users_mistake(tmp_path):
    (tmp_path / "taken").touch()

    done = run("--out", str(tmp_path / "taken"), "--claims", "c", "--report")

    assert isinstance(done.exception, ConfigError)
    assert "--out: cannot write to" in str(done.exception)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--claims", "xy"), "expected letters of abcdefgh"),
        (("--seeds", "one"), "expected numbers like 0,1,2"),
        (("--policies", "nowhere"), "no policy in nowhere/warm-start"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_begun(arguments, told):
    done = run(*arguments)

    assert isinstance(done.exception, ConfigError)
    assert told in str(done.exception)
