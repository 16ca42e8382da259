import pytest

from partbook.conduct import Conductor
from partbook.errors import ConfigError
from partbook.evaluate.systems.conducted import Conducted, Policy, Recursive, looking_again
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Message
from tests.evaluate.sittings import calls_of, sitting
from tests.fakes import Echo, Scripted, pool_of

ONE = 'model_id = [0]\nsubtasks = ["{}"]\naccess_list = [[]]'


def bare(question, pool):
    return (Message("user", f"{len(pool)} workers; {question}"),)


async def test_a_prompted_conductor_is_asked_twice_where_its_text_holds_no_workflow():
    model = Scripted(["I cannot.", ONE.format("go")])
    sat = sitting(pool_of(Echo("a")))

    answer = await Conducted("prompted", Conductor(model)).answer(sat)

    assert answer == "a(go)"
    assert calls_of(sat) == 3


async def test_a_policy_is_asked_in_its_own_style():
    model = Scripted([ONE.format("go")])
    sat = sitting(pool_of(Echo("a")))

    answer = await Conducted("trained", Policy(model, prompt=bare)).answer(sat)

    assert answer == "a(go)"
    assert [m.text for m in model.heard[0]] == ["1 workers; How many?"]
    assert sat.traces[0].rounds[0].source == "conductor"


async def test_a_policy_without_a_workflow_has_failed_and_is_not_asked_again():
    model = Scripted(["no workflow"])
    sat = sitting(pool_of(Echo("a")))

    answer = await Conducted("trained", Policy(model, prompt=bare)).answer(sat)

    assert answer is None
    assert sat.traces[0].reason == "workflow"
    assert calls_of(sat) == 1


async def test_a_policy_plays_its_fallback_where_it_has_one():
    fallback = FixedWorkflow("single", "", (FixedStep("w0", "help"),))
    sat = sitting(pool_of(Echo("a")))

    answer = await Conducted(
        "trained", Policy(Scripted(["nothing"]), prompt=bare, fallback=fallback)
    ).answer(sat)

    assert answer == "a(help)"
    assert sat.traces[0].rounds[0].source == "fallback"


async def test_the_second_round_sees_the_answer_of_the_first():
    model = Scripted([ONE.format("first"), ONE.format("second")])
    sat = sitting(pool_of(Echo("a")))

    answer = await Recursive("recursive:2", Policy(model, prompt=bare)).answer(sat)

    assert answer == "a(second)"
    question = looking_again("How many?", "a(first)")
    assert model.heard[1][0].text == f"1 workers; {question}"
    assert calls_of(sat) == 4


async def test_a_second_round_without_a_workflow_leaves_the_first_answer_standing():
    model = Scripted([ONE.format("first"), "It is right as it is."])
    sat = sitting(pool_of(Echo("a")))

    assert await Recursive("recursive:2", Policy(model, prompt=bare)).answer(sat) == "a(first)"


async def test_there_is_no_second_round_after_a_first_one_that_failed():
    model = Scripted(["nothing"])
    sat = sitting(pool_of(Echo("a")))

    assert await Recursive("recursive:3", Policy(model, prompt=bare)).answer(sat) is None
    assert len(sat.traces) == 1


def test_no_rounds_are_refused():
    with pytest.raises(ConfigError, match="at least 1 round"):
        Recursive("recursive:0", Policy(Scripted([])), 0)
