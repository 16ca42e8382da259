"""Figures: what is known of workers and of workflows, measured or stated.

A worker's calls are either a sample of real ones, of which one is drawn as a whole so that long
answers stay dear and slow at once, or a lognormal distribution between two stated quantiles. Every
figure carries where it comes from, and a price that nobody knows stays unknown.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, Protocol

from partbook.errors import ConfigError, FaultKind
from partbook.message import Usage
from partbook.price import Price

__all__ = [
    "ANYBODY",
    "Assumed",
    "Call",
    "Calls",
    "Limit",
    "Mix",
    "Plan",
    "PlannedRound",
    "PlannedStep",
    "Provider",
    "Sampled",
    "WorkerFigures",
]

ANYBODY = "*"
"""Stands for a worker that is drawn anew each time, every one as often as the others."""

_Z95 = 1.6448536269514722
"""The 95th percentile of a normal distribution, in standard deviations."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call that was answered."""

    seconds: float
    """From sending to the whole answer, without waiting for a turn."""
    usage: Usage


class Calls(Protocol):
    """What a worker's calls take."""

    @property
    def source(self) -> str:
        """Where it is from, for a person."""
        ...

    def draw(self, rng: random.Random) -> Call:
        """The next call."""
        ...


@dataclass(frozen=True, slots=True)
class Sampled:
    """Calls that were measured; each is drawn as often as the others."""

    calls: Sequence[Call]
    """At least one."""
    source: str

    def draw(self, rng: random.Random) -> Call:
        """As `Calls.draw`."""
        return self.calls[int(rng.random() * len(self.calls))]


@dataclass(frozen=True, slots=True)
class Assumed:
    """Calls whose seconds are lognormal, and whose tokens are always the same."""

    p50_s: float
    p95_s: float
    usage: Usage
    source: str

    def __post_init__(self) -> None:
        if not 0 <= self.p50_s <= self.p95_s < math.inf or (self.p95_s and not self.p50_s):
            raise ConfigError(
                f"{self.source}: 0 < p50_s <= p95_s was expected, found {self.p50_s:g} and "
                f"{self.p95_s:g}"
            )

    def draw(self, rng: random.Random) -> Call:
        """As `Calls.draw`."""
        if self.p50_s == self.p95_s:
            return Call(self.p50_s, self.usage)
        spread = math.log(self.p95_s / self.p50_s) / _Z95
        return Call(self.p50_s * math.exp(rng.gauss(0.0, spread)), self.usage)


Limit = Literal["concurrency", "requests a minute", "tokens a minute", "the provider", "processor"]
"""What a worker, or the endpoint itself, can have too little of."""


@dataclass(frozen=True, slots=True)
class Provider:
    """What the other side does with too many calls at once."""

    concurrency: int
    """Calls that it answers at once."""
    refuses: bool = False
    """Whether more are refused (status 429); else they wait there."""
    retry_after_s: float | None = None
    """How long a refused call is told to wait; None: it is not told."""


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    """One worker, or the Conductor: its calls, and the limits that hold for them."""

    name: str
    calls: Calls
    price: Price | None
    """None: unknown, which is not 0."""
    max_concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_tokens: int = 4096
    """Most that it may write, which a limit of tokens holds back until the answer is there."""
    timeout_s: float = 600.0
    retries: int = 2
    has_breaker: bool = True
    """Whether it is left alone for a while after several faults; only `http` workers are."""
    faults: Mapping[FaultKind, float] = field(default_factory=dict)
    """Share of calls that fail so; such a call takes as long as an answer, and costs nothing."""
    fallbacks: tuple[str, ...] = ()
    provider: Provider | None = None
    """None: the other side has no limit that is known."""

    def cost_usd(self, usage: Usage) -> Decimal | None:
        """What a call costs; None: unknown."""
        if not usage.total_tokens:
            return Decimal(0)
        return None if self.price is None else self.price.cost_usd(usage)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step of a workflow, without its words."""

    worker: str
    """A name, or `ANYBODY`."""
    access: tuple[int, ...] = ()
    calls: int = 1
    """Calls one after another: more than 1 where an answer was continued."""


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """One propose-play cycle."""

    proposals: int
    """Calls of the Conductor; 0: a fixed workflow."""
    steps: tuple[PlannedStep, ...]
    """Empty where the answer before was kept."""
    checks: tuple[str, ...] = ()
    """Workers that were asked afterwards whether the answer will do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one request has done for it."""

    rounds: tuple[PlannedRound, ...]

    @property
    def workers(self) -> list[str]:
        """Everybody who is called, once a call."""
        return [
            name
            for round_ in self.rounds
            for name in (*(s.worker for s in round_.steps for _ in range(s.calls)), *round_.checks)
        ]

    @property
    def proposals(self) -> int:
        """Calls of the Conductor."""
        return sum(round_.proposals for round_ in self.rounds)


@dataclass(frozen=True, slots=True)
class Mix:
    """The plans that requests have, each with its share."""

    plans: Sequence[Plan]
    shares: Sequence[float]
    """As many, 0 or more, not all 0; they need not sum to 1."""
    source: str

    def __post_init__(self) -> None:
        if not self.plans or len(self.plans) != len(self.shares):
            raise ConfigError(f"{self.source}: a share for each of at least one workflow is needed")
        if not (min(self.shares) >= 0 and 0 < sum(self.shares) < math.inf):
            raise ConfigError(f"{self.source}: shares of 0 or more were expected, not all 0")

    def draw(self, rng: random.Random) -> Plan:
        """The plan of the next request."""
        if len(self.plans) == 1:
            return self.plans[0]
        return rng.choices(self.plans, self.shares)[0]

    def unconducted(self) -> "Mix":
        """The same without the Conductor's calls: a policy that is trained writes itself."""
        plans = tuple(
            Plan(tuple(replace(round_, proposals=0) for round_ in plan.rounds))
            for plan in self.plans
        )
        return replace(self, plans=plans)

    @property
    def workers(self) -> set[str]:
        """Everybody who may be called; perhaps `ANYBODY`."""
        return {name for plan in self.plans for name in plan.workers}

    @property
    def is_conducted(self) -> bool:
        """Whether a Conductor is asked for some of them."""
        return any(plan.proposals for plan in self.plans)
