import pytest

np = pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")

from partbook.errors import ConfigError  # noqa: E402
from partbook.evaluate.systems.encoder import HashedWords, open_encoder  # noqa: E402


def test_vectors_have_length_1_and_the_same_text_has_the_same_one():
    rows = HashedWords().encode(["Add 2 and 3.", "", "Add 2 and 3."])

    assert rows.shape == (3, 512)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert (rows[0] == rows[2]).all()


def test_texts_with_the_same_words_are_nearer_than_others():
    one, alike, other = HashedWords().encode(
        ["Reverse the word plum.", "Reverse the word cherry.", "How tall is Mont Blanc?"]
    )

    assert one @ alike > 0.4 > one @ other + 0.2


def test_case_and_punctuation_make_no_difference():
    one, other = HashedWords().encode(["Reverse, the WORD plum!", "reverse the word plum"])

    assert one @ other == pytest.approx(1)


def test_an_encoder_is_opened_by_name():
    assert open_encoder("words").name == "words"
    with pytest.raises(ConfigError, match="one of minilm, words; found 'bert'"):
        open_encoder("bert")
    with pytest.raises(ConfigError, match="at least 1 dimension"):
        HashedWords(0)
