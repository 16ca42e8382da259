"""Shadow: the running verdict on a system that is given a share of live requests in secret.

Here is what is counted and when it ends; playing it is left to the server, keeping it to
`shadow_journal.py`. The rule is settled before the first pair and is a part of the experiment, so
that nobody can stop where it suits: it ends when the confidence sequence of the share of wins
excludes one half, or after a number of judged pairs.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Literal, Self, get_args

from partbook.evaluate.shadowing.sequential import confidence_sequence, e_value
from partbook.price import total_usd
from partbook.shares import Interval
from partbook.spend_json import money, money_from

__all__ = ["Experiment", "Outcome", "Pair", "Side", "Tally", "Took", "Verdict"]

Outcome = Literal["win", "loss", "tie", "no answer", "no verdict", "given up"]
"""Of the rival: `no answer` is a loss, the last two are not judged and count for nobody."""

Verdict = Literal["better", "worse", "open"]

Side = Literal["live", "rival"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is compared, and by which rule it ends."""

    live: str
    """Pinned name of what is served."""
    rival: str
    """As `single:coder`, `workflow:panel` or `conductor`."""
    judge: str
    """Name of the worker that judges."""
    rival_hash: str = ""
    """Of what the rival is made of beside the pool, which `live` names; empty: nothing."""
    seed: int = 0
    """Of the draw of requests."""
    pairs: int = 200
    """It ends after so many judged pairs, ties included."""
    level: float = 0.95
    """Of the confidence sequence."""

    @property
    def id(self) -> str:
        """Another for everything that is settled in advance."""
        said = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:12]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `asdict` gave."""
        text = {name: str(data[name]) for name in ("live", "rival", "judge", "rival_hash")}
        return cls(**text, seed=int(data["seed"]), pairs=int(data["pairs"]),
                   level=float(data["level"]))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Took:
    """What one side took for one request."""

    calls: int = 0
    usd: Decimal | None = Decimal(0)
    """None: unknown."""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"calls": self.calls, "usd": money(self.usd), "seconds": round(self.seconds, 3)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        return cls(int(data["calls"]), money_from(data["usd"]), float(data["seconds"]))


@dataclass(frozen=True, slots=True)
class Pair:
    """One request that both have answered, and what the judge says."""

    run_id: str
    """Of the live run."""
    at: float
    """Seconds since the epoch."""
    outcome: Outcome
    live: Took
    rival: Took
    judge: Took
    torn: bool = False
    """Whether the judge preferred a place, which is a tie."""
    held_usd: Decimal = Decimal(0)
    """What the budget was charged: worst cases of calls whose cost is unknown included."""
    why: str = ""
    """Why there is no answer or no verdict; no word of a prompt."""
    kept: Mapping[str, str] | None = None
    """Question and answers; None: not kept."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "run_id": self.run_id,
            "at": round(self.at, 3),
            "outcome": self.outcome,
            "torn": self.torn,
            "live": self.live.to_dict(),
            "rival": self.rival.to_dict(),
            "judge": self.judge.to_dict(),
            "held_usd": money(self.held_usd),
            "why": self.why,
            "kept": None if self.kept is None else dict(self.kept),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote.

        Raises:
            KeyError, ValueError, TypeError: it is something else.
        """
        outcome = data["outcome"]
        if outcome not in get_args(Outcome):
            raise ValueError(f"no outcome is called {outcome!r}")
        sides = {name: Took.from_dict(data[name]) for name in ("live", "rival", "judge")}
        held = money_from(data["held_usd"]) or Decimal(0)
        return cls(str(data["run_id"]), float(data["at"]), outcome, **sides,
                   torn=bool(data["torn"]), held_usd=held, why=str(data["why"]),
                   kept=data.get("kept"))  # fmt: skip


@dataclass(slots=True)
class Tally:
    """The pairs of one experiment, summed."""

    experiment: Experiment
    outcomes: Counter[str] = field(default_factory=Counter)
    torn: int = 0
    sums: dict[str, Took] = field(default_factory=dict)
    """Of both sides, over judged pairs in which both have answered."""
    answered: int = 0
    """How many those are."""
    days: dict[str, Decimal] = field(default_factory=dict)
    """Dollars that the budget was charged, by day of UTC."""
    first_at: float | None = None
    last_at: float | None = None

    def add(self, pair: Pair, day: str) -> None:
        """Count one more.

        Args:
            pair: judged or not.
            day: of UTC, on whose budget it was.
        """
        self.days[day] = self.days.get(day, Decimal(0)) + pair.held_usd
        if self.stopped:
            return  # what comes after the end of an experiment changes no verdict
        self.outcomes[pair.outcome] += 1
        self.torn += pair.torn
        self.first_at = pair.at if self.first_at is None else self.first_at
        self.last_at = pair.at
        if pair.outcome in ("win", "loss", "tie"):
            self.answered += 1
            for side, took in (("live", pair.live), ("rival", pair.rival), ("judge", pair.judge)):
                self.sums[side] = _plus(self.sums.get(side, Took()), took)

    @property
    def wins(self) -> int:
        """Pairs in which the rival was preferred."""
        return self.outcomes["win"]

    @property
    def losses(self) -> int:
        """Pairs in which it was not, or gave no answer."""
        return self.outcomes["loss"] + self.outcomes["no answer"]

    @property
    def judged(self) -> int:
        """Pairs that count, ties included."""
        return self.wins + self.losses + self.outcomes["tie"]

    @property
    def share(self) -> float | None:
        """Of wins among the decided; None: none is decided."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else None

    @property
    def interval(self) -> Interval:
        """The confidence sequence of the share, as it stands."""
        return confidence_sequence(self.wins, self.losses, self.experiment.level)

    @property
    def evidence(self) -> float:
        """The e-value against equally good systems."""
        return e_value(self.wins, self.losses)

    @property
    def verdict(self) -> Verdict:
        """Of the rival beside what is served."""
        # The same as whether the interval excludes one half, and quick: every request asks.
        if self.evidence * (1 - self.experiment.level) < 1:
            return "open"
        return "better" if self.wins > self.losses else "worse"

    @property
    def stopped(self) -> str:
        """Why the experiment is over: `decided` or `pairs`; empty: it goes on."""
        if self.verdict != "open":
            return "decided"
        return "pairs" if self.judged >= self.experiment.pairs else ""

    def mean(self, side: Side) -> tuple[float, Decimal | None, float] | None:
        """Calls, dollars and seconds a request of one side; None: no pair is judged.

        Dollars are None where one of them is unknown.
        """
        if not self.answered:
            return None
        total, count = self.sums[side], self.answered
        usd = None if total.usd is None else total.usd / count
        return total.calls / count, usd, total.seconds / count

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        low, high = self.interval
        means = {"live": self.mean("live"), "rival": self.mean("rival")}
        return {
            "experiment": {"id": self.experiment.id, **asdict(self.experiment)},
            "judged": self.judged,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.outcomes["tie"],
            "no_answer": self.outcomes["no answer"],
            "no_verdict": self.outcomes["no verdict"],
            "given_up": self.outcomes["given up"],
            "torn": self.torn,
            "share": self.share,
            "interval": [round(low, 6), round(high, 6)],
            "e_value": float(f"{min(self.evidence, 1e308):.6g}"),
            "verdict": self.verdict,
            "stopped": self.stopped or None,
            "a_request": {
                side: None
                if mean is None
                else {"calls": mean[0], "usd": money(mean[1]), "seconds": mean[2]}
                for side, mean in means.items()
            },
            "usd_by_day": {day: money(usd) for day, usd in sorted(self.days.items())},
        }


def _plus(one: Took, other: Took) -> Took:
    usd = total_usd((one.usd, other.usd))
    return Took(one.calls + other.calls, usd, one.seconds + other.seconds)
