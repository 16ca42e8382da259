import struct
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.models.gguf import gguf_facts
from tests.gguf_head import entry, gguf, number, said, text

SHAPE = (
    entry("general.architecture", 8, text("toy")),
    entry("toy.attention.layer_norm_rms_epsilon", 6, struct.pack("<f", 1e-5)),
    entry("toy.block_count", 4, number(10)),
    entry("toy.embedding_length", 4, number(64)),
    entry("tokenizer.tokens", 9, struct.pack("<IQ", 8, 2) + text("a") + text("b")),
    entry("toy.attention.head_count", 4, number(8)),
)


def written(path, data):
    path.write_bytes(data)
    return path


def test_facts_are_numbers_and_short_texts(tmp_path):
    entries = (said("general.type", "adapter"), said("toy.context_length", 512))
    path = written(tmp_path / "toy.gguf", gguf(*entries, said("licence", "x" * 201)))

    assert gguf_facts(path) == {"general.type": "adapter", "toy.context_length": 512}


def test_what_stands_between_facts_is_passed_over(tmp_path):
    path = written(tmp_path / "toy.gguf", gguf(*SHAPE))

    assert gguf_facts(path) == {
        "general.architecture": "toy",
        "toy.block_count": 10,
        "toy.embedding_length": 64,
        "toy.attention.head_count": 8,
    }


def test_of_a_list_of_numbers_the_largest_is_the_fact(tmp_path):
    heads = entry("toy.attention.head_count_kv", 9, struct.pack("<IQ3I", 4, 3, 0, 4, 2))

    path = written(tmp_path / "toy.gguf", gguf(heads))

    assert gguf_facts(path) == {"toy.attention.head_count_kv": 4}


@pytest.mark.models
def test_a_real_file_says_what_it_is(smollm2):
    facts = gguf_facts(smollm2)

    assert (facts["general.architecture"], facts["llama.block_count"]) == ("llama", 30)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "does not start with GGUF"),
        (b"junk" * 100, "does not start with GGUF"),
        (gguf(*SHAPE)[:60], "ends within its metadata"),
        (gguf(entry("a.b", 99, b"")), "unknown type 99"),
        (gguf(entry("a.b", 9, struct.pack("<IQ", 6, 2**62))), "is longer than"),
        (gguf(entry("a.b", 9, struct.pack("<IQ", 8, 2**62))), "ends within its metadata"),
        (gguf(entry("a.b", 9, struct.pack("<IQ", 4, 2**62))), "is longer than"),
        (gguf(text("k")[:8]), "ends within its metadata"),
        (gguf(struct.pack("<Q", 2**63)), "is longer than"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_words(tmp_path, data, complaint):
    path = written(tmp_path / "odd.gguf", data)

    with pytest.raises(ConfigError, match=complaint):
        gguf_facts(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the model .*none.gguf: No such file"):
        gguf_facts(tmp_path / "none.gguf")


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    cut=st.integers(0, len(gguf(*SHAPE))),
    junk=st.binary(max_size=40),
)
@example(cut=24, junk=b"\xff" * 40)
def test_no_bytes_make_the_reader_raise_anything_else(tmp_path, cut, junk):
    whole = gguf(*SHAPE)
    path = written(tmp_path / "odd.gguf", whole[:cut] + junk + whole[cut + len(junk) :])

    with suppress(ConfigError):
        assert isinstance(gguf_facts(path), dict)
