"""What an evaluation will take, before anything is spent: a rehearsal with nobody there.

Every system answers a few of the problems with stand-ins in place of all models, and its calls are
counted as they come. So a system needs no figures of its own, and one that asks in layers or in
rounds is counted right. What a worker will say is assumed: so many tokens. A stand-in for a
Conductor writes a workflow of three steps, the paper's average (arXiv:2512.04388, section 4).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from partbook.budget import Budget, Budgeted, Limits, worst_case
from partbook.conduct import Conductor, Proposer, conduct
from partbook.evaluate.posed import Posed
from partbook.evaluate.system import Sitting, System
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.pool import AgentPool, Worker
from partbook.price import Price, total_usd
from partbook.stage import cost_of
from partbook.trace import Trace

__all__ = ["Estimate", "estimate"]

REHEARSED = 12
"""Problems that are rehearsed; the rest is taken to be like them."""

CHARS_PER_TOKEN = 4
"""Of English text, roughly."""

ANSWER_TOKENS = 400
"""What a worker is taken to write where nothing else is said."""

_WRITTEN_BY_CONDUCTOR = 200
"""Tokens: two to five sentences and three lists."""

_STEPS = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one system will take for all problems and repeats."""

    system: str
    calls: float
    prompt_tokens: float
    completion_tokens: float
    usd: Decimal | None
    """At the assumed length of answers; None: a price is unknown."""
    most_usd: Decimal | None
    """With every answer as long as its limit allows, and a token for every byte of the prompts."""


@dataclass(slots=True)
class _Count:
    """What was counted so far."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: Decimal | None = field(default_factory=Decimal)
    most_usd: Decimal | None = field(default_factory=Decimal)

    def add(self, usage: Usage, usd: Decimal | None, most: Decimal | None) -> None:
        self.calls += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.usd = total_usd((self.usd, usd))
        self.most_usd = total_usd((self.most_usd, most))


@dataclass(frozen=True, slots=True)
class _StandIn:
    """Says something of the assumed length, and is counted."""

    count: _Count
    price: Price | None
    is_tool: bool
    tokens: int
    text: str

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`."""
        if self.is_tool:
            self.count.add(Usage(), Decimal(0), Decimal(0))
            return Completion(self.text[:40], Usage(), "stand-in")
        read = sum(len(message.text) // CHARS_PER_TOKEN + 4 for message in messages)
        usage = Usage(read, min(self.tokens, sampling.max_tokens))
        _, most = worst_case(messages, sampling, self.price)
        self.count.add(usage, cost_of(usage, self.price), most)
        return Completion(self.text, usage, "stand-in")


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    """Plays with stand-ins; the pool that the system itself looks at stays as it is."""

    count: _Count
    own: Budget
    tokens: int

    async def conduct(
        self, question: str, pool: AgentPool, proposer: Proposer, rounds: int = 1
    ) -> Trace:
        """As `system.Play`."""
        text = "<answer>0</answer>" + " word" * (self.tokens * CHARS_PER_TOKEN // 5)
        workers = tuple(self._worker(worker, text) for worker in pool.workers)
        if isinstance(proposer, Conductor):
            stand_in = self._behind(
                proposer.price, False, _WRITTEN_BY_CONDUCTOR, _written(len(pool))
            )
            proposer = replace(proposer, model=stand_in, constrain=False)
        limits = Limits(rounds=rounds)
        return await conduct(question, AgentPool(pool.name, workers), proposer, limits=limits)

    def _worker(self, worker: Worker, text: str) -> Worker:
        spec = worker.spec
        return Worker(spec, self._behind(spec.price, spec.is_tool, self.tokens, text))

    def _behind(self, price: Price | None, is_tool: bool, tokens: int, text: str) -> ChatModel:
        stand_in = _StandIn(self.count, price, is_tool, tokens, text)
        return Budgeted(stand_in, self.own, price, is_tool)


async def estimate(
    systems: Sequence[System],
    problems: Sequence[Posed],
    repeats: int = 1,
    each: Limits | None = None,
    answer_tokens: int = ANSWER_TOKENS,
) -> list[Estimate]:
    """Rehearse an evaluation; no model is called.

    Args:
        systems: who will answer.
        problems: what will be asked; at least one.
        repeats: how often.
        each: what a system may spend on one problem.
        answer_tokens: what a worker is taken to write.
    """
    apart = max(1, len(problems) // REHEARSED)
    sample = list(problems)[::apart][:REHEARSED]
    times = len(problems) * repeats / len(sample)
    found = []
    for system in systems:
        count = _Count()
        for i, posed in enumerate(sample):
            rehearsal = _Rehearsal(count, Budget(each or Limits()), answer_tokens)
            rng = random.Random(f"rehearsal {system.name} {i}")
            await system.answer(Sitting(posed.question, posed.pool, rng, rehearsal.conduct))
        found.append(
            Estimate(
                system.name,
                count.calls * times,
                count.prompt_tokens * times,
                count.completion_tokens * times,
                _scaled(count.usd, times),
                _scaled(count.most_usd, times),
            )
        )
    return found


def _scaled(usd: Decimal | None, times: float) -> Decimal | None:
    return None if usd is None else usd * Decimal(str(times))


def _written(size: int) -> str:
    """What a Conductor could write for a pool of this size."""
    workers = [i % size for i in range(_STEPS)]
    subtasks = [f"Do part {i} of the question, and say how you did it." for i in range(_STEPS)]
    access = [[], ["all"], ["all"]]
    return (
        "One works it out, one checks, one answers.\n"
        f"model_id = {workers}\nsubtasks = {subtasks}\naccess_list = {access}"
    )
