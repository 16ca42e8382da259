"""Worker and AgentPool: who may be called, and how each of them is to be spoken to.

A `WorkerSpec` is what a pool file says; a `Worker` is that together with the opened model. How a
spec becomes a model is left to `models/`, how a file becomes a spec to `config.py`.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from partbook.errors import ConfigError
from partbook.message import Sampling, Usage
from partbook.model import ChatModel

__all__ = ["FREE", "AgentPool", "Context", "Example", "Price", "Worker", "WorkerKind", "WorkerSpec"]

WorkerKind = Literal["http", "local", "calculator", "python", "lab"]

Context = Literal["turns", "tagged", "plain"]
"""How a worker is shown what it may read; see `prompt.worker_messages`."""

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input_usd: Decimal
    output_usd: Decimal
    cached_usd: Decimal | None = None
    """Price of cached prompt tokens; None: as any other prompt token."""

    def cost_usd(self, usage: Usage) -> Decimal:
        """Price of a call, exact.

        >>> Price(Decimal("1.25"), Decimal(10)).cost_usd(Usage(1000, 200))
        Decimal('0.00325')
        """
        cached = self.input_usd if self.cached_usd is None else self.cached_usd
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (
            self.input_usd * fresh
            + cached * usage.cached_tokens
            + self.output_usd * usage.completion_tokens
        ) / _MILLION


FREE = Price(Decimal(0), Decimal(0))
"""The price of what runs on this machine."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example that a worker is shown before its own subtask."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """One worker as the pool file describes it."""

    name: str
    """Unique in its pool."""
    kind: WorkerKind
    model: str = ""
    """The provider's id of the model (`http`), or its name in the model registry (`local`)."""
    endpoint: str = ""
    """Base URL of an OpenAI-compatible API, up to and including its version (`http`)."""
    key_env: str = ""
    """Environment variable that holds the API key; empty where none is needed."""
    card: str = ""
    """One line about what it is good at; shown to the Conductor."""
    roles: tuple[str, ...] = ()
    """What fixed workflows may ask for in place of a name: `code`, `write`, `run`, ..."""
    instructions: str = ""
    """The worker's own system prompt."""
    examples: tuple[Example, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    context: Context = "turns"
    price: Price | None = None
    """None: unknown, which is not 0."""
    context_window: int | None = None
    """Tokens that a prompt and its completion may have together; None: unknown."""
    max_concurrency: int = 8
    """Calls in flight at once; at least 1."""
    timeout_s: float = 600.0
    """Longest wait for one call, in seconds."""

    @property
    def is_tool(self) -> bool:
        """Whether it computes instead of generating text: no tokens, no sampling."""
        return self.kind in ("calculator", "python")


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that can be called."""

    spec: WorkerSpec
    model: ChatModel

    @property
    def name(self) -> str:
        """Its name in the pool."""
        return self.spec.name


@dataclass(frozen=True, slots=True)
class AgentPool:
    """The workers that a Conductor may call, in the order in which its prompt numbers them."""

    name: str
    workers: tuple[Worker, ...]

    def __post_init__(self) -> None:
        if not self.workers:
            raise ConfigError(f"pool {self.name!r} has no workers")

    def __len__(self) -> int:
        return len(self.workers)

    def __getitem__(self, index: int) -> Worker:
        return self.workers[index]

    @property
    def names(self) -> tuple[str, ...]:
        """The workers' names, in order."""
        return tuple(worker.name for worker in self.workers)

    def find(self, wanted: str) -> int:
        """Index of the worker of this name, else of one with this role.

        Args:
            wanted: a name, a role (its first worker), or `role#2` (its second worker; counting
                starts again at the first where fewer have the role).

        Raises:
            ConfigError: nobody has that name or role; the message lists both.
        """
        if wanted in self.names:
            return self.names.index(wanted)
        role, _, number = wanted.partition("#")
        having = [i for i, worker in enumerate(self.workers) if role in worker.spec.roles]
        if having and (not number or number.isdecimal()):
            return having[(int(number or 1) - 1) % len(having)]
        roles = sorted({role for worker in self.workers for role in worker.spec.roles})
        raise ConfigError(
            f"pool {self.name!r} has no worker with the name or role {wanted!r}; "
            f"names: {', '.join(self.names)}; roles: {', '.join(roles) or 'none'}"
        )

    def pick(self, indices: Sequence[int]) -> "AgentPool":
        """The pool of these workers, in this order."""
        return AgentPool(self.name, tuple(self.workers[i] for i in indices))

    def random_subset(self, size: int, rng: random.Random) -> "AgentPool":
        """`size` workers without replacement, in random order (arXiv:2512.04388, 3.2)."""
        return self.pick(rng.sample(range(len(self)), size))
