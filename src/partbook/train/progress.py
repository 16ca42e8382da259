"""Progress: what a person at the terminal sees of a step, with the time that is left and the money.

One line a step, so that it reads the same in a terminal, in a file and over a slow connection.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping

__all__ = ["Progress", "duration"]

_SHOWN = (
    ("reward", "reward"),
    ("right", "accuracy"),
    ("given valid", "accuracy_given_valid"),
    ("valid", "valid"),
    ("steps", "steps_per_workflow"),
    ("bits", "worker_bits"),
    ("entropy", "entropy"),
    ("waited", "waited"),
    ("stale", "stale"),
)
"""What is shown of a step, and its name in the metrics."""

_WINDOW = 10
"""Steps whose mean time says how long the rest will take."""


class Progress:
    """Counts time and money of a run."""

    def __init__(
        self,
        steps: int,
        rollouts: int,
        before: Iterable[Mapping[str, object]] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin.

        Args:
            steps: of the whole run.
            rollouts: of a step.
            before: metrics of the steps before a run was taken up again.
            clock: seconds that only grow.
        """
        self._steps, self._rollouts, self._clock = steps, rollouts, clock
        self._began = self._last = clock()
        self._times: deque[float] = deque(maxlen=_WINDOW)
        self._usd = 0.0
        self._priced = True
        for logs in before:
            self._spend(logs)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._clock() - self._began

    def line(self, step: int, logs: Mapping[str, object]) -> str:
        """What to say of a step that has just ended."""
        now = self._clock()
        self._times.append(now - self._last)
        self._last = now
        self._spend(logs)
        left = (self._steps - step) * sum(self._times) / len(self._times)
        parts = [f"step {step}/{self._steps}"]
        parts += [f"{word} {logs[key]:.3f}" for word, key in _SHOWN if _is_number(logs.get(key))]
        lost = logs.get("lost")
        if isinstance(lost, float) and lost > 0:
            parts.append(f"lost {lost:.0%}")
        late = logs.get("late")
        if isinstance(late, float) and late > 0:
            parts.append(f"late {late:.0%}")
        if not self._priced:
            parts.append("cost unknown")
        elif self._usd > 0:
            parts.append(f"${self._usd:.4f}" if self._usd < 1 else f"${self._usd:,.2f}")
        parts.append(f"{duration(self.seconds)}, {duration(left)} left")
        return "  ".join(parts)

    def _spend(self, logs: Mapping[str, object]) -> None:
        usd = logs.get("usd_per_rollout")
        if isinstance(usd, int | float):
            self._usd += usd * self._rollouts
        elif "calls_per_rollout" in logs:
            self._priced = False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def duration(seconds: float) -> str:
    """A time for a person.

    >>> duration(75), duration(8000)
    ('75 s', '2.2 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
