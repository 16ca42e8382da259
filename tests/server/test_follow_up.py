"""How a conversation goes on. Rule 22 is that of docs/serving.md."""

import json

import pytest

from partbook.conduct import Conductor, Fixed
from partbook.errors import WorkerError
from partbook.message import Message, Usage
from partbook.models.calculator import Calculator
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.server.admission import KeyDesk
from partbook.server.chat_request import ChatRequest
from partbook.server.conversation import Conversation
from partbook.server.follow_up import FollowUps
from partbook.server.wishes import Wishes
from partbook.store import ApiKeys
from partbook.workflow import Step, Workflow
from tests.fakes import pool_of
from tests.server.live import ASK, TWO, Client, Whole, serving
from tests.server.models import Saying

PLAN = "model_id = [0, 1]\nsubtasks = ['Think.', 'Answer.']\naccess_list = [[], 'all']"
OTHER = "model_id = [0]\nsubtasks = ['Answer at once.']\naccess_list = [[]]"
TOOLS = [{"type": "function", "function": {"name": "time", "parameters": {"type": "object"}}}]
MORE = {"role": "user", "content": "And 7*8?"}


def answered(reply: Whole) -> dict[str, str]:
    return {"role": "assistant", "content": reply.text}


async def two_turns(client: Client, last=MORE, headers=None, **body) -> tuple[Whole, Whole]:
    first = await client.chat(headers)
    messages = [*ASK, answered(first), last]
    return first, await client.chat(headers, messages=messages, partbook_metadata=True, **body)


def conducted(*texts: str, **options):
    conductor = Saying(texts or (PLAN,))
    first, last = Saying(("thought",)), Saying(("42", "56"))
    pool = pool_of(first, last)
    return conductor, first, last, serving(pool, Conductor(conductor, price=FREE), **options)


async def test_rule_22_the_plan_and_the_workers_of_the_last_turn_are_kept_and_it_is_said():
    conductor, first, last, live = conducted()
    async with live as client:
        one, two = await two_turns(client)

    assert (one.text, two.text) == ("42", "56")
    assert len(conductor.heard) == 1
    assert (len(first.heard), len(last.heard)) == (2, 2)
    assert [r.headers["x-partbook-plan"] for r in (one, two)] == ["new", "kept"]
    about = two.body["partbook"]
    assert about["turn"] == {"plan": "kept", "because": "nothing argues against it"}
    assert [step["worker"] for step in about["plan"]["steps"]] == ["w0", "w1"]
    assert (about["plan"]["source"], about["plan"]["name"]) == ("kept", None)
    told = "\n".join(message.text for message in first.heard[1])
    assert "In the turn before, this step was:\nThink.\nDo the same kind of work" in told
    reasoning = two.body["choices"][0]["message"]["reasoning_content"]
    assert reasoning.startswith("Plan (kept from the turn before):\n1. w0: ")


async def test_rule_22_a_kept_plan_is_told_once_more_and_not_of_its_own_telling():
    _, first, _, live = conducted()
    async with live as client:
        one, two = await two_turns(client)
        history = [*ASK, answered(one), MORE, answered(two), MORE]
        three = await client.chat(messages=history)

    assert three.headers["x-partbook-plan"] == "kept"
    told = "\n".join(message.text for message in first.heard[2])
    assert told.count("In the turn before, this step was:") == 1


async def test_rule_22_it_is_said_in_a_stream_too():
    _, _, _, live = conducted()
    async with live as client:
        one = await client.stream()
        said = {"role": "assistant", "content": one.joined()}
        two = await client.stream(messages=[*ASK, said, MORE], partbook_metadata=True)

    assert (one.headers["x-partbook-plan"], two.headers["x-partbook-plan"]) == ("new", "kept")
    assert two.chunks[-1]["partbook"]["turn"]["plan"] == "kept"


@pytest.mark.parametrize(
    ("headers", "body", "served"),
    [
        ({}, {"partbook_follow_ups": "plan"}, {}),
        ({"x-partbook-follow-ups": "plan"}, {}, {}),
        ({}, {}, {"follow_ups": "plan"}),
    ],
)
async def test_rule_22_it_can_be_switched_off_for_a_server_and_a_request(headers, body, served):
    conductor, _, _, live = conducted(**served)
    async with live as client:
        _, two = await two_turns(client, headers=headers, **body)

    assert len(conductor.heard) == 2
    assert two.headers["x-partbook-plan"] == "new"
    assert two.body["partbook"]["turn"]["because"] == "it was asked for"


async def test_rule_22_where_it_is_wanted_a_short_message_goes_to_who_answered_alone():
    conductor, first, last, live = conducted(follow_ups="easy")
    async with live as client:
        one, two = await two_turns(client)
        history = [*ASK, answered(one), MORE, answered(two)]
        long = {"role": "user", "content": "Explain it. " * 30}
        three = await client.chat(messages=[*history, long])

    assert len(conductor.heard) == 1
    assert two.headers["x-partbook-plan"] == "one-worker"
    assert (two.text, two.body["model"], two.body["partbook"]["plan"]) == (
        "56",
        one.body["model"],
        None,
    )
    # The client's turns as they are, which is what a provider's cache of prompts knows.
    assert [m.text for m in last.heard[1]] == ["What is 6*7?", "42", "And 7*8?"]
    assert three.headers["x-partbook-plan"] == "kept"
    assert len(first.heard) == 2


@pytest.mark.parametrize(
    ("last", "body", "because"),
    [
        ({"role": "user", "content": "x" * 1001}, {}, "it may be a new task"),
        ({"role": "user", "content": "```\nx\n```"}, {}, "it may be a new task"),
        (MORE, {"reasoning_effort": "low"}, "another effort is asked for"),
    ],
)
async def test_rule_22_what_argues_against_it_is_said(last, body, because):
    conductor, _, _, live = conducted()
    async with live as client:
        _, two = await two_turns(client, last, **body)

    assert len(conductor.heard) == 2
    assert two.headers["x-partbook-plan"] == "new"
    assert because in two.body["partbook"]["turn"]["because"]


async def test_rule_22_a_turn_that_did_not_go_as_planned_is_not_kept():
    """The Conductor's text held no plan, and the fallback answered."""
    conductor = Saying(("no plan",))
    proposer = Conductor(conductor, price=FREE, fallback=TWO)
    async with serving(pool_of(Saying(("a",)), Saying(("b",))), proposer) as client:
        _, two = await two_turns(client)

    assert len(conductor.heard) == 4
    assert two.body["partbook"]["turn"]["because"] == "no earlier turn is known"


async def test_rule_22_a_kept_plan_that_fails_is_planned_anew_when_it_is_asked_for_again():
    class Once(Saying):
        async def chat(self, messages, sampling, on_text=None):
            if len(self.heard) == 1:
                self.heard.append(list(messages))
                raise WorkerError("down", kind="refused", usage=Usage())
            return await super().chat(messages, sampling, on_text)

    conductor = Saying((OTHER,))
    pool = pool_of(Once(("42", "", "56")), retries=0)
    async with serving(pool, Conductor(conductor, price=FREE)) as client:
        one, two = await two_turns(client)
        three = await client.chat(messages=[*ASK, answered(one), MORE])

    assert (two.status, three.status) == (502, 200)
    assert three.headers["x-partbook-plan"] == "new"


@pytest.mark.parametrize(
    ("plan", "answers", "header"),
    [
        # The tool's own subtask is of the first question, so the plan is not played again.
        ("model_id = [1]\nsubtasks = ['6*7']\naccess_list = [[]]", ["42", "42"], "new"),
        # It works on what the model before it says.
        (
            "model_id = [0, 1]\nsubtasks = ['Say it as arithmetic.', '6*7']\n"
            "access_list = [[], [0]]",
            ["42", "56"],
            "kept",
        ),
    ],
)
async def test_rule_22_a_tool_never_works_on_the_input_of_an_earlier_turn(plan, answers, header):
    calculator = Worker(WorkerSpec("calc", "calculator", "calculator"), Calculator())
    talker = pool_of(Saying(("6*7", "7*8"))).workers
    conductor = Saying((plan,))
    pool = AgentPool("both", (*talker, calculator))
    async with serving(pool, Conductor(conductor, price=FREE)) as client:
        one, two = await two_turns(client)

    assert two.headers["x-partbook-plan"] == header
    assert [one.text, two.text] == answers


async def test_rule_22_conversations_of_two_keys_are_two(tmp_path):
    conductor = Saying((PLAN,))
    pool = pool_of(Saying(("a",)), Saying(("b",)))
    with ApiKeys.open(tmp_path / "keys.db") as keys:
        bearers = [{"Authorization": f"Bearer {keys.create(name)[1]}"} for name in ("ann", "bob")]
        async with serving(
            pool, Conductor(conductor, price=FREE), admission=KeyDesk(keys)
        ) as client:
            one = await client.chat(bearers[0])
            messages = [*ASK, answered(one), MORE]
            theirs = await client.chat(bearers[1], messages=messages)
            own = await client.chat(bearers[0], messages=messages)

    assert (theirs.headers["x-partbook-plan"], own.headers["x-partbook-plan"]) == ("new", "kept")


async def test_rule_22_a_plan_lives_through_a_tools_result():
    class Calling(Saying):
        async def chat(self, messages, sampling, on_text=None):
            completion = await super().chat(messages, sampling, on_text)
            if len(self.heard) > 1:
                return completion
            call = {"id": "c1", "type": "function", "function": {"name": "time", "arguments": ""}}
            return type(completion)("", Usage(1, 1), "m", tool_calls=json.dumps([call]))

    conductor = Saying((OTHER,))
    async with serving(pool_of(Calling(("noon",))), Conductor(conductor, price=FREE)) as client:
        asking = await client.chat(tools=TOOLS)
        message = asking.body["choices"][0]["message"]
        result = {"role": "tool", "tool_call_id": "c1", "content": "12:00"}
        told = await client.chat(tools=TOOLS, messages=[*ASK, message, result])
        history = [*ASK, message, result, answered(told), MORE]
        last = await client.chat(tools=TOOLS, messages=history)

    replies = (asking, told, last)
    assert [r.headers["x-partbook-plan"] for r in replies] == ["new", "caller", "kept"]
    assert len(conductor.heard) == 1


async def test_rule_22_what_no_conductor_plans_says_nothing_of_it():
    async with serving(pool_of(Saying(("a",)), Saying(("b",))), Fixed(TWO)) as client:
        fixed, alone = await client.chat(), await client.chat(model="partbook/w0")

    assert "x-partbook-plan" not in fixed.headers
    assert "x-partbook-plan" not in alone.headers


async def test_rule_22_a_wrong_mode_is_refused():
    async with serving(pool_of(Saying(("a",)))) as client:
        body = await client.chat(partbook_follow_ups="always")
        header = await client.chat({"x-partbook-follow-ups": "always"})

    assert (body.status, body.error["param"]) == (400, "partbook_follow_ups")
    assert (header.status, header.error["param"]) == (400, "x-partbook-follow-ups")


def request(*texts: str) -> ChatRequest:
    roles = ("user", "assistant")
    messages = tuple(Message(roles[i % 2], text) for i, text in enumerate(texts))
    return ChatRequest("partbook", Conversation(messages), Wishes())


def test_rule_22_what_is_remembered_is_bounded_and_ends():
    now = 0.0
    memory, pool = FollowUps(lambda: now, most=3), pool_of(Saying(("a",)))
    workflow = Workflow((Step(0, "Answer."),))

    def turn(*texts: str):
        return memory.turn(request(*texts), ("ann",), pool, "keep")

    for i in range(5):
        turn(f"question {i}").remember(workflow, "w0")
    plans = [turn(f"question {i}", "answer", "more").plan for i in range(5)]
    now = 3601.0
    late = turn("question 4", "answer", "more")

    assert plans == ["new", "new", "kept", "kept", "kept"]
    assert (late.plan, late.because) == ("new", "the last turn was long ago")


def test_rule_22_after_eight_turns_on_one_plan_the_conductor_is_asked_again():
    memory, pool = FollowUps(), pool_of(Saying(("a",)))
    workflow = Workflow((Step(0, "Answer."),))
    said = ["question"]
    plans = []
    for _ in range(10):
        turn = memory.turn(request(*said), ("ann",), pool, "keep")
        plans.append(turn.plan)
        turn.remember(workflow, "w0")
        said += ["answer", "more"]

    assert plans == ["new", *["kept"] * 8, "new"]


def test_rule_22_no_word_of_a_conversation_is_in_what_it_is_known_by():
    memory, pool = FollowUps(), pool_of(Saying(("a",)))
    turn = memory.turn(request("a secret question"), ("ann",), pool, "keep")
    turn.remember(Workflow((Step(0, "Answer."),)), "w0")

    assert [len(key) for key in memory._kept] == [16]
    assert "secret" not in repr(memory._kept)
