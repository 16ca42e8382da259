import asyncio
import time

import pytest

from partbook.errors import WorkerError
from partbook.message import Message, Sampling
from partbook.models.local import LocalModel, LocalModels, LocalSpec

pytestmark = pytest.mark.models

GREEDY = Sampling(max_tokens=24, temperature=0.0, seed=1)
ENDLESS = 'root ::= ("a " | "b ") root'
"""A grammar under which the model cannot end before its limit."""


def ask(text):
    return [Message("user", text)]


@pytest.fixture(scope="module")
def spec(smollm2):
    pytest.importorskip("xllamacpp", reason="needs pip install 'partbook[local]'")
    return LocalSpec(smollm2, n_ctx=1024, slots=2, threads=1)


@pytest.fixture(scope="module")
def loaded(spec):
    """One model for all tests of this file: its threads do not belong to a test's event loop."""
    model = LocalModel(spec)
    asyncio.run(model.load())
    yield model
    asyncio.run(model.aclose())


async def test_a_chat_is_answered_with_text_usage_and_a_reason(loaded):
    answer = await loaded.chat(ask("Say hello."), GREEDY)

    assert answer.text != ""
    assert answer.model == "smollm2-135m"
    assert answer.usage.prompt_tokens > 20
    assert 1 <= answer.usage.completion_tokens <= 24
    assert answer.finish_reason in ("stop", "length")


async def test_a_grammar_is_followed_and_ends_the_answer(loaded):
    how = Sampling(max_tokens=20, temperature=0.0, grammar='root ::= "yes" | "no"')

    answer = await loaded.chat(ask("Is water wet?"), how)

    assert answer.text in ("yes", "no")
    assert answer.finish_reason == "stop"


async def test_the_token_limit_is_the_reason_where_it_ends_the_answer(loaded):
    how = Sampling(max_tokens=7, temperature=0.0, grammar=ENDLESS)

    answer = await loaded.chat(ask("Write."), how)

    assert answer.usage.completion_tokens == 7
    assert answer.finish_reason == "length"


async def test_a_stop_text_ends_the_answer_and_is_not_part_of_it(loaded):
    how = Sampling(temperature=0.0, stop=("4",), grammar='root ::= "1 2 3 4 5"')

    answer = await loaded.chat(ask("Count."), how)

    assert answer.text == "1 2 3 "
    assert answer.finish_reason == "stop"


async def test_the_pieces_that_arrive_are_the_text(loaded):
    pieces = []

    answer = await loaded.chat(ask("Count to ten."), GREEDY, pieces.append)

    assert len(pieces) > 1
    assert "".join(pieces) == answer.text


async def test_characters_of_several_tokens_arrive_whole(loaded):
    pieces = []
    how = Sampling(max_tokens=60, temperature=0.0, grammar='root ::= "😀 한국어 é 👩‍👩‍👧"')

    answer = await loaded.chat(ask("Say it."), how, pieces.append)

    assert answer.text == "😀 한국어 é 👩‍👩‍👧"
    assert "".join(pieces) == "😀 한국어 é 👩‍👩‍👧"
    assert "\ufffd" not in "".join(pieces)


async def test_a_text_of_the_assistant_is_gone_on_with(loaded):
    begun = [*ask("Count from one to ten, in words."), Message("assistant", "One, two,")]

    answer = await loaded.chat(begun, GREEDY)

    assert answer.text.startswith(" three, four")


async def test_the_same_seed_gives_the_same_text_and_another_seed_another(loaded):
    async def told(seed):
        how = Sampling(max_tokens=16, temperature=1.5, seed=seed)
        return (await loaded.chat(ask("Tell me a story."), how)).text

    # The first call fills the slot, so that the following ones start from equal caches.
    await told(0)
    texts = [await told(seed) for seed in (5, 5, 6, -1)]

    assert texts[0] == texts[1]
    assert len(set(texts)) == 3


async def test_what_a_slot_has_read_already_counts_as_cached(loaded):
    await loaded.chat(ask("What is the capital of France?"), GREEDY)

    again = await loaded.chat(ask("What is the capital of France?"), GREEDY)

    assert 0 < again.usage.cached_tokens < again.usage.prompt_tokens


async def test_two_conversations_are_written_at_the_same_time(loaded):
    how = Sampling(max_tokens=40, temperature=0.0, grammar=ENDLESS)
    order = []

    async with asyncio.TaskGroup() as group:
        for name in "xy":
            group.create_task(
                loaded.chat(ask(f"Write {name}."), how, lambda _, name=name: order.append(name))
            )

    first_of_second = max(order.index("x"), order.index("y"))
    last_of_first = min(len(order) - 1 - order[::-1].index(name) for name in "xy")
    assert first_of_second < last_of_first


async def test_more_conversations_than_slots_are_all_answered(loaded):
    how = Sampling(max_tokens=4, temperature=0.0, grammar=ENDLESS)

    answers = await asyncio.gather(*(loaded.chat(ask(f"Write {i}."), how) for i in range(5)))

    assert [answer.usage.completion_tokens for answer in answers] == [4] * 5


async def test_cancelling_stops_the_generation(loaded):
    how = Sampling(max_tokens=900, temperature=0.0, grammar=ENDLESS)
    heard = asyncio.Event()
    pieces = []

    def on_text(piece):
        pieces.append(piece)
        heard.set()

    task = asyncio.create_task(loaded.chat(ask("Write."), how, on_text))
    await heard.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    written = len(pieces)
    # Both slots are free at once: these answers do not wait for the 900 tokens.
    await asyncio.gather(*(loaded.chat(ask("Say hi."), GREEDY) for _ in range(2)))

    assert len(pieces) == written < 900


async def test_cancelling_stops_the_reading_of_a_long_prompt(loaded):
    long = ask("word " * 400)
    started = time.process_time()
    await loaded.chat(long, Sampling(max_tokens=1))
    whole = time.process_time() - started
    task = asyncio.create_task(loaded.chat(ask("other " * 400), Sampling(max_tokens=1)))
    await asyncio.sleep(0)  # the task hands its request over

    started = time.process_time()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert time.process_time() - started < whole / 2


async def test_a_cancelled_conversation_that_waits_for_a_slot_leaves_at_once(loaded):
    how = Sampling(max_tokens=200, temperature=0.0, grammar=ENDLESS)
    busy = [asyncio.create_task(loaded.chat(ask(f"Write {i}."), how)) for i in range(2)]
    waiting = asyncio.create_task(loaded.chat(ask("Wait."), how))
    await asyncio.sleep(0)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert not any(task.done() for task in busy)
    for task in busy:
        task.cancel()
    await asyncio.gather(*busy, return_exceptions=True)


async def test_an_error_in_the_listener_ends_the_call_and_is_not_swallowed(loaded):
    def broken(piece):
        raise ZeroDivisionError(piece)

    with pytest.raises(ZeroDivisionError):
        await loaded.chat(ask("Say hello."), GREEDY, broken)
    assert (await loaded.chat(ask("Say hello."), GREEDY)).text != ""


async def test_a_conversation_that_does_not_fit_is_refused_with_both_sizes(loaded):
    with pytest.raises(WorkerError, match=r"have 2\d\d\d tokens, .* room for 1024 \(n_ctx\)"):
        await loaded.chat(ask("word " * 2000), GREEDY)


async def test_a_broken_grammar_is_refused(loaded, capfd):
    with pytest.raises(WorkerError, match="failed to parse grammar"):
        await loaded.chat(ask("Say."), Sampling(grammar="root ::= ("))


async def test_text_that_is_no_unicode_is_refused(loaded):
    with pytest.raises(WorkerError, match="smollm2-135m"):
        await loaded.chat(ask("half a pair: \ud800"), GREEDY)


async def test_a_closed_model_says_so_to_those_who_wait_and_those_who_come(spec, capfd):
    model = LocalModel(spec)
    how = Sampling(max_tokens=900, temperature=0.0, grammar=ENDLESS)
    heard = asyncio.Event()
    calls = [
        asyncio.create_task(model.chat(ask(f"Write {i}."), how, lambda _: heard.set()))
        for i in range(3)
    ]
    await heard.wait()

    await model.aclose()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [WorkerError] * 3
    with pytest.raises(WorkerError, match="is closed"):
        await model.chat(ask("Say hi."), GREEDY)
    await model.aclose()
    assert capfd.readouterr().err == ""  # llama.cpp is silent


async def test_workers_with_an_equal_spec_share_one_model(spec):
    async with LocalModels() as models:
        first = models.get(spec)
        same = models.get(LocalSpec(spec.path, n_ctx=1024, slots=2, threads=1))
        other = models.get(LocalSpec(spec.path, n_ctx=512, slots=2, threads=1))

    assert same is first
    assert other is not first
    with pytest.raises(WorkerError, match="is closed"):
        await first.chat(ask("Say hi."), GREEDY)
