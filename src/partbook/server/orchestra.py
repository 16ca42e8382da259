"""Plays a request on the whole pool: the conversation as one question, the wishes on the last step.

Nothing of it is a new way to conduct. The pool of the request is the server's, with the user's
system prompt in its workers' instructions and the user's wishes on the workers of the last step;
the Conductor is shown the question's brief. What happens is heard by a `Listener`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Protocol, TypeVar

from partbook.budget import Limits
from partbook.conduct import Conductor, Proposer, conduct
from partbook.errors import ConfigError
from partbook.event import Event, Planned
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import Price
from partbook.server.account import Account
from partbook.server.chat_request import ChatRequest
from partbook.server.effort import effort_of, with_effort
from partbook.server.metered import Ear, Metered
from partbook.server.refusal import Refusal, bad_request, refusal_of
from partbook.server.served import Orchestra
from partbook.server.wishes import Wishes
from partbook.stage import Stage
from partbook.trace import Trace

__all__ = [
    "Hears",
    "orchestra_limits",
    "play_orchestra",
    "request_pool",
    "setup_refusal",
    "smaller",
]


_N = TypeVar("_N", Decimal, int, float)

_NO_WISHES = Wishes()


class Hears(Protocol):
    """Receives the events of a run."""

    def add(self, event: Event) -> None:
        """Take the next event; must not block."""
        ...


@dataclass(frozen=True, slots=True)
class _Briefed:
    """A Proposer that is shown the brief in place of the whole question."""

    proposer: Proposer
    brief: str

    async def propose(self, stage: Stage, round_index: int) -> Planned | None:
        """As `Proposer.propose`."""
        return await self.proposer.propose(replace(stage, question=self.brief), round_index)

    def count_earlier(self, stage: Stage) -> None:
        """As `Proposer.count_earlier`."""
        self.proposer.count_earlier(replace(stage, question=self.brief))


async def play_orchestra(
    offer: Orchestra,
    pool: AgentPool,
    asked: ChatRequest,
    limits: Limits,
    account: Account | None,
    ear: Ear,
    listener: Hears,
) -> tuple[Trace, AgentPool]:
    """Answer a request by a workflow.

    Args:
        offer: who settles it.
        pool: the workers that may be called.
        asked: the request.
        limits: what it may spend; see `orchestra_limits`.
        account: whose calls these are; None: nobody's.
        ear: what hears of failures.
        listener: what hears of events.

    Returns:
        The trace of the answered run, and the pool that it was played on.

    Raises:
        Refusal: there is no answer.
    """
    conversation = asked.conversation
    proposer = offer.proposer
    if isinstance(proposer, Conductor):
        price = proposer.price or limits.assumed_price
        model = Metered(proposer.model, price, False, account, ear)
        proposer = with_effort(replace(proposer, model=model), effort_of(asked.effort))
    cast = request_pool(pool, asked, limits.assumed_price, account, ear)
    try:
        trace = await conduct(
            conversation.question,
            cast,
            _Briefed(proposer, conversation.brief),
            limits=limits,
            on_event=listener.add,
            stream=asked.stream,
        )
    except ConfigError as err:
        raise setup_refusal(err, limits, account, pool.workers) from err
    if trace.status != "answered":
        if ear.key_is_spent is not None and account is not None and trace.reason == "usd":
            raise account.refusal(str(ear.key_is_spent))
        raise refusal_of(trace, ear.failure)
    return trace, cast


def orchestra_limits(offer: Orchestra, asked: ChatRequest, limits: Limits) -> Limits:
    """What a request may spend, and how many rounds it may have.

    Args:
        offer: who settles the workflow; effort bounds what a Conductor may do.
        asked: the request.
        limits: what the server allows each request.
    """
    limits = smaller(limits, asked.limits)
    if not isinstance(offer.proposer, Conductor):
        return limits
    effort = effort_of(asked.effort)
    # A Conductor that was trained in another style than the paper's was never shown an answer.
    rounds = effort.rounds if offer.proposer.style == "paper" else 1
    limits = smaller(limits, Limits(calls=effort.calls))
    return replace(limits, rounds=max(limits.rounds, rounds))


def request_pool(
    pool: AgentPool,
    asked: ChatRequest,
    assumed: Price | None,
    account: Account | None,
    ear: Ear,
) -> AgentPool:
    """The pool as it is spoken to in one request.

    Args:
        pool: the server's.
        asked: the request.
        assumed: what a worker without a known price is taken to cost on the account.
        account: whose calls these are; None: nobody's.
        ear: what hears of failures.
    """

    def heard(worker: Worker) -> Metered:
        spec = worker.spec
        return Metered(worker.model, spec.price or assumed, spec.is_tool, account, ear)

    conversation = asked.conversation
    models = [heard(worker) for worker in pool.workers]
    specs = [worker.spec for worker in pool.workers]
    background = conversation.background
    workers = tuple(map(Worker, (_knowing(spec, background) for spec in specs), models))
    told = _joined(conversation.system, asked.wishes.instruction)
    if not told and asked.wishes == _NO_WISHES and asked.effort is None:
        return AgentPool(pool.name, workers)
    last = map(Worker, (_finishing(spec, asked, told) for spec in specs), models)
    return AgentPool(pool.name, workers, AgentPool(pool.name, tuple(last)))


def setup_refusal(
    err: ConfigError, limits: Limits, account: Account | None, workers: Sequence[Worker]
) -> Refusal:
    """What a client is told about something that the operator has to mend.

    A limit in dollars where a price is unknown is the client's as well, if it asked for it.
    """
    in_dollars = limits.usd is not None or (account is not None and account.is_limited)
    unknown = [w.name for w in workers if w.spec.price is None and not w.spec.is_tool]
    if in_dollars and unknown and limits.assumed_price is None:
        return bad_request(
            f"a limit in dollars needs the price of every worker; unknown: {', '.join(unknown)}",
            "max_usd",
            "unknown_price",
        )
    return Refusal(str(err), status=500, kind="server_error", code="setup")


def _knowing(spec: WorkerSpec, background: str) -> WorkerSpec:
    """The worker of a step before the last."""
    if not background or spec.is_tool:
        return spec
    return replace(spec, instructions=_joined(spec.instructions, background))


def _finishing(spec: WorkerSpec, asked: ChatRequest, told: str) -> WorkerSpec:
    """The worker as it answers the user."""
    if spec.is_tool:
        return spec
    # What the user's own limit cuts off is not continued.
    own_limit = asked.wishes.max_tokens
    cut_off = spec.on_truncated
    if own_limit is not None and own_limit <= spec.sampling.max_tokens:
        cut_off = "mark"
    return replace(
        spec,
        sampling=asked.wishes.over(spec, asked.effort),
        instructions=_joined(spec.instructions, told),
        on_truncated=cut_off,
    )


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


def smaller(one: Limits, other: Limits) -> Limits:
    """Of each limit the smaller one; what is no limit of both is as in the first."""
    return replace(
        one,
        usd=_least(one.usd, other.usd),
        calls=_least(one.calls, other.calls),
        tokens=_least(one.tokens, other.tokens),
        timeout_s=_least(one.timeout_s, other.timeout_s),
        assumed_price=one.assumed_price or other.assumed_price,
    )


def _least(one: _N | None, other: _N | None) -> _N | None:
    return min((value for value in (one, other) if value is not None), default=None)
