"""Wishes: what a bill is asked, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from partbook.errors import ConfigError
from partbook.price import Price

__all__ = ["Overhead", "Wishes"]

PAPER_FEWER = Decimal("0.4")
"""3 steps on average where 5 are allowed (arXiv:2512.04388)."""

PAPER_STEPS = Decimal(5)
"""Steps that a workflow may have there."""

MONTH_HOURS = Decimal(730)
"""Hours of an average month: 365 × 24 / 12."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """What the Conductor itself costs."""

    price: Price | None = None
    """Of its API, per token; None: it is not called for money."""
    read: int = 0
    """Tokens that it reads for a task."""
    written: int = 0
    """Tokens that it writes for a task."""
    gpu_usd_per_hour: Decimal | None = None
    """None: it needs no GPU."""
    gpu_hours: Decimal = MONTH_HOURS
    """A month."""

    @property
    def given(self) -> bool:
        """Whether anything was said about it."""
        return self.price is not None or self.gpu_usd_per_hour is not None

    @property
    def fixed(self) -> Decimal:
        """Dollars a month, whatever is asked."""
        return (self.gpu_usd_per_hour or Decimal(0)) * self.gpu_hours


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked of a bill."""

    month: str = ""
    """As 2026-10; empty: the last one that is there."""
    fewer: Decimal = PAPER_FEWER
    """Share of the calls that fall away, between 0 and 1."""
    calls_per_task: Decimal = PAPER_STEPS
    """Calls that a task takes today, at least 1."""
    calls: int | None = None
    """Calls in the month, where the bill does not tell them."""
    pool: str = ""
    """Name of the pool whose workers are priced; empty: none."""
    workers: Mapping[str, Price | None] = field(default_factory=dict)
    """Its workers with their prices; None: unknown."""
    overhead: Overhead = Overhead()

    def __post_init__(self) -> None:
        if not 0 < self.fewer < 1:
            raise ConfigError(f"--fewer: a share above 0 and below 100 % was expected, "
                              f"found {100 * self.fewer.normalize():f} %")  # fmt: skip
        if self.calls_per_task < 1:
            raise ConfigError(f"--calls-per-task: at least 1 was expected, "
                              f"found {self.calls_per_task}")  # fmt: skip
        after = self.calls_per_task * (1 - self.fewer)
        if after < 1:
            raise ConfigError(
                f"{self.calls_per_task} calls per task and {100 * self.fewer.normalize():f} % "
                f"fewer leave {after.normalize():f} calls, which is less than one; say how many "
                "calls a task takes today with --calls-per-task"
            )
