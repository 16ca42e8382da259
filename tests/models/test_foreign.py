"""What a plug-in's code may return and raise, and what becomes of it."""

import pytest

from partbook.conduct import Fixed, conduct
from partbook.errors import BudgetError, ConfigError, ParseError, StoreError, WorkerError
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.foreign import Foreign
from partbook.secret import Secret
from tests.fakes import pool_of

ASK = [Message("user", "q")]
ONE = Fixed(FixedWorkflow("one", "", (FixedStep("w0", "x"),)))
KEY = "sk-0123456789abcdefghij"


class Doing:
    """A plug-in's model that returns this, or raises it."""

    def __init__(self, outcome: object) -> None:
        self.outcome = outcome

    async def chat(self, messages, sampling, on_text=None):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def failure(outcome: object) -> WorkerError:
    with pytest.raises(WorkerError) as failed:
        await Foreign(Doing(outcome), "plug-in 'p'", Secret(KEY)).chat(ASK, Sampling())
    assert KEY not in str(failed.value)
    return failed.value


async def test_a_sound_completion_is_passed_on_as_it_is():
    completion = Completion("4", Usage(3, 1), "m", "length")

    assert await Foreign(Doing(completion), "plug-in 'p'").chat(ASK, Sampling()) is completion


async def test_a_text_that_was_not_sent_in_pieces_is_shown_in_one():
    pieces: list[str] = []

    await Foreign(Doing(Completion("4", None)), "plug-in 'p'").chat(ASK, Sampling(), pieces.append)

    assert pieces == ["4"]


async def test_a_tool_that_does_not_count_has_taken_no_tokens():
    tool = Foreign(Doing(Completion("4", None)), "plug-in 'p'", is_tool=True)

    assert (await tool.chat(ASK, Sampling())).usage == Usage()


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("4", "must return a Completion, found str"),
        (Completion(4, None), "a Completion whose `text` cannot be: 4"),
        (Completion("4", "3 tokens"), "a Completion whose `usage` cannot be: '3 tokens'"),
        (Completion("4", Usage(-3, 1)), "`usage` cannot be: Usage(prompt"),
        (Completion("4", Usage("3", 1)), "`usage` cannot be: Usage(prompt"),
        (Completion("4", None, KEY + KEY, "done"), "`finish_reason` cannot be: 'done'"),
        (Completion("4", None, 7), "`model` cannot be: 7"),
        (Completion("4", None, tool_calls=[]), "`tool_calls` cannot be: []"),
    ],
)
async def test_what_is_no_completion_is_a_failure_that_names_what_is_wrong(returned, said):
    assert said in str(await failure(returned))


@pytest.mark.parametrize(
    "raised",
    [
        ZeroDivisionError("oh"),
        ConfigError("oh"),
        StoreError("oh"),
        ParseError("oh", reason="no_lists"),
        BudgetError("oh", limit="usd"),
        WorkerError("oh", kind="my own"),
        WorkerError("oh", usage=Usage(-1, 0)),
        WorkerError("oh", kind="rate_limit", retry_after_s="soon"),
    ],
)
async def test_whatever_it_raises_is_its_workers_failure_and_ends_no_run(raised):
    trace = await conduct("q", pool_of(Foreign(Doing(raised), "plug-in 'p'"), retries=0), ONE)

    assert (trace.status, trace.reason) == ("failed", "worker")
    assert "oh" in trace.detail


async def test_of_a_failure_what_may_be_is_kept_and_the_key_is_hidden():
    raised = WorkerError(f"busy {KEY}", usage=Usage(3, 0), status=429, kind="rate_limit")

    error = await failure(raised)

    assert str(error) == "busy [key]"
    assert (error.usage, error.status, error.kind) == (Usage(3, 0), 429, "rate_limit")
    assert (await failure(WorkerError("x", kind="my own"))).kind == "unknown"
