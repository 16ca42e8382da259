"""AskRequest: the body of `POST /page/asks`, read and checked against what the server offers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from partbook.budget import Limits
from partbook.conduct import Conductor, Fixed
from partbook.fixed import FixedStep, FixedWorkflow
from partbook.message import Message
from partbook.pool import AgentPool
from partbook.server.chat_request import ChatRequest
from partbook.server.conversation import Conversation
from partbook.server.effort import EFFORTS
from partbook.server.fields import Fields
from partbook.server.orchestra import orchestra_limits
from partbook.server.refusal import bad_request
from partbook.server.served import Orchestra, Served
from partbook.server.wishes import Wishes

__all__ = ["CONDUCTOR", "MOST_ROUNDS", "AskRequest", "default_system", "read_ask"]

CONDUCTOR = "conductor"
"""The system in which the Conductor writes the workflow."""

MOST_ROUNDS = 5

_MOST_QUESTION_CHARS = 200_000
_MOST_EXCLUDED = 200

_ANSWER = "Answer the question."
"""The one subtask of a worker that is asked alone."""


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What is to be played."""

    offer: Orchestra
    pool: AgentPool
    """Those who may be called."""
    asked: ChatRequest
    limits: Limits


def default_system(served: Served) -> str:
    """The system of an ask that names none: what the server was started with."""
    if isinstance(served.proposer, Fixed):
        return f"workflow:{served.proposer.workflow.name}"
    return CONDUCTOR


def read_ask(body: Mapping[str, Any], served: Served, workers: frozenset[str] | None) -> AskRequest:
    """Read a request.

    Args:
        body: its JSON object.
        served: what is offered.
        workers: names of those that may be used; None: all.

    Raises:
        Refusal: something in it is wrong, unknown, or may not be used; `param` names it.
    """
    fields = Fields(body)
    question = fields.text("question", _MOST_QUESTION_CHARS) or ""
    if not question.strip():
        raise bad_request("question: a text was expected", "question", "missing_field")
    system = fields.text("system", 300) or default_system(served)
    effort = fields.text("effort", 40)
    if effort is not None and effort not in EFFORTS:
        known = ", ".join(EFFORTS)
        raise bad_request(f"effort: one of {known} was expected", "effort", "invalid_value")
    excluded = frozenset(fields.texts("exclude", _MOST_EXCLUDED))
    own = Limits(
        _money(fields.raw("max_usd")),
        fields.integer("max_calls", 1, 10_000),
        None,
        fields.number("timeout_s", 0.001, 86_400),
    )
    rounds = fields.integer("rounds", 1, MOST_ROUNDS)
    if unknown := fields.left():
        name = next(iter(unknown))[:60]
        raise bad_request(f"{name!a}: no such field", None, "unknown_field")
    offer = _offer(served, system, question)
    pool = _pool(served, offer, workers, excluded)
    conversation = Conversation((Message("user", question),))
    wishes = Wishes()
    asked = ChatRequest(offer.model, conversation, wishes, stream=True, effort=effort, limits=own)
    limits = orchestra_limits(offer, asked, served.limits)
    return AskRequest(offer, pool, asked, _with_rounds(limits, offer, rounds))


def _offer(served: Served, system: str, question: str) -> Orchestra:
    kind, _, name = system.partition(":")
    if system == CONDUCTOR and isinstance(served.proposer, Conductor):
        return Orchestra(served.pin, served.proposer)
    if kind == "workflow":
        if isinstance(served.proposer, Fixed) and served.proposer.workflow.name == name:
            return Orchestra(served.pin, served.proposer)
        if name in served.workflows:
            return Orchestra(name, Fixed(served.workflows[name]))
    if kind == "worker" and name in served.pool.names:
        spec = served.pool[served.pool.find(name)].spec
        if spec.kind != "conductor":
            # A tool is shown the last text alone: that is the question.
            subtask = question if spec.context == "plain" else _ANSWER
            alone = FixedWorkflow(name, "", (FixedStep(name, subtask, ()),))
            return Orchestra(name, Fixed(alone))
    raise bad_request(
        f"system: {system[:100]!r} is none of those in /page/about", "system", "unknown_system"
    )


def _pool(
    served: Served, offer: Orchestra, workers: frozenset[str] | None, excluded: frozenset[str]
) -> AgentPool:
    """The workers that may be called."""
    if unknown := excluded - set(served.pool.names):
        name = sorted(unknown)[0][:100]
        raise bad_request(f"exclude: there is no worker {name!r}", "exclude", "unknown_worker")
    pool = served.pool_for(offer, workers)
    if not excluded:
        return pool
    left = [i for i, name in enumerate(pool.names) if name not in excluded]
    if not left:
        raise bad_request("exclude: no worker is left", "exclude", "nobody_left")
    pool = pool.pick(left)
    proposer = offer.proposer
    if isinstance(proposer, Fixed) and not proposer.workflow.fits(pool):
        raise bad_request(
            "exclude: the workflow needs a worker that is excluded", "exclude", "nobody_left"
        )
    return pool


def _with_rounds(limits: Limits, offer: Orchestra, rounds: int | None) -> Limits:
    if rounds is None or rounds == limits.rounds:
        return limits
    proposer = offer.proposer
    if rounds > 1 and not (isinstance(proposer, Conductor) and proposer.style == "paper"):
        raise bad_request(
            "rounds: only a Conductor that was not trained in another style looks again",
            "rounds",
            "unsupported_parameter",
        )
    return replace(limits, rounds=rounds)


def _money(value: object) -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, str) and len(value) <= 40:
        try:
            usd = Decimal(value)
            if usd.is_finite() and usd >= 0:
                return usd
        except InvalidOperation:
            pass
    told = "max_usd: dollars as a text of 0 or more were expected"
    raise bad_request(told, "max_usd", "invalid_value")
