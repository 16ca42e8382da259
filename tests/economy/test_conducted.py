"""What a Conductor makes of prompts, beside the rules."""

from decimal import Decimal

import pytest

from partbook.budget import Limits
from partbook.conduct import Conductor
from partbook.economy.audit import audit
from partbook.economy.audit_page import as_audit_page, conducted_lines
from partbook.economy.conducted import Conducted, Sample, Sketch, read_prompts
from partbook.economy.mask import mask
from partbook.economy.prompts import Prompt
from partbook.price import FREE, Price
from tests.fakes import Echo, Failing, Scripted, pool_of

ONE = "model_id = [0]\nsubtasks = ['Answer.']\naccess_list = [[]]"
TWO = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"
SEVERAL = Prompt("Search for vendors, then judge them.", cost_usd=Decimal("0.25"))
PLAIN = Prompt("What is the capital of France?", cost_usd=Decimal("0.5"))


async def read(prompts, *texts: str, limits=None, price=FREE, **settings) -> Conducted:
    conductor = Conductor(Scripted(list(texts)), price=price, **settings)
    pool = pool_of(Echo("a"), Echo("b"))
    return await read_prompts(prompts, "c", pool, conductor, limits or Limits(), lambda _: None)


async def test_more_than_one_step_is_work_of_several_stages():
    found = await read([SEVERAL, PLAIN, PLAIN], ONE, TWO, ONE)

    assert (found.several, found.by_rules, found.both, found.no_plan) == (1, 1, 0, 0)
    assert found.sketches[1].steps == (("w0", "Think."), ("w1", "Answer."))
    assert found.agreed("gather → judge") == (1, 0)


async def test_what_it_would_split_alone_is_shown_with_its_workflow():
    found = await read([PLAIN, PLAIN, SEVERAL], TWO, TWO, TWO)

    (one,) = found.alone()
    assert (one.name, one.prompts, one.known_usd) == ("w0 → w1", 2, Decimal(1))
    assert one.workflow == "w0: Think.; w1: Answer."


async def test_a_text_without_a_workflow_says_nothing_of_the_prompt():
    found = await read([SEVERAL, PLAIN], "I cannot.", "Really not.", TWO)

    assert (found.no_plan, found.several, found.calls) == (1, 1, 3)
    assert found.sketches[0].error


async def test_a_limit_holds_for_all_prompts_together():
    price = Price(Decimal(100), Decimal(100))
    found = await read([PLAIN] * 3, ONE, ONE, ONE, limits=Limits(calls=2), price=price)

    assert found.stopped == "the limit of 2 calls is reached"
    assert len(found.sketches) == 2
    assert found.known_usd == Decimal("0.003")


async def test_it_ends_where_nobody_answers():
    conductor = Conductor(Failing(), retries=0)
    found = await read_prompts(
        [PLAIN] * 9, "c", pool_of(Echo("a")), conductor, Limits(), lambda _: None
    )

    assert len(found.sketches) == 3
    assert "the worker is down" in found.stopped


def test_a_sample_is_drawn_while_the_log_is_read_and_is_masked():
    sample = Sample(20, mask)
    log = [Prompt(f"Mail kim{i}@example.com" if i % 2 else "plain") for i in range(500)]

    assert list(sample.through(log)) == log
    assert len(sample.prompts) == 20
    assert {prompt.text for prompt in sample.prompts} == {"Mail [email]", "plain"}


def test_a_sample_holds_each_prompt_as_likely_as_any_other():
    counts = [0] * 10
    for seed in range(400):
        sample = Sample(3, str, seed)
        list(sample.through(Prompt(str(i)) for i in range(10)))
        for prompt in sample.prompts:
            counts[int(prompt.text)] += 1

    assert sum(counts) == 1200
    assert all(85 < count < 155 for count in counts)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_page_sets_both_beside_each_other_and_takes_prompts_for_text(language):
    evil = Prompt("<script>alert(1)</script>", cost_usd=None)
    found = audit([SEVERAL, evil])
    sketches = [Sketch(SEVERAL, (("a", "x"),)), Sketch(evil, (("a", "x"), ("b", "y")))]
    conducted = Conducted("embedded", 2, sketches, calls=2, unknown_costs=1)

    page = as_audit_page(found, conducted, 10, str, language)
    assert "gather → judge" in page
    assert "a → b" in page
    assert "<script>" not in page
    assert len(conducted_lines(found, conducted, language)) == 2
