"""`partbook keys`, where names are hostile; what keys may is tested with the server."""

from typer.testing import CliRunner

from partbook.cli.keys import keys_app

run = CliRunner().invoke


def test_a_name_is_listed_as_the_text_that_it_is():
    for name in ("[/x]", "[red]ann[/red]", "bell\a"):
        run(keys_app, ["create", name, "--worker", "[/w]"])

    listed = run(keys_app, ["list"], env={"COLUMNS": "120"})

    assert listed.exit_code == 0, listed.exception
    assert {line.split()[1] for line in listed.stdout.splitlines()[1:]} == {
        "[/x]",
        "[red]ann[/red]",
        "bell",
    }
    assert listed.stdout.count("[/w]") == 3
