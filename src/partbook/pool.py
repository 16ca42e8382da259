"""Worker and AgentPool: who may be called, and how each of them is to be spoken to.

A `WorkerSpec` is what a pool file says; a `Worker` is that together with the opened model. How a
spec becomes a model is left to `models/`, how a file becomes a spec to `config.py`.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from partbook.errors import ConfigError
from partbook.message import Sampling
from partbook.model import ChatModel
from partbook.plugged import Plugged
from partbook.price import Price

__all__ = [
    "AgentPool",
    "Context",
    "Example",
    "OnOverflow",
    "OnTruncated",
    "Worker",
    "WorkerKind",
    "WorkerSpec",
]

OnTruncated = Literal["mark", "continue", "fail"]
"""What becomes of an answer that was cut off at its token limit: it is passed on and marked, the
worker is asked to go on, or the step fails."""

OnOverflow = Literal["fail", "shorten"]
"""What happens where the earlier answers do not fit into a worker's context window."""

WorkerKind = Literal["http", "local", "torch", "calculator", "python", "lab", "conductor"]
"""`conductor`: the Conductor itself, which carries out the step by a round of its own."""

Context = Literal["turns", "tagged", "plain"]
"""How a worker is shown what it may read; see `prompt.worker_messages`."""

_NUMBER = re.compile("(?:[1-9][0-9]{0,8})?")


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
    kind: str
    """A `WorkerKind`, or the name of a plug-in."""
    model: str = ""
    """The provider's id of the model (`http`), its name in the model registry or its GGUF file
    (`local`), or its folder or id on the Hugging Face hub (`torch`)."""
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
    retries: int = 2
    """Tries after the first, for faults that may pass; see `retry.REACTIONS`."""
    requests_per_minute: int | None = None
    """None: no limit of ours."""
    tokens_per_minute: int | None = None
    """Prompt and completion; None: no limit of ours."""
    on_truncated: OnTruncated = "mark"
    on_overflow: OnOverflow = "fail"
    fallbacks: tuple[str, ...] = ()
    """Names of the workers that are asked in its place, in turn, once its own tries are used up."""
    opens_reasoning: bool = False
    """Whether its chat template opens the reasoning: what is before its end is no answer."""
    key_file: str = ""
    """File that holds the API key, in place of `key_env`; only its owner may read it."""
    cache: bool = False
    """Whether its whole answers are kept on this machine, and the same call is never made again."""
    labels: tuple[str, ...] = ()
    """What the pool's owner vouches for: `no-customer-data`, ...; a request may demand some."""
    plugged: Plugged | None = None
    """What a plug-in says of it; None where its kind is one of ours."""

    @property
    def is_tool(self) -> bool:
        """Whether it computes instead of generating text: no tokens, no sampling."""
        return self.kind in ("calculator", "python") or bool(self.plugged and self.plugged.is_tool)

    @property
    def is_model(self) -> bool:
        """Whether it is a language model: no tool, and not the Conductor itself."""
        return not self.is_tool and self.kind != "conductor"

    @property
    def is_here(self) -> bool:
        """Whether what it reads stays in this process, whatever address an endpoint has."""
        return self.kind != "http" if self.plugged is None else self.plugged.is_here


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
    last: "AgentPool | None" = field(default=None, repr=False)
    """The same workers, in the same order, as they are spoken to in the last step of a workflow,
    whose answer is the user's; None: as in any other."""
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The workers' names, in order; kept, because every run asks for them several times."""

    def __post_init__(self) -> None:
        if not self.workers:
            raise ConfigError(f"pool {self.name!r} has no workers")
        if self.last is not None and len(self.last.workers) != len(self.workers):
            raise ConfigError(f"pool {self.name!r} has other workers for the last step")
        object.__setattr__(self, "names", tuple(worker.name for worker in self.workers))

    def __len__(self) -> int:
        return len(self.workers)

    def __getitem__(self, index: int) -> Worker:
        return self.workers[index]

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
        if having and _NUMBER.fullmatch(number):
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
