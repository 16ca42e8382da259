import pytest

from partbook.grammar import workflow_grammar
from partbook.message import Message, Sampling
from partbook.models.local import LocalModels, LocalSpec
from partbook.parse import parse


def test_the_grammar_names_only_workers_of_the_pool_and_earlier_steps():
    grammar = workflow_grammar(3, 3)

    assert 'worker ::= "0" | "1" | "2"\n' in grammar
    assert 'access0 ::= "[]"\n' in grammar
    assert 'access1 ::= "[]" | "[0" "]"\n' in grammar
    assert 'access2 ::= "[]" | "[0" (", 1")? "]" | "[1" "]"\n' in grammar
    assert "plan4" not in grammar


@pytest.mark.models
async def test_whatever_a_real_model_writes_under_the_grammar_is_a_workflow(smollm2):
    sampling = Sampling(max_tokens=1000, temperature=1.0, seed=7, grammar=workflow_grammar(3, 5))

    async with LocalModels() as models:
        model = models.get(LocalSpec(smollm2, 2048, 1, threads=1))
        text = (await model.chat([Message("user", "Write any workflow.")], sampling)).text

    assert 1 <= len(parse(text, 3).steps) <= 5


def test_a_later_round_may_keep_the_answer_or_read_it():
    first, later = workflow_grammar(2, 2), workflow_grammar(2, 2, later=True)

    assert "plan0" not in first
    assert "root ::= thought (plan0 | plan1 | plan2)\n" in later
    assert 'plan0 ::= "model_id = []\\nsubtasks = []\\naccess_list = []"\n' in later
    assert 'access0 ::= "[]" | "[\\"all\\"]"\n' in later
    assert "all" not in first


@pytest.mark.models
async def test_whatever_a_real_model_writes_in_a_later_round_is_a_workflow_or_keeps(smollm2):
    grammar = workflow_grammar(2, 2, later=True)
    sampling = Sampling(max_tokens=1000, temperature=1.0, seed=7, grammar=grammar)

    async with LocalModels() as models:
        model = models.get(LocalSpec(smollm2, 2048, 1, threads=1))
        texts = [
            (await model.chat([Message("user", ask)], sampling)).text
            for ask in ("Write any workflow.", "Write three empty lists.")
        ]

    for text in texts:
        kept = text.endswith("model_id = []\nsubtasks = []\naccess_list = []")
        assert kept or len(parse(text, 2, later=True).steps) <= 2
