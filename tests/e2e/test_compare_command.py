"""Comparing and workflows of one's own, as a user meets them: processes, exit statuses."""

import json
from functools import partial

import pytest

from partbook.errors import ConfigError
from partbook.models.registry import model_path

CASTLE = "Count the vowels in the word castle."


def test_a_copied_workflow_is_compared_and_its_run_shown(partbook, tmp_path):
    run = partial(partbook.run, folder=tmp_path)

    made = run("workflow", "new", "mine", "--from", "chain")
    compared = run(
        *("compare", CASTLE, "--pool", "lab", "--json"),
        *("--systems", "single:gus,workflow:mine.toml"),
    )
    found = json.loads(compared.stdout)
    shown = run("show", found["systems"][1]["run_id"])
    saved = run("workflow", "new", "again", "--from-run", found["systems"][1]["run_id"])

    assert (made.returncode, compared.returncode, shown.returncode, saved.returncode) == (0,) * 4
    assert compared.stderr == ""
    assert "fixed workflow mine" in shown.stdout
    assert (tmp_path / "again.toml").read_text().count("[[steps]]") == 3


def test_a_wrong_workflow_ends_with_status_2_and_no_traceback(partbook, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('name = "bad"\n[[steps]]\nworker = "genral"\nsubtask = "x"\n')

    done = partbook.run("workflow", "check", str(path))

    assert done.returncode == 2
    assert "line 2, step 0: " in done.stderr
    assert "did you mean 'general'?" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.models
def test_real_models_are_compared_and_one_of_them_judges(partbook, tmp_path):
    try:
        model_path("smollm2-135m")
    except ConfigError as err:
        pytest.skip(str(err))
    pool = tmp_path / "pool.toml"
    pool.write_text(
        'name = "tiny"\nworkflow = "plan-do-check"\n[[workers]]\nname = "talker"\nkind = "local"\n'
        'model = "smollm2-135m"\nroles = ["general", "write", "check"]\n'
        "sampling = { max_tokens = 24, temperature = 0 }\n"
    )

    done = partbook.run(
        "compare", "Name a fruit.", "--pool", str(pool), "--judge", "talker", "--json"
    )

    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert [one["system"] for one in found["systems"]] == [
        "single:talker",
        "workflow:plan-do-check",
    ]
    assert [one["calls"] for one in found["systems"]] == [1, 3]
    assert all(one["answer"] for one in found["systems"])
    assert [rating["by"] for rating in found["ratings"]] == ["judge:talker"]
