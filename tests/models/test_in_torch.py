import asyncio

import pytest

pytest.importorskip("torch", reason="needs pip install 'partbook[train]'")
pytest.importorskip("trl", reason="needs pip install 'partbook[train]'")

from partbook.errors import ConfigError, WorkerError
from partbook.message import Message, Sampling
from partbook.models.in_torch import TorchModel
from tests.train.small_llama import small_llama

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

HELLO = [Message("user", "the sum")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("llama")
    net = small_llama()
    net.model.save_pretrained(path)
    net.tokenizer.save_pretrained(path)
    return str(path)


async def test_the_pieces_joined_are_the_text_and_the_tokens_are_counted(folder):
    model, pieces = TorchModel(folder), []

    said = await model.chat(HELLO, Sampling(10, temperature=0.0), pieces.append)
    await model.aclose()

    assert "".join(pieces) == said.text
    assert len(pieces) > 1
    assert said.usage.completion_tokens == 10
    assert said.finish_reason == "length"


async def test_the_same_seed_draws_the_same_text_and_none_is_as_the_likeliest(folder):
    model = TorchModel(folder)
    drawn = [
        (await model.chat(HELLO, Sampling(10, temperature=1.5, seed=seed))).text
        for seed in (1, 1, 2)
    ]
    likeliest = (await model.chat(HELLO, Sampling(10, temperature=0.0))).text
    await model.aclose()

    assert drawn[0] == drawn[1]
    assert len({*drawn, likeliest}) == 3


async def test_it_ends_before_a_stop_text(folder):
    model = TorchModel(folder)
    whole = (await model.chat(HELLO, Sampling(10, temperature=0.0))).text
    stop = whole[3:5]

    said = await model.chat(HELLO, Sampling(10, temperature=0.0, stop=(stop,)))
    await model.aclose()

    assert said.text == whole[: whole.index(stop)]
    assert said.finish_reason == "stop"


async def test_a_conversation_that_does_not_fit_is_a_fault_of_its_kind(folder):
    model = TorchModel(folder)

    with pytest.raises(WorkerError, match="a conversation has room for 256") as refused:
        await model.chat([Message("user", "the sum " * 300)], Sampling(10))
    await model.aclose()

    assert refused.value.kind == "context"


async def test_a_cancelled_call_ends_and_the_next_is_answered(folder):
    model = TorchModel(folder)
    begun = asyncio.Event()
    call = asyncio.create_task(
        model.chat(HELLO, Sampling(200, temperature=0.0), lambda piece: begun.set())
    )
    await begun.wait()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    after = await model.chat(HELLO, Sampling(2, temperature=0.0))
    await model.aclose()

    assert after.usage.completion_tokens == 2


async def test_what_is_no_model_is_refused_with_what_was_expected(tmp_path):
    model = TorchModel(str(tmp_path))

    with pytest.raises(ConfigError, match=r"a folder or an id of the Hugging Face hub with config"):
        await model.chat(HELLO, Sampling(2))
    await model.aclose()
    with pytest.raises(WorkerError, match="is closed"):
        await model.chat(HELLO, Sampling(2))
