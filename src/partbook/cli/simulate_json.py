"""What `partbook simulate --json` prints, and the figures that it shares with the screen."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from partbook.simulate.outcome import Bound, Span, Use, mean_usd
from partbook.simulate.serving import Served, Stage
from partbook.simulate.staging import unpriced

if TYPE_CHECKING:
    from partbook.simulate.training import Course, Trained
    from partbook.train.needs import Needs

__all__ = ["SERVED", "each", "hourly", "over", "serving_json", "training_json"]

SERVED: Mapping[str, Callable[[Served], float]] = {
    "per_s": lambda one: one.per_s,
    "p50_s": lambda one: one.quantile_s(0.5),
    "p95_s": lambda one: one.quantile_s(0.95),
    "p99_s": lambda one: one.quantile_s(0.99),
    "waited_s": lambda one: one.waited_s,
}
"""Figures of a rate, by name."""


def hourly(seen: Sequence[Served]) -> Span | None:
    """Dollars an hour; None: unknown."""
    known = [one.usd_per_hour for one in seen if one.usd_per_hour is not None]
    return Span.of(known) if len(known) == len(seen) else None


def each(seen: Sequence[Served]) -> Span | None:
    """Dollars of a request; None: unknown."""
    return mean_usd([None if one.usd is None else one.usd / one.requests for one in seen])


def over(found: Sequence[Any], get: Callable[[Any], float]) -> Span:
    """A figure over all seeds."""
    return Span.of([get(one) for one in found])


def serving_json(
    stage: Stage, found: Mapping[float, Sequence[Served]], limits: Sequence[Bound], minutes: float
) -> str:
    """All of it as one object."""
    rates = []
    for rate, seen in found.items():
        spans = {name: _spread(over(seen, get)) for name, get in SERVED.items()}
        sums = ("requests", "answered", "failed", "timed_out", "refused", "peak", "left")
        rates.append(
            {
                "requests_per_s": rate,
                **spans,
                "usd_per_hour": _spread(hourly(seen)),
                "usd_per_request": _spread(each(seen)),
                "endpoint_busy": _spread(over(seen, lambda one: one.endpoint_busy)),
                **{name: [getattr(one, name) for one in seen] for name in sums},
                "workers": [_use(use) for use in seen[0].uses],
            }
        )
    data = {"minutes": minutes, "rates": rates, **_facts(stage, limits)}
    return json.dumps(data, indent=2)


def training_json(
    stage: Stage,
    course: "Course",
    found: Sequence["Trained"],
    limits: Sequence[Bound],
    needs: "Needs",
) -> str:
    """All of it as one object."""
    names = ("seconds", "step_s", "generating", "updating", "waiting", "lost", "lost_groups",
             "rollout_s", "calls", "prompt_tokens", "completion_tokens")  # fmt: skip
    data = {
        "policy": asdict(course.policy),
        "rollouts": course.rollouts,
        "steps": course.steps,
        "played_steps": found[0].played_steps,
        **{name: _spread(Span.of([getattr(one, name) for one in found])) for name in names},
        "usd": _spread(mean_usd([one.usd for one in found])),
        "memory_bytes": needs.memory_bytes,
        "bytes_in_each_process": needs.work_bytes + needs.program_bytes,
        "disk_bytes": needs.disk_bytes,
        "workers": [_use(use) for use in found[0].uses],
        **_facts(stage, limits),
    }
    return json.dumps(data, indent=2)


def _use(use: Use) -> dict[str, Any]:
    return asdict(use) | {"usd": None if use.usd is None else float(use.usd)}


def _facts(stage: Stage, limits: Sequence[Bound]) -> dict[str, Any]:
    return {
        "workflows": stage.mix.source,
        "full_at": [bound._asdict() for bound in limits],
        "without_price": unpriced(stage),
    }


def _spread(span: Span | None) -> dict[str, float | None] | None:
    if span is None:
        return None
    known = span._asdict().items()
    return {name: None if math.isnan(value) else value for name, value in known}
