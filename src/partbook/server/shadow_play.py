"""Plays one request of a shadow: the other system answers, and a judge compares in secret.

The rival answers by the same `Job` as everybody, with an account of its own, a ledger and metrics
that nobody else sees, and no limits but the server's. Its failures are told apart: an answer that
it could not give is a loss, but what only the shadow's budget, the set-up or a provider's load is
to blame for says nothing about it.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from partbook.budget import Limits
from partbook.errors import BudgetError, ConfigError, WorkerError
from partbook.evaluate.shadowing.shadow import Outcome, Took
from partbook.message import Usage
from partbook.model import ChatModel
from partbook.pool import AgentPool, Worker
from partbook.price import Price, total_usd
from partbook.server.account import Account
from partbook.server.admission import Holder
from partbook.server.chat_request import ChatRequest
from partbook.server.job import Hearing, Job
from partbook.server.metered import Ear, Metered
from partbook.server.metrics import Metrics
from partbook.server.refusal import Refusal
from partbook.server.reply import Entry
from partbook.server.served import Offer, Served
from partbook.server.tools import Callers
from partbook.stage import cost_of

__all__ = ["Judge", "Judgement", "Played", "Rival", "play_shadow", "took_of"]

JUDGE_S = 300.0
"""How long a judge may take for both orders, in seconds."""

_BUDGET = "insufficient_quota"
_NOT_ITS_FAULT = frozenset(
    {_BUDGET, "setup", "unknown_price", "worker_not_allowed", "unsupported_parameter"}
    | {"worker_rate_limit", "worker_overloaded", "worker_unavailable", "worker_auth"}
    | {"worker_quota", "account_unavailable"}
)
"""Codes of refusals that say nothing about the system's answers."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of two answers, asked in both orders."""

    prefers_first: bool | None
    """None: neither, or the two orders disagree."""
    is_judged: bool
    """Whether both replies hold a verdict."""
    is_torn: bool = False
    """Whether it preferred a place."""
    calls: int = 2
    usage: Usage | None = None
    """None: unknown."""


class Judge(Protocol):
    """Compares two answers without being told whose they are."""

    async def __call__(self, model: ChatModel, question: str, first: str, second: str) -> Judgement:
        """Ask in both orders.

        Args:
            model: the judge's, behind the shadow's account.
            question: what was asked.
            first: one answer.
            second: the other.

        Raises:
            WorkerError: the judge could not be asked; also what an account raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rival:
    """The other system, and who judges."""

    offer: Offer
    pool: AgentPool
    """Opened for the shadow: what fails in it breaks nothing of the live one."""
    names: frozenset[str]
    """Workers that may be called, the judge's included."""
    worker: Worker
    """The judge's."""
    judge: Judge
    judge_price: Price | None
    """What the judge is taken to cost on the shadow's budget; None: unknown."""
    gives_way: bool
    """Whether it shares models in this process with live requests."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a request."""

    outcome: Outcome
    answer: str = ""
    """Of the rival."""
    rival: Took = Took()  # noqa: RUF009 - a frozen value
    judge: Took = Took()  # noqa: RUF009 - a frozen value
    torn: bool = False
    why: str = ""
    """A code, or the kind of a failure; no word of a prompt."""

    @property
    def is_budget_spent(self) -> bool:
        """Whether the shadow's own budget forbade a call."""
        return self.why == _BUDGET


async def play_shadow(
    served: Served,
    rival: Rival,
    asked: ChatRequest,
    answer: str,
    workers: frozenset[str] | None,
    account: Account,
) -> Played:
    """Let the rival answer, and the judge compare.

    Args:
        served: what the server offers; its pool is not used.
        rival: who answers and judges.
        asked: what the client has asked.
        answer: what it was answered.
        workers: those that its key may use; None: all.
        account: the shadow's own.
    """
    asked = replace(asked, stream=False, n=1, limits=Limits(), metadata=False, follow_ups=None)
    place = replace(served, pool=rival.pool)
    holder = Holder("shadow", workers, account)
    job = Job(place, asked, rival.offer, holder, Metrics(), Callers())
    begun = time.monotonic()
    try:
        reply = await job.play(Hearing())
    except Refusal as err:
        took = took_of(job.ledger, time.monotonic() - begun)
        code = err.code or err.kind
        outcome: Outcome = "given up" if code in _NOT_ITS_FAULT else "no answer"
        return Played(outcome, rival=took, why=code)
    took = took_of(reply.ledger, reply.seconds)
    own = reply.answers[0].text
    if not own.strip():
        return Played("no answer", rival=took, why="blank")
    return await _judged(rival, asked, (own, answer), took, account)


async def _judged(
    rival: Rival, asked: ChatRequest, answers: tuple[str, str], took: Took, account: Account
) -> Played:
    own, other = answers
    spec, price = rival.worker.spec, rival.judge_price
    model = Metered(rival.worker.model, price, spec.is_tool, account, Ear())
    conversation = asked.conversation
    question = "\n\n".join(t for t in (conversation.system, conversation.question) if t)
    if conversation.question == conversation.system:
        question = conversation.system
    begun = time.monotonic()
    try:
        async with asyncio.timeout(JUDGE_S):
            found = await rival.judge(model, question, own, other)
    except BudgetError:
        return Played("given up", own, took, why=_BUDGET)
    except WorkerError as err:
        return Played("no verdict", own, took, why=f"judge_{err.kind}")
    except TimeoutError:
        return Played("no verdict", own, took, why="judge_timeout")
    except ConfigError:
        return Played("no verdict", own, took, why="judge_setup")
    judge = Took(found.calls, cost_of(found.usage, spec.price), time.monotonic() - begun)
    if not found.is_judged:
        return Played("no verdict", own, took, judge, why="judge_form")
    wins = {True: "win", False: "loss", None: "tie"}
    outcome: Outcome = wins[found.prefers_first]  # type: ignore[assignment]
    return Played(outcome, own, took, judge, found.is_torn)


def took_of(ledger: Sequence[Entry], seconds: float) -> Took:
    """What a request took; its dollars are unknown as soon as one call's are."""
    usd = total_usd(entry.cost_usd for entry in ledger)
    return Took(sum(entry.calls for entry in ledger), usd, seconds)
