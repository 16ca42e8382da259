import json

import pytest

from partbook.errors import ConfigError
from partbook.models.trained import Trained, trained_in_folder, trained_in_gguf, write_trained
from tests.gguf_head import gguf, said

CARDS = Trained("cards", 96, "smollm2-135m")


def test_what_is_written_into_a_folder_is_read_back(tmp_path):
    write_trained(CARDS, tmp_path)

    assert trained_in_folder(tmp_path) == CARDS
    assert json.loads((tmp_path / "partbook.json").read_text()) == {
        "partbook": 1,
        "prompt_style": "cards",
        "max_tokens": 96,
        "base": "smollm2-135m",
    }


def test_a_gguf_file_says_the_same_in_its_metadata(tmp_path):
    path = tmp_path / "a.gguf"
    facts = {f"partbook.{key}": value for key, value in CARDS.to_dict().items()}
    path.write_bytes(gguf(*(said(key, value) for key, value in facts.items())))

    assert trained_in_gguf(path) == CARDS


def test_weights_of_others_say_nothing(tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf(said("general.type", "model")))

    assert trained_in_gguf(path) is None
    assert trained_in_folder(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot read"),
        ('{"partbook": 2}', "was not written by this Partbook or an older one"),
        ('{"partbook": 1, "prompt_style": "x", "max_tokens": 1}', "paper, bare, cards; found 'x'"),
        ('{"partbook": 1, "prompt_style": "bare", "max_tokens": 0}', "must be 1 or more, found 0"),
        ('{"partbook": 1, "prompt_style": 3, "max_tokens": 1}', "must be text"),
    ],
)
def test_a_damaged_file_is_refused_in_words(tmp_path, text, message):
    (tmp_path / "partbook.json").write_text(text)

    with pytest.raises(ConfigError, match=message):
        trained_in_folder(tmp_path)
