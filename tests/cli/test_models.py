import hashlib
import json

import pytest
from typer.testing import CliRunner

from partbook.cli.models import models_app
from partbook.errors import ConfigError
from partbook.models.registry import find_model


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTBOOK_CACHE", str(tmp_path))
    return tmp_path / "models"


def say(*words):
    return CliRunner().invoke(models_app, words)


def put_hole(name):
    """A file of the right size whose content is not the model's."""
    path = find_model(name).path
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.truncate(find_model(name).size_bytes)
    return path


def test_the_list_says_what_is_here_and_what_is_not(cache):
    put_hole("smollm2-135m")

    said = say("list")

    rows = {line.split()[0]: line for line in said.stdout.splitlines() if line.split()}
    assert "98.4 MB  Apache-2.0  here" in rows["smollm2-135m"]
    assert "491.4 MB  Apache-2.0  not pulled" in rows["qwen2.5-coder-0.5b"]
    assert said.stdout.splitlines()[-1] == f"files are in {cache}"


def test_the_list_as_json_carries_hashes_notes_and_paths(cache):
    path = put_hole("smollm2-135m")

    rows = {row["name"]: row for row in json.loads(say("list", "--json").stdout)}

    assert rows["smollm2-135m"]["path"] == str(path)
    assert rows["qwen2.5-coder-1.5b"]["path"] is None
    assert rows["qwen2.5-coder-1.5b"]["size_bytes"] == 1_117_320_768
    assert "name no licence" in rows["qwen2.5-coder-1.5b"]["note"]
    assert rows["smollm2-135m"]["sha256"].startswith("b179c952")


def test_the_path_of_a_pulled_model_is_one_line(cache):
    path = put_hole("smollm2-135m")

    assert say("path", "smollm2-135m").stdout == f"{path}\n"


def test_the_path_of_another_model_says_how_to_pull_it():
    said = say("path", "qwen2.5-coder-0.5b")

    assert isinstance(said.exception, ConfigError)
    assert "partbook models pull qwen2.5-coder-0.5b" in str(said.exception)


def test_pulling_what_is_here_prints_its_path(cache):
    path = put_hole("smollm2-135m")

    said = say("pull", "smollm2-135m")

    assert said.exit_code == 0
    assert said.stdout == f"{path}\n"


def test_a_misspelt_name_stops_a_pull_before_it_begins():
    said = say("pull", "smollm2-135m", "qwen2.5-code-0.5b")

    assert isinstance(said.exception, ConfigError)
    assert "did you mean qwen2.5-coder-0.5b" in str(said.exception)


@pytest.mark.parametrize("words", [("pull",), ("pull", "smollm2-135m", "--all")])
def test_a_pull_wants_either_names_or_all(words):
    said = say(*words)

    assert isinstance(said.exception, ConfigError)
    assert "name the models to pull, or say --all" in str(said.exception)


def test_verifying_finds_content_that_is_not_the_models(cache, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    path = put_hole("smollm2-135m")

    said = say("pull", "smollm2-135m", "--verify")

    assert "has another sha256 than b179c952" in said.stderr
    assert isinstance(said.exception, ConfigError)
    assert "could not be fetched" in str(said.exception)
    assert not path.exists()


@pytest.mark.models
def test_a_pulled_model_has_the_hash_that_is_promised(monkeypatch):
    monkeypatch.delenv("PARTBOOK_CACHE")
    model = find_model("smollm2-135m")
    if not model.path.exists():
        pytest.skip("needs a real model: partbook models pull smollm2-135m")

    with model.path.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == model.sha256
