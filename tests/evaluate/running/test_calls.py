"""The log of calls: each answer given once, and nothing that may have been billed forgotten."""

import asyncio
import gzip
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.budget import Budget, Budgeted, Limits
from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.evaluate.running.calls import CALLS, CallLog, Kept, wanted_but
from partbook.message import Message, Sampling
from tests.evaluate.world import A_DOLLAR, Knows
from tests.fakes import Failing, Scripted

ASKED = [Message("user", "q")]
HOW = Sampling(10)
EVERYTHING = wanted_but(())


def kept(model, log, cell="c", refused=None) -> Kept:
    return Kept(model, log, cell, "w", A_DOLLAR, False, ([] if refused is None else refused).append)


async def test_answers_come_back_in_their_order_and_each_once(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    for _ in range(2):
        await kept(Scripted(["one", "two"]), log).chat(ASKED, HOW)
    log.close()

    again, model = CallLog.open(tmp_path, EVERYTHING), Scripted(["three"])
    texts = [(await kept(model, again).chat(ASKED, HOW)).text for _ in range(3)]
    again.close()

    assert texts == ["one", "one", "three"]
    assert again.replayed == 2


async def test_other_cells_other_messages_and_other_samplings_are_other_calls(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    await kept(Knows(), log).chat(ASKED, HOW)
    log.close()
    log, model = CallLog.open(tmp_path, EVERYTHING), Knows()

    await kept(model, log, "other").chat(ASKED, HOW)
    await kept(model, log).chat([Message("user", "r")], HOW)
    await kept(model, log).chat(ASKED, Sampling(10, seed=1))
    log.close()

    assert len(model.asked) == 3


async def test_in_a_shared_log_two_cells_make_the_same_call_once_at_temperature_0(tmp_path):
    log, model = CallLog.open(tmp_path, EVERYTHING, shared=True), Knows()
    one, two = (replace(kept(model, log, cell), shareable=True) for cell in "ab")
    still = Sampling(10, temperature=0)

    answers = await asyncio.gather(one.chat(ASKED, still), two.chat(ASKED, still))
    log.close()

    assert len(model.asked) == 1
    assert [answer.usage.prompt_tokens for answer in answers] == [1, 1]


@pytest.mark.parametrize("how", [Sampling(10), Sampling(10, temperature=0.7, seed=1)])
async def test_in_a_shared_log_samples_that_are_drawn_are_not_shared(tmp_path, how):
    log, model = CallLog.open(tmp_path, EVERYTHING, shared=True), Knows()

    for cell in "ab":
        await replace(kept(model, log, cell), shareable=True).chat(ASKED, how)
    log.close()

    assert len(model.asked) == 2


async def test_a_shared_log_that_is_opened_again_knows_the_calls_of_finished_cells(tmp_path):
    still, model = Sampling(10, temperature=0), Knows()
    log = CallLog.open(tmp_path, EVERYTHING, shared=True)
    await replace(kept(model, log, "a"), shareable=True).chat(ASKED, still)
    log.close()

    log = CallLog.open(tmp_path, wanted_but({"a"}), shared=True)
    await replace(kept(model, log, "b"), shareable=True).chat(ASKED, still)
    log.close()

    assert len(model.asked) == 1


async def test_a_recording_may_be_compressed(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    await kept(Knows(), log).chat(ASKED, HOW)
    log.close()
    path = tmp_path / CALLS
    path.with_name(f"{CALLS}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()

    again, model = CallLog(tmp_path / "other"), Knows()
    again.load(EVERYTHING, path)
    await kept(model, again).chat(ASKED, HOW)

    assert not model.asked


async def test_a_compressed_recording_that_is_cut_short_is_told(tmp_path):
    (tmp_path / f"{CALLS}.gz").write_bytes(gzip.compress(b"{}\n" * 100)[:-9])

    with pytest.raises(ConfigError, match="cannot read"):
        CallLog(tmp_path / "other").load(EVERYTHING, tmp_path / CALLS)


async def test_a_failed_call_is_made_again(tmp_path):
    log, model = CallLog.open(tmp_path, EVERYTHING), Knows()
    with pytest.raises(WorkerError):
        await kept(Failing(), log).chat(ASKED, HOW)
    log.close()
    log = CallLog.open(tmp_path, EVERYTHING)

    await kept(model, log).chat(ASKED, HOW)
    log.close()

    assert len(model.asked) == 1


async def test_what_was_spent_is_counted_and_what_has_no_end_at_its_worst(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    await kept(Knows(), log).chat(ASKED, HOW)
    log.begin(Decimal(25))
    log.close()

    again = CallLog.open(tmp_path, EVERYTHING)
    again.close()

    assert (again.spent_usd, again.lost) == (Decimal(26), 1)


async def test_a_failed_call_of_unknown_usage_counts_at_its_worst(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    with pytest.raises(WorkerError):
        await kept(Failing(usage=None), log).chat(ASKED, HOW)
    log.close()

    again = CallLog.open(tmp_path, EVERYTHING)
    again.close()

    # One byte and 16 for the message, at a dollar each.
    assert (again.spent_usd, again.lost) == (Decimal(17), 0)


async def test_a_call_that_the_limit_forbids_costs_nothing_and_is_told(tmp_path):
    log, refused = CallLog.open(tmp_path, EVERYTHING), []
    limited = Budgeted(Knows(), Budget(Limits(usd=Decimal(3))), A_DOLLAR)
    with pytest.raises(BudgetError):
        await kept(limited, log, refused=refused).chat(ASKED, HOW)
    log.close()

    again = CallLog.open(tmp_path, EVERYTHING)
    again.close()

    assert len(refused) == 1
    assert (again.spent_usd, again.lost) == (Decimal(0), 0)


async def test_a_half_line_is_passed_over_and_the_log_goes_on(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    await kept(Knows(["q"]), log).chat(ASKED, HOW)
    log.close()
    with (tmp_path / CALLS).open("a") as file:
        file.write('{"end": 1, "usd')
    log = CallLog.open(tmp_path, EVERYTHING)
    await kept(Knows(), log).chat([Message("user", "r")], HOW)
    log.close()

    again, model = CallLog.open(tmp_path, EVERYTHING), Knows()
    text = (await kept(model, again).chat(ASKED, HOW)).text
    again.close()

    assert (text, model.asked) == ("yes", [])


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    (tmp_path / CALLS).write_text(
        '{"end": "x"}\n{"begin":0,"worst_usd":"1"}\n{"begin":1,"worst_usd":"1"}\n'
    )

    with pytest.raises(ConfigError, match="line 1 is damaged"):
        CallLog.open(tmp_path, EVERYTHING)


async def test_answers_of_finished_cells_are_not_kept_in_memory(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    await kept(Knows(), log).chat(ASKED, HOW)
    log.close()
    log, model = CallLog.open(tmp_path, wanted_but({"c"})), Knows()

    await kept(model, log).chat(ASKED, HOW)
    log.close()

    assert len(model.asked) == 1


async def test_what_another_evaluation_paid_is_not_paid_by_its_replay(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = CallLog.open(tmp_path / "a", EVERYTHING)
    await kept(Knows(["q"]), first).chat(ASKED, HOW)
    first.close()

    second, model = CallLog.open(tmp_path / "b", EVERYTHING), Knows()
    second.load(EVERYTHING, tmp_path / "a" / CALLS)
    text = (await kept(model, second).chat(ASKED, HOW)).text
    second.close()

    assert (text, model.asked, second.spent_usd) == ("yes", [], Decimal(0))


def test_the_calls_of_a_folder_without_any_cannot_be_replayed(tmp_path):
    log = CallLog.open(tmp_path, EVERYTHING)
    log.close()

    with pytest.raises(ConfigError, match="no calls of an evaluation"):
        log.load(EVERYTHING, tmp_path / "nowhere" / CALLS)
