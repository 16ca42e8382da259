import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("transformers")

from partbook.lab import lab_pool, lab_problem
from partbook.lab.values import WORDS, owned
from partbook.prompt import bare_prompt
from partbook.train.tokens import lab_tokenizer

TOKENIZER = lab_tokenizer()


@pytest.mark.parametrize("split", ["train", "validation", "test"])
@pytest.mark.parametrize("difficulty", [1, 4])
def test_a_prompt_survives_but_for_its_capitals(split, difficulty):
    for seed in range(20):
        text = bare_prompt(lab_problem(seed, difficulty, split).question, lab_pool())

        assert TOKENIZER.decode(TOKENIZER(text).input_ids) == text.lower()


def test_a_clause_has_the_same_tokens_in_a_question_and_in_a_subtask():
    clause = TOKENIZER("reverse the word lantern").input_ids

    def holds(text):
        tokens = TOKENIZER(text).input_ids
        return any(
            tokens[i : i + len(clause)] == clause for i in range(len(tokens) - len(clause) + 1)
        )

    assert holds("First reverse the word lantern, then count it.")
    assert holds('subtasks = ["reverse the word lantern", "count it"]')


def test_words_of_phrases_are_whole_and_values_are_spelled():
    assert len(TOKENIZER("multiply").input_ids) == 1
    spelled = [len(TOKENIZER(word).input_ids) for word in owned(WORDS, "test")]
    assert sum(length == 1 for length in spelled) <= 2


def test_it_is_the_same_every_time():
    assert lab_tokenizer().get_vocab() == TOKENIZER.get_vocab()
