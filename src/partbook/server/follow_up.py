"""Follow-ups: how a turn of a conversation goes on with the plan and the worker of the one before.

A plan is kept when nothing argues against it: nobody has to write one, and the workers are sent
what a provider's cache of prompts knows. What argues against it is listed in `_against`. Which
conversation a request belongs to is seen from its messages: those before the last answer are the
request that was answered then. Of these only a keyed hash is remembered, with a key that lives as
long as the process, and beside it the workflow, in memory, for the latest `MOST_KEPT` conversations
and for `KEPT_S`.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from partbook.message import Message
from partbook.pool import AgentPool, Worker
from partbook.server.chat_request import ChatRequest, FollowUp
from partbook.server.effort import EFFORTS, USUAL, Effort, effort_of
from partbook.server.wishes import takes_tools
from partbook.workflow import Workflow

__all__ = ["FollowUps", "Kept", "Turn"]

MOST_KEPT = 5000
KEPT_S = 3600.0
"""Providers forget prompts sooner."""

MOST_TURNS = 8
"""After so many turns on one plan, the Conductor is asked again."""

MOST_CHARS = 1000
"""A longer message is taken for a new task."""

MOST_EASY_CHARS = 200

_Plan = Literal["new", "kept", "one-worker", "caller"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a conversation's last turn."""

    workflow: Workflow
    worker: str
    """Who answered."""
    effort: Effort
    """What the plan was made with."""
    at: float
    """When the turn ended, by the clock."""
    turns: int = 0
    """How many turns were played on it after its own."""


@dataclass(frozen=True, slots=True)
class Turn:
    """How one turn is played, and where its plan goes."""

    plan: _Plan
    """`new`: as for a first turn; `kept`: the last turn's workflow; `one-worker`: who answered the
    last turn, alone; `caller`: who asked for a tool, alone."""
    because: str
    """Why it is so."""
    kept: Kept | None
    """What is known of the last turn; None: nothing."""
    effort: Effort
    _memory: "FollowUps"
    _before: bytes
    _now: bytes

    def remember(self, workflow: Workflow, worker: str) -> None:
        """Keep what this turn was played by, for the next one."""
        now = self._memory.clock()
        kept = Kept(workflow, worker, self.effort, now)
        if self.kept is not None and self.plan != "new":
            turns = self.kept.turns + (self.plan != "caller")
            kept = replace(self.kept, at=now, turns=turns)
        self._memory.put(self._now, kept)

    def go_on(self) -> None:
        """Keep what the last turn was played by: this one was asked of one worker of it."""
        if self.kept is not None:
            self.remember(self.kept.workflow, self.kept.worker)

    def forget(self) -> None:
        """Plan anew when this turn is asked for again."""
        self._memory.drop(self._before)

    def to_dict(self) -> dict[str, str]:
        """As a client is told it that asks for it."""
        return {"plan": self.plan, "because": self.because}


class FollowUps:
    """The conversations of one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_KEPT) -> None:
        self.clock = clock
        self._most = most
        self._secret = secrets.token_bytes(32)
        self._kept: OrderedDict[bytes, Kept] = OrderedDict()

    def turn(
        self,
        asked: ChatRequest,
        scope: Sequence[str],
        pool: AgentPool,
        mode: FollowUp,
        caller: str | None = None,
    ) -> Turn:
        """Decide how a request is played that a Conductor would plan for.

        Args:
            asked: the request.
            scope: who asks for what; conversations of different scopes are different ones.
            pool: who may be called, as the Conductor would number them.
            mode: what is wanted; see `ChatRequest.follow_ups`.
            caller: the worker that waits for the tool result which the request brings; None: none.
        """
        messages = asked.conversation.messages
        before, now = self._hashes(messages, scope)
        kept = self._kept.get(before)
        effort = effort_of(asked.effort)
        if caller is not None:
            return Turn("caller", "a tool's result", kept, effort, self, before, now)
        why = "no earlier turn is known"
        if mode == "plan":
            why = "it was asked for"
        elif kept is not None:
            why = _against(kept, asked, pool, self.clock())
        if kept is None or why:
            return Turn("new", why, None, effort, self, before, now)
        if mode == "easy" and _is_easy(asked, pool[pool.find(kept.worker)]):
            return Turn("one-worker", "a short message", kept, effort, self, before, now)
        return Turn("kept", "nothing argues against it", kept, effort, self, before, now)

    def put(self, key: bytes, kept: Kept) -> None:
        """Remember it, and forget the oldest where there are too many."""
        self._kept[key] = kept
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def drop(self, key: bytes) -> None:
        """Forget it."""
        self._kept.pop(key, None)

    def _hashes(self, messages: Sequence[Message], scope: Sequence[str]) -> tuple[bytes, bytes]:
        """Of the request before the last answer, and of this one."""
        end = len(messages)
        while end and messages[end - 1].role != "assistant":
            end -= 1
        while end and messages[end - 1].role == "assistant":
            end -= 1
        running = hashlib.blake2b(key=self._secret, digest_size=16)
        for text in scope:
            _add(running, text)
        before = b""
        for i, message in enumerate(messages):
            if i == end:
                before = running.digest()
            for text in (message.role, message.text, message.tool_calls, message.tool_call_id):
                _add(running, text)
        return before if end else b"", running.digest()


def _add(running: "hashlib.blake2b", text: str) -> None:
    data = text.encode(errors="surrogatepass")
    running.update(b"%d:" % len(data))
    running.update(data)


def _against(kept: Kept, asked: ChatRequest, pool: AgentPool, now: float) -> str:
    """What argues against the last turn's plan; empty: nothing."""
    last = asked.conversation.messages[-1]
    effort = effort_of(asked.effort)
    if now - kept.at > KEPT_S:
        return "the last turn was long ago"
    if kept.turns >= MOST_TURNS:
        return f"the plan was kept for {MOST_TURNS} turns"
    if effort != kept.effort:
        return "another effort is asked for"
    if effort.rounds > 1:
        return "this effort looks at its answers again"
    if last.role != "user":
        return "the last message is not the user's"
    if len(last.text) > MOST_CHARS or "```" in last.text:
        return "the message is long or holds code, it may be a new task"
    if asked.wishes.tools is not None and not takes_tools(pool[pool.find(kept.worker)].spec):
        return "the worker who answered takes no tools"
    return ""


def _is_easy(asked: ChatRequest, worker: Worker) -> bool:
    """Whether the worker who answered last may answer alone."""
    text = asked.conversation.messages[-1].text.strip()
    is_short = len(text) <= MOST_EASY_CHARS and "\n" not in text
    is_usual = effort_of(asked.effort).calls <= EFFORTS[USUAL].calls
    return is_short and is_usual and worker.spec.kind in ("http", "local")
