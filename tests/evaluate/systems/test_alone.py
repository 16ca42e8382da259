from dataclasses import replace

import pytest

from partbook.errors import ConfigError
from partbook.evaluate.systems.alone import (
    LongContext,
    OneWorker,
    SelfConsistency,
    SelfFusion,
    SelfReflection,
)
from partbook.evaluate.systems.wording import LAB_WORDING, Wording
from partbook.lab import lab_pool
from partbook.message import Sampling
from partbook.pool import AgentPool, Worker
from tests.evaluate.sittings import LAB_QUESTION, calls_of, sitting, subtasks_of, workers_of
from tests.fakes import Echo, Failing, Scripted, pool_of

WORDING = Wording("answer", "reflect", "merge")


def with_sampling(pool: AgentPool, sampling: Sampling) -> AgentPool:
    return AgentPool(
        pool.name,
        tuple(Worker(replace(w.spec, sampling=sampling), w.model) for w in pool.workers),
    )


async def test_one_worker_is_asked_once_wherever_the_pool_has_it():
    sat = sitting(pool_of(Echo("a"), Echo("b")))

    answer = await OneWorker("worker:w1", "w1", WORDING).answer(sat)

    assert answer == "b(answer)"
    assert calls_of(sat) == 1


async def test_long_context_multiplies_the_room_of_one_worker():
    model = Scripted(["long"])
    sat = sitting(with_sampling(pool_of(Echo("a"), model), Sampling(max_tokens=100)))

    answer = await LongContext("context:5", "w1", 5, WORDING).answer(sat)

    assert answer == "long"
    assert model.asked[0].max_tokens == 500


async def test_long_context_ends_where_the_context_window_does():
    model, small = Scripted(["long"]), Scripted(["short"])
    system = LongContext("context:5", "w0", 5, WORDING)
    pool = pool_of(model, context_window=1000, sampling=Sampling(max_tokens=300))
    full = pool_of(small, context_window=310, sampling=Sampling(max_tokens=300))

    await system.answer(sitting(pool))
    await system.answer(sitting(full))

    # The prompt is counted as two messages of 9 and 6 bytes and 16 tokens around each.
    assert model.asked[0].max_tokens == 1000 - 9 - 6 - 32
    assert small.asked[0].max_tokens == 300


async def test_votes_are_samples_of_one_worker_each_with_its_own_seed():
    model = Scripted(["Answer: 1", "Answer: 2", "Answer: 3", "Answer: 2", "Answer: 1", "Answer: 2"])
    sat = sitting(with_sampling(pool_of(Echo("a"), model), Sampling(temperature=0.3)))

    answer = await SelfConsistency("self-consistency:6", "w1", 6, WORDING).answer(sat)

    assert answer == "Answer: 2"
    assert workers_of(sat) == ["w1"] * 6
    assert len({sampling.seed for sampling in model.asked}) == 6
    assert {sampling.temperature for sampling in model.asked} == {0.3}


async def test_samples_of_a_worker_at_temperature_zero_are_drawn_warmer():
    model = Scripted(["1", "1"])
    sat = sitting(with_sampling(pool_of(model), Sampling(temperature=0.0)))

    await SelfConsistency("self-consistency:2", "w0", 2, WORDING).answer(sat)

    assert {sampling.temperature for sampling in model.asked} == {0.7}


async def test_reflection_shows_a_worker_all_its_earlier_answers():
    model = Scripted(["one", "two", "three"])
    sat = sitting(pool_of(model))

    answer = await SelfReflection("self-reflection:3", "w0", 3, WORDING).answer(sat)

    assert answer == "three"
    assert [m.text for m in model.heard[2]] == [
        "How many?", "answer", "one", "reflect", "two", "reflect",
    ]  # fmt: skip


@pytest.mark.parametrize("rounds", [0, 6])
def test_reflection_has_as_many_rounds_as_a_workflow_has_steps(rounds):
    with pytest.raises(ConfigError, match="1 to 5 rounds"):
        SelfReflection("self-reflection", "w0", rounds)


async def test_fusion_shows_a_worker_its_own_samples():
    model = Scripted(["a", "b", "c", "merged"])
    sat = sitting(pool_of(model))

    answer = await SelfFusion("self-fusion:3", "w0", 3, WORDING).answer(sat)

    assert answer == "merged"
    assert subtasks_of(sat)[-1] == "merge\n\nAnswer 1:\na\n\nAnswer 2:\nb\n\nAnswer 3:\nc"
    assert calls_of(sat) == 4


async def test_what_does_not_fit_into_the_window_is_shortened_where_it_may_be():
    texts = ["a" * 3000, "b" * 3000, "merged"]
    settings = {"context_window": 1000, "sampling": Sampling(max_tokens=100)}
    shown = []
    for overflow in ("shorten", "fail"):
        sat = sitting(pool_of(Scripted([*texts]), on_overflow=overflow, **settings))
        assert await SelfFusion("self-fusion:2", "w0", 2, WORDING).answer(sat) == "merged"
        shown.append(subtasks_of(sat)[-1])

    assert len(shown[0]) < 3700 < 6000 < len(shown[1])
    assert shown[0].count("characters left out") == 2


async def test_a_worker_that_is_down_leaves_no_answer_and_ends_the_asking():
    sat = sitting(pool_of(Failing(), retries=0))

    answer = await SelfFusion("self-fusion:7", "w0", 7, WORDING).answer(sat)

    assert answer is None
    assert [trace.reason for trace in sat.traces] == ["worker"]


@pytest.mark.parametrize(
    ("system", "calls"),
    [
        (OneWorker("one", "gus", LAB_WORDING), 1),
        (LongContext("context", "gus", 5, LAB_WORDING), 1),
        (SelfConsistency("votes", "gus", 5, LAB_WORDING), 5),
        (SelfReflection("reflection", "gus", 5, LAB_WORDING), 5),
        (SelfFusion("fusion", "gus", 4, LAB_WORDING), 5),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_every_system_of_one_worker_gives_a_value_on_the_lab(system, calls):
    sat = sitting(lab_pool(), LAB_QUESTION)

    answer = await system.answer(sat)

    assert "Answer:" in (answer or "")
    assert calls_of(sat) == calls


async def test_the_same_sitting_again_gives_the_same_answer():
    texts = [
        [
            await SelfConsistency("v", "gus", 5, LAB_WORDING).answer(
                sitting(lab_pool(), LAB_QUESTION)
            )
        ]
        for _ in range(2)
    ]

    assert texts[0] == texts[1]
