"""Served: what a server offers, under which names, and who of it a key may use.

`partbook` is the whole orchestra as the server was started, `partbook/NAME` one worker alone or a
fixed workflow. The dated name is that of the orchestra as it is now: another pool or Conductor has
another one, so whoever pins it never gets something else without being told.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from partbook.budget import Limits
from partbook.conduct import Conductor, Fixed, Proposer
from partbook.fixed import FixedWorkflow
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.server.chat_request import FollowUp
from partbook.server.refusal import Refusal
from partbook.server.wishes import takes_tools
from partbook.trace import Trace

__all__ = ["ALIAS", "Alone", "Offer", "Orchestra", "Served"]

ALIAS = "partbook"
"""The name that stays."""


@dataclass(frozen=True, slots=True)
class Orchestra:
    """A workflow on the pool, whoever writes it."""

    model: str
    """The name that a reply carries."""
    proposer: Proposer

    @property
    def writes_workflows(self) -> bool:
        """Whether a Conductor settles them, and not a person who did so before."""
        return isinstance(self.proposer, Conductor)


@dataclass(frozen=True, slots=True)
class Alone:
    """One worker, who gets the client's messages as they are."""

    model: str
    worker: Worker


Offer = Orchestra | Alone


@dataclass(frozen=True, slots=True)
class Served:
    """What the server offers."""

    pool: AgentPool
    """Opened."""
    proposer: Proposer
    """Opened, on this pool."""
    pin: str
    """The dated name: `partbook-2026-11-29-1a2b3c`."""
    created: int
    """When it was first served, in seconds since the epoch."""
    workflows: Mapping[str, FixedWorkflow] = field(default_factory=dict)
    """By name; each can be played on the pool."""
    limits: Limits = field(default_factory=Limits)
    """What one request may spend at most, whatever it asks for."""
    strict: bool = False
    """Whether a request with a field that would be passed over is refused."""
    reasoning: bool = True
    """Whether plan and steps are shown as reasoning."""
    follow_ups: FollowUp = "keep"
    """How conversations go on where the request does not say."""
    keep: Callable[[Trace], None] | None = None
    """Keeps a run with all that was said in it; None: nothing of that is kept."""
    kept: Callable[[str], Awaitable[Trace | None]] | None = None
    """Finds a run that was kept, by its whole id; None: nothing is kept."""

    def offer(self, model: str, workers: frozenset[str] | None = None) -> Offer:
        """What a model name stands for.

        Args:
            model: as a client says it.
            workers: who may be used; None: all.

        Raises:
            Refusal: nothing is known by this name, or the key may not use it.
        """
        if model in (ALIAS, self.pin):
            return Orchestra(self.pin, self.proposer)
        name = model.removeprefix(f"{ALIAS}/")
        if name != model and name in self.pool.names:
            if workers is not None and name not in workers:
                raise _forbidden(f"this key may not use the worker {name!r}")
            return Alone(model, self.pool[self.pool.find(name)])
        if name != model and name in self.workflows:
            return Orchestra(model, Fixed(self.workflows[name]))
        raise Refusal(
            f"there is no model {model[:100]!r}; see GET /v1/models",
            status=404,
            kind="invalid_request_error",
            param="model",
            code="model_not_found",
        )

    def pool_for(self, offer: Orchestra, workers: frozenset[str] | None) -> AgentPool:
        """The workers of the pool that an offer is played on for a key.

        Raises:
            Refusal: it may use none, or not all that a fixed workflow needs.
        """
        if workers is None:
            return self.pool
        indices = [i for i, name in enumerate(self.pool.names) if name in workers]
        if not indices:
            raise _forbidden("this key may use no worker of the pool")
        pool, proposer = self.pool.pick(indices), offer.proposer
        if isinstance(proposer, Fixed) and not proposer.workflow.fits(pool):
            raise _forbidden("this key may not use all workers of the workflow")
        return pool

    def names(self, workers: frozenset[str] | None = None) -> list[str]:
        """All model names, the alias first."""
        names = [ALIAS, self.pin]
        names += [f"{ALIAS}/{w}" for w in self.pool.names if workers is None or w in workers]
        return names + [f"{ALIAS}/{w}" for w in self.workflows if w not in self.pool.names]

    def described(self, model: str) -> dict[str, Any]:
        """A model as `GET /v1/models` shows it.

        Raises:
            Refusal: nothing is known by this name.
        """
        offer = self.offer(model)
        specs = [offer.worker.spec] if isinstance(offer, Alone) else self._played(offer)
        windows = [s.context_window for s in specs if s.context_window is not None]
        limits = [s.sampling.max_tokens for s in specs if not s.is_tool]
        return {
            "id": model,
            "object": "model",
            "created": self.created,
            "owned_by": "partbook",
            "pinned": offer.model,
            "context_length": min(windows, default=None),
            "max_completion_tokens": min(limits, default=None),
            "input_modalities": ["text"],
            "output_modalities": ["text"],
            "supports_tools": self.takes_tools(offer),
        }

    def takes_tools(self, offer: Offer) -> bool:
        """Whether whoever answers can be given the user's own tools.

        Of a Conductor it is not known whom it lets answer, so all must.
        """
        if isinstance(offer, Alone):
            return takes_tools(offer.worker.spec)
        if isinstance(offer.proposer, Fixed):
            last = offer.proposer.workflow.resolve(self.pool).workers[-1]
            return takes_tools(self.pool[last].spec)
        return all(takes_tools(worker.spec) for worker in self.pool.workers)

    def _played(self, offer: Orchestra) -> list[WorkerSpec]:
        """The specs of all workers that a workflow of this offer may need."""
        if isinstance(offer.proposer, Fixed):
            workflow = offer.proposer.workflow.resolve(self.pool)
            return [self.pool[i].spec for i in dict.fromkeys(workflow.workers)]
        return [worker.spec for worker in self.pool.workers]


def _forbidden(message: str) -> Refusal:
    return Refusal(message, status=403, kind="permission_error", code="worker_not_allowed")
