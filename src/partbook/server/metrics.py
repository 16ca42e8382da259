"""Metrics: what a server has done since it started, in Prometheus' text format.

Format: https://prometheus.io/docs/instrumenting/exposition_formats. No label holds what a client
wrote, so their number is bounded.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from partbook.server.reply import Entry

__all__ = ["Metrics"]

_BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """Counts; all methods are quick and may be called in the event loop."""

    def __init__(self) -> None:
        self.in_flight = 0
        """Requests to models that are being answered."""
        self._requests: Counter[tuple[str, int]] = Counter()
        self._tokens: Counter[str] = Counter()
        self._calls = 0
        self._cost_usd = Decimal(0)
        self._unknown_costs = 0
        self._gone = 0
        self._seconds = _Histogram()
        self._first_seconds = _Histogram()

    def answered(self, route: str, status: int, seconds: float) -> None:
        """A request is over."""
        self._requests[route, status] += 1
        if route in ("chat", "responses", "messages"):
            self._seconds.add(seconds)

    def first_text(self, seconds: float) -> None:
        """The first piece of a streamed answer was sent, so long after the request came."""
        self._first_seconds.add(seconds)

    def client_gone(self) -> None:
        """A client went away before its answer was whole."""
        self._gone += 1

    def spent(self, ledger: Sequence[Entry]) -> None:
        """What a request took."""
        for entry in ledger:
            self._calls += entry.calls
            if entry.usage is not None:
                self._tokens["prompt"] += entry.usage.prompt_tokens
                self._tokens["completion"] += entry.usage.completion_tokens
            if entry.cost_usd is None:
                self._unknown_costs += 1
            else:
                self._cost_usd += entry.cost_usd

    def to_dict(self) -> dict[str, Any]:
        """What another process adds to its own by `add`, as JSON can hold it."""
        return {
            "in_flight": self.in_flight,
            "requests": [[*key, count] for key, count in self._requests.items()],
            "tokens": dict(self._tokens),
            "calls": self._calls,
            "cost_usd": str(self._cost_usd),
            "unknown_costs": self._unknown_costs,
            "gone": self._gone,
            "seconds": self._seconds.to_list(),
            "first_seconds": self._first_seconds.to_list(),
        }

    def add(self, data: Mapping[str, Any]) -> None:
        """Add what another process has done."""
        self.in_flight += data["in_flight"]
        self._requests.update({(route, status): n for route, status, n in data["requests"]})
        self._tokens.update(data["tokens"])
        self._calls += data["calls"]
        self._cost_usd += Decimal(data["cost_usd"])
        self._unknown_costs += data["unknown_costs"]
        self._gone += data["gone"]
        self._seconds.add_list(data["seconds"])
        self._first_seconds.add_list(data["first_seconds"])

    def text(self, processes: int = 1) -> str:
        """All of it.

        Args:
            processes: how many answer whose doings these are.
        """
        lines: list[str] = []

        def one(name: str, kind: str, about: str, values: dict[str, object]) -> None:
            lines.append(f"# HELP partbook_{name} {about}")
            lines.append(f"# TYPE partbook_{name} {kind}")
            lines.extend(f"partbook_{name}{labels} {value}" for labels, value in values.items())

        requests: dict[str, object] = {
            f'{{route="{route}",status="{status}"}}': count
            for (route, status), count in sorted(self._requests.items())
        }
        tokens: dict[str, object] = {
            f'{{kind="{kind}"}}': self._tokens[kind] for kind in ("prompt", "completion")
        }
        one("processes", "gauge", "Processes that answer on this port.", {"": processes})
        one("requests_total", "counter", "Requests by route and status.", requests)
        one("requests_in_flight", "gauge", "Requests being answered.", {"": self.in_flight})
        one("clients_gone_total", "counter", "Clients gone before the end.", {"": self._gone})
        one("calls_total", "counter", "Calls of models and tools.", {"": self._calls})
        one("tokens_total", "counter", "Tokens of all calls.", tokens)
        one("cost_usd_total", "counter", "Known cost in US dollars.", {"": self._cost_usd})
        one("unknown_costs_total", "counter", "Calls of unknown cost.", {"": self._unknown_costs})
        self._seconds.spell("request_seconds", "Seconds of a request.", lines)
        self._first_seconds.spell("first_text_seconds", "Seconds to the first text.", lines)
        return "\n".join(lines) + "\n"


class _Histogram:
    def __init__(self) -> None:
        self._counts = [0] * len(_BUCKETS_S)
        self._count = 0
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._count += 1
        self._sum += seconds
        for i, bound in enumerate(_BUCKETS_S):
            if seconds <= bound:
                self._counts[i] += 1

    def to_list(self) -> list[float]:
        return [self._sum, self._count, *self._counts]

    def add_list(self, values: Sequence[float]) -> None:
        self._sum += values[0]
        total, *counts = map(int, values[1:])
        self._count += total
        self._counts = [own + more for own, more in zip(self._counts, counts, strict=True)]

    def spell(self, name: str, about: str, lines: list[str]) -> None:
        lines.append(f"# HELP partbook_{name} {about}")
        lines.append(f"# TYPE partbook_{name} histogram")
        for bound, count in zip(_BUCKETS_S, self._counts, strict=True):
            lines.append(f'partbook_{name}_bucket{{le="{bound}"}} {count}')
        lines.append(f'partbook_{name}_bucket{{le="+Inf"}} {self._count}')
        lines.append(f"partbook_{name}_sum {self._sum:.6f}")
        lines.append(f"partbook_{name}_count {self._count}")
