import pytest

from partbook.errors import ConfigError
from partbook.evaluate.systems.asking import language_models
from partbook.evaluate.systems.mixture import MixtureOfAgents
from partbook.evaluate.systems.wording import LAB_WORDING, Wording
from partbook.lab import lab_pool
from partbook.pool import AgentPool, Worker, WorkerSpec
from tests.evaluate.sittings import LAB_QUESTION, calls_of, sitting, subtasks_of, workers_of
from tests.fakes import Failing, Scripted, pool_of

WORDING = Wording("answer", "reflect", "merge")


async def test_every_worker_of_a_layer_reads_all_answers_of_the_layer_before():
    sat = sitting(pool_of(Scripted(["a1", "a2"]), Scripted(["b1", "b2", "b3"])))

    answer = await MixtureOfAgents("moa:3", "w1", 3, WORDING).answer(sat)

    assert answer == "b3"
    assert workers_of(sat) == ["w0", "w1", "w0", "w1", "w1"]
    first = "merge\n\nAnswer 1:\na1\n\nAnswer 2:\nb1"
    second = "merge\n\nAnswer 1:\na2\n\nAnswer 2:\nb2"
    assert subtasks_of(sat) == ["answer", "answer", first, first, second]


async def test_two_layers_are_one_call_more_than_there_are_workers():
    sat = sitting(lab_pool(), LAB_QUESTION)

    answer = await MixtureOfAgents("moa:2", "gus", 2, LAB_WORDING).answer(sat)

    assert calls_of(sat) == 9
    assert workers_of(sat)[-1] == "gus"
    assert "Answer:" in (answer or "")


async def test_three_layers_of_eight_workers_are_seventeen_calls():
    sat = sitting(lab_pool(), LAB_QUESTION)

    await MixtureOfAgents("moa:3", "gus", 3, LAB_WORDING).answer(sat)

    assert calls_of(sat) == 17


async def test_an_aggregator_is_drawn_where_none_is_named():
    drawn = set()
    for seed in range(20):
        sat = sitting(lab_pool(), LAB_QUESTION, seed)
        await MixtureOfAgents("moa:2@random", None, 2, LAB_WORDING).answer(sat)
        drawn.add(workers_of(sat)[-1])

    assert len(drawn) > 3


async def test_a_worker_that_is_down_ends_the_mixture_with_the_majority_so_far():
    sat = sitting(pool_of(Scripted(["Answer: 4"]), Failing(), retries=0))

    answer = await MixtureOfAgents("moa:3", "w0", 3, WORDING).answer(sat)

    assert answer == "Answer: 4"
    assert len(sat.traces) == 1


def test_tools_take_no_part():
    tool = Worker(WorkerSpec("calc", "calculator"), Scripted([]))
    model = Worker(WorkerSpec("model", "http"), Scripted([]))

    assert language_models(AgentPool("p", (tool, model))) == [1]
    with pytest.raises(ConfigError, match="only tools"):
        language_models(AgentPool("p", (tool,)))


def test_a_mixture_of_one_layer_is_refused():
    with pytest.raises(ConfigError, match="at least 2 layers"):
        MixtureOfAgents("moa:1", "w0", 1)
