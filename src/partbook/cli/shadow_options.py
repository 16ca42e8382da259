"""The options of `partbook serve` that are about the shadow."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from partbook.cli.amounts import number, share
from partbook.errors import ConfigError

__all__ = [
    "ShadowJournalOption",
    "ShadowJudgeOption",
    "ShadowOption",
    "ShadowPairsOption",
    "ShadowSystemOption",
    "ShadowUsdOption",
    "ShadowWish",
    "shadow_wish",
]

ShadowOption = Annotated[
    str | None,
    typer.Option(
        "--shadow",
        metavar="RATE",
        help="Also give this share of the answered requests, as 5%, to another system, and let a "
        "judge compare; see docs/shadow.md.",
    ),
]
ShadowSystemOption = Annotated[
    str | None,
    typer.Option(
        "--shadow-system",
        metavar="SYSTEM",
        help="With --shadow: single:WORKER, workflow:NAME, conductor or conductor:WHO.",
    ),
]
ShadowUsdOption = Annotated[
    str | None,
    typer.Option(
        "--shadow-usd-per-day",
        metavar="USD",
        help="With --shadow: what all of it may cost in a day of UTC; it then pauses.",
    ),
]
ShadowJudgeOption = Annotated[
    str | None,
    typer.Option(
        "--shadow-judge",
        metavar="WORKER",
        help="With --shadow: the worker that compares. Default: who has the role `check`.",
    ),
]
ShadowPairsOption = Annotated[
    int,
    typer.Option(
        "--shadow-pairs", min=1, help="With --shadow: it ends after so many judged pairs."
    ),
]
ShadowJournalOption = Annotated[
    Path | None,
    typer.Option("--shadow-journal", help="With --shadow: its file. Default: beside the store."),
]


@dataclass(frozen=True, slots=True)
class ShadowWish:
    """What the options ask for."""

    rate: float
    system: str
    usd_per_day: Decimal
    judge: str | None
    pairs: int
    journal: Path | None

    def told(self) -> str:
        """What happens, and when it ends, before it begins."""
        return (
            f"{100 * self.rate:g} % of the answered requests also go to {self.system}, for "
            f"${self.usd_per_day} a day at most; it ends when the interval of the share of wins "
            f"excludes 50 %, or after {self.pairs} judged pairs; `partbook shadow` shows it"
        )


def shadow_wish(
    rate: str | None,
    system: str | None,
    usd_per_day: str | None,
    judge: str | None,
    pairs: int,
    journal: Path | None,
) -> ShadowWish | None:
    """What is asked for; None: no shadow.

    Raises:
        ConfigError: something is missing, is no number, or is there without --shadow.
    """
    if rate is None:
        if system or usd_per_day or judge or journal:
            raise ConfigError("--shadow-system and the like are for --shadow RATE; add it")
        return None
    if system is None or usd_per_day is None:
        raise ConfigError("--shadow needs --shadow-system SYSTEM and --shadow-usd-per-day USD")
    part = share("--shadow", rate)
    if not 0 < part <= 1:
        raise ConfigError(f"--shadow: a share above 0 and up to 100% was expected, found {rate!r}")
    usd = number("--shadow-usd-per-day", usd_per_day.removeprefix("$"))
    return ShadowWish(float(part), system, usd, judge, pairs, journal)
