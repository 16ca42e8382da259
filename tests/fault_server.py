"""Everything that a worker's API was seen to do wrong, as scripts for a server on loopback.

`FAULTS` has a script for each fault by its name in docs/faults.md. `perform_over_http` plays one
step on a real HTTP model against such scripts; waits between tries are noted and not waited out.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from partbook.budget import Budget, Limits
from partbook.errors import PartbookError
from partbook.event import Event, StepFinished, StepRetried, StepStarted, StepText
from partbook.message import Sampling
from partbook.model import ChatModel
from partbook.models.breaker import Breaker
from partbook.models.http import HttpModel, open_session
from partbook.perform import perform
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import FREE
from partbook.secret import Secret
from partbook.stage import Stage
from partbook.step_trace import StepTrace, step_trace
from partbook.workflow import Step
from tests.models.scripted_server import (
    ABORT,
    STREAM_HEAD,
    Request,
    Script,
    ScriptedServer,
    chunk,
    completion,
    delta,
    event,
    reply,
    stream,
)


def said(text: str | None, finish_reason: str = "stop", **usage: int) -> Script:
    """A reply with this text and this end."""
    body = completion("", **usage)
    choice = body["choices"][0]
    choice["message"]["content"] = text
    choice["finish_reason"] = finish_reason
    return reply(body)


def refused(status: int, message: str = "no", headers: dict[str, str] | None = None, **error: Any):
    """An error in OpenAI's shape."""
    return reply({"error": {"message": message, **error}}, status, **(headers or {}))


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}

FAULTS: dict[str, Script] = {
    "reset before the reply": [ABORT],
    "reply cut off": [b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", ABORT],
    "reset in mid-stream": [STREAM_HEAD, chunk(delta("abc")), ABORT],
    "stream without an end": stream(delta("abc")),
    "no reply in time": [asyncio.Event()],
    "200, not JSON": reply(b"<html>please log in</html>"),
    "200 with an error body": reply(
        {"id": None, "choices": None, "usage": None, "error": {"message": "busy", "code": 429}}
    ),
    "error in a stream": stream(b"event: error\n" + event(OVERLOADED)),
    "408": refused(408),
    "409": refused(409),
    "425": refused(425),
    "429": refused(429),
    "429, Retry-After in seconds": refused(429, headers={"Retry_After": "7"}),
    "429, Retry-After as a date": refused(
        429,
        headers={
            "Date": "Wed, 01 Jul 2026 10:00:00 GMT",
            "Retry_After": "Wed, 01 Jul 2026 10:00:07 GMT",
        },
    ),
    "429, Retry-After of an hour": refused(429, headers={"Retry_After": "3600"}),
    "429, quota spent": refused(429, code="insufficient_quota"),
    "402": refused(402),
    "500": refused(500),
    "502": reply(b"<html>Bad Gateway</html>", 502),
    "503": refused(503),
    "504": reply(b"", 504),
    "529": refused(529, type="overloaded_error"),
    "401": refused(401, "bad key", code="invalid_api_key"),
    "403": refused(403),
    "404": refused(404, "this model is gone"),
    "400": refused(400, "max_tokens is too large: 100000"),
    "400, prompt too long": refused(400, "too long", code="context_length_exceeded"),
    "400, content policy": refused(400, "no", code="content_policy_violation"),
    "307": reply(b"", 307, Location="http://127.0.0.1:9/"),
    "no choice": reply({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}),
    "blank answer": said("  \n"),
    "nothing but reasoning": said(
        "",
        "length",
        prompt_tokens=40,
        completion_tokens=2000,
    ),
    "reasoning cut off": said("<think>Let me see. If it were 9, then", "length"),
    "window full": said("The", "length", prompt_tokens=8100, completion_tokens=92),
    "content filter": said("I am", "content_filter"),
    "answer cut off": said("The answer is", "length", prompt_tokens=9, completion_tokens=2000),
}
"""By the names of docs/faults.md. A gate that never opens is an answer that never comes."""


@dataclass
class Outcome:
    """What one step came to."""

    step: StepTrace
    error: PartbookError | None
    waits: list[float]
    events: list[Event]
    budget: Budget
    requests: list[Request] = field(default_factory=list)
    is_left_alone: bool = False
    """Whether the worker's breaker is open."""

    @property
    def shown(self) -> str:
        """The step's text as a reader of the events has it in the end."""
        text = ""
        for happened in self.events:
            if isinstance(happened, StepText):
                text += happened.text
            elif isinstance(happened, StepRetried):
                text = text[: happened.kept_chars]
        return text


async def perform_on(
    model: ChatModel,
    *,
    stream: bool = False,
    limits: Limits | None = None,
    others: Sequence[Worker] = (),
    read: str = "",
    **settings: Any,
) -> Outcome:
    """One step on a worker `w` with this model; settings are fields of its spec.

    With `read`, the step reads an earlier one whose answer is that text.
    """
    waits: list[float] = []
    events: list[Event] = []
    error: PartbookError | None = None

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    settings = {
        "kind": "http",
        "price": FREE,
        "context": "plain",
        "sampling": Sampling(max_tokens=2000),
        **settings,
    }
    pool = AgentPool("test", (Worker(WorkerSpec("w", **settings), model), *others))
    budget = Budget(limits or Limits())
    stage = Stage("q", pool, budget, events.append, lambda: 0.0, stream, sleep=sleep)
    try:
        await perform(stage, 0, 0, Step(0, "x"), [("earlier", read)] if read else [])
    except PartbookError as err:
        error = err
    return Outcome(step_of(events), error, waits, events, budget)


async def perform_over_http(
    *scripts: Script, key: Secret | None = None, timeout_s: float = 30.0, **how: Any
) -> Outcome:
    """One step on a worker whose server answers with these scripts; else as `perform_on`."""
    async with ScriptedServer(*scripts) as server, open_session() as session:
        breaker = Breaker(HttpModel(session, server.url, "m", key, timeout_s=timeout_s))
        outcome = await perform_on(breaker, **how)
        outcome.requests = list(server.requests)
        outcome.is_left_alone = breaker.is_open
    return outcome


def step_of(events: Sequence[Event]) -> StepTrace:
    """The trace of the only step."""
    (started,) = [e for e in events if isinstance(e, StepStarted)]
    finished = [e for e in events if isinstance(e, StepFinished)]
    retried = [e for e in events if isinstance(e, StepRetried)]
    return step_trace(started, finished[0] if finished else None, retried)
