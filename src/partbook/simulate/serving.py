"""Serving: requests come at a rate, or at given moments, and are played on shared workers.

Between two of them lies an exponential time, as between clients who know nothing of each other.
Everybody who has come is played to the end, so that a queue that only grows is seen as what it is:
long waits, and an end long after the last request came.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import repeat
from operator import attrgetter

from partbook.ledger import CONDUCTOR
from partbook.message import Usage
from partbook.models.paced import WINDOW_S
from partbook.price import total_usd
from partbook.simulate.desk import Desk, desks_in
from partbook.simulate.figures import ANYBODY, Calls, Mix, WorkerFigures
from partbook.simulate.limits import Turns
from partbook.simulate.outcome import Bound, Mark, Use, bounds_of, percentile, use_of
from partbook.simulate.playing import Played, Player
from partbook.simulate.world import Event, Work, World

__all__ = [
    "ENDPOINT",
    "MEASURED_ENDPOINT",
    "Endpoint",
    "Served",
    "Stage",
    "arrivals",
    "bounds",
    "serve",
]

ENDPOINT = "(endpoint)"
"""Stands for the server itself beside the workers."""

_ALONE = 500
"""Requests that say what one asks of everybody."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server in front of the workers."""

    processes: int = 1
    cpu_s: float = 0.0
    """Processor seconds that a call takes in it; 0: it is not looked at."""
    most: int = 1_000_000
    """Requests that are played at once; more are refused."""
    base_bytes: float = 0.0
    """Memory of a process without requests; 0: unknown."""
    request_bytes: float = 0.0
    """Memory that a request takes while it is played."""
    source: str = ""


MEASURED_ENDPOINT = Endpoint(
    cpu_s=0.0008,
    most=2000,
    base_bytes=83 * 2**20,
    request_bytes=64 * 2**10,
    source="measured: bench/serving.py, bench/simulate.py --memory",
)
"""One process: 0.8 CPU ms a call on a core of an AMD EPYC, `server.app.MOST_AT_ONCE`, and memory
with 400 requests at their first two of three calls, short ones."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What requests are played on."""

    workers: Mapping[str, WorkerFigures]
    """By name; the Conductor, where it is no worker of the pool, under `CONDUCTOR`."""
    mix: Mix
    timeout_s: float | None = None
    """Deadline of a request; None: none."""
    endpoint: Endpoint = Endpoint()
    conductor: str = CONDUCTOR
    """Under which name the Conductor is: a worker's, or its own."""
    proposals: Calls | None = None
    """What its calls take, where it is a worker that has other calls, too."""

    def room(self, world: World, rng: random.Random) -> dict[str, Desk]:
        """The desks of those who can be called."""
        called = {*self.mix.workers, *((self.conductor,) if self.mix.is_conducted else ())}
        everybody = ANYBODY in called
        falls = {name for one in self.workers.values() for name in one.fallbacks}
        desks = {
            name: Desk(world, figures, random.Random(rng.random()))
            for name, figures in self.workers.items()
            if everybody or name in called | falls
        }
        if self.mix.is_conducted:
            desks[CONDUCTOR] = desks[self.conductor]
        return desks


@dataclass(frozen=True, slots=True)
class Served:
    """What was seen of one seed. Rates and shares are those of the time in which requests came."""

    requests: int
    answered: int
    failed: int
    timed_out: int
    refused: int
    seconds: float
    """In which requests came: from the first to the last, or to its end where there is one."""
    per_s: float
    """Answers in a second."""
    latencies_s: Sequence[float]
    """Of those answered, sorted."""
    waited_s: float
    """Mean over those answered: how much of it was waiting for limits."""
    uses: tuple[Use, ...]
    endpoint_busy: float
    """Share of the processes' time, 0 to 1."""
    usd: Decimal | None
    """Of all requests; None: unknown."""
    usd_per_hour: float | None
    prompt_tokens: int
    completion_tokens: int
    peak: int
    """Most requests that were played at one moment."""
    left: int
    """Requests that were under way when the last one came."""

    def quantile_s(self, share: float) -> float:
        """Seconds within which this share of those answered were."""
        return percentile(self.latencies_s, share)


def bounds(stage: Stage, seed: int) -> list[Bound]:
    """The rates of requests at which limits are reached, the lowest first.

    What a request asks of everybody is counted on some that come one by one and have no deadline:
    where workers are full, what is asked of them depends on who is cut off.
    """
    world, rng = World(), random.Random(seed)
    room = stage.room(world, rng)
    player = Player(world, room, rng, None, proposals=stage.proposals)

    def one_by_one() -> Work[None]:
        for _ in range(_ALONE):
            _, over = player.begin(stage.mix.draw(rng))
            yield over
            yield WINDOW_S

    world.begin(one_by_one())
    world.run()
    desks = desks_in(room)
    found = [bound for desk in desks for bound in bounds_of(desk, _ALONE)]
    cpu_s = stage.endpoint.cpu_s * sum(desk.calls for desk in desks) / _ALONE
    if cpu_s:
        found.append(Bound(ENDPOINT, "processor", stage.endpoint.processes / cpu_s))
    return sorted(found, key=attrgetter("per_s"))


def arrivals(rate_per_s: float, seconds: float, rng: random.Random) -> list[float]:
    """Moments at which requests come, ascending; at least one."""
    moments = [0.0]
    while (following := moments[-1] + rng.expovariate(rate_per_s)) < seconds:
        moments.append(following)
    return moments


def serve(stage: Stage, moments: Sequence[float], seed: int) -> Served:
    """Play the requests that come at these moments.

    Args:
        stage: what they are played on.
        moments: seconds, ascending, at least one.
        seed: of everything that is drawn.
    """
    return _Service(stage, moments, seed).result()


class _Service:
    """Requests while they come and are played."""

    def __init__(self, stage: Stage, moments: Sequence[float], seed: int) -> None:
        self._stage, self._moments = stage, moments
        self._world, self._rng = World(), random.Random(seed)
        self._room = stage.room(self._world, self._rng)
        self._processor = Turns(self._world, stage.endpoint.processes)
        self._player = Player(
            self._world,
            self._room,
            self._rng,
            stage.timeout_s,
            self._processor,
            stage.endpoint.cpu_s,
            stage.proposals,
        )
        self._runs: list[Played] = []
        self._inside = self._peak = self._refused = 0

    def result(self) -> Served:
        """Let them all come and end."""
        world, stage = self._world, self._stage
        world.begin(self._come())
        world.run(self._moments[-1])
        if not world.now_s:  # all came at once
            world.run()
        seconds, left = world.now_s, self._inside
        desks = desks_in(self._room)
        marks = [Mark.of(desk, seconds) for desk in desks]
        usd = total_usd(mark.usd for mark in marks)
        busy_s = self._processor.busy_s
        answered = self._ended("answered")
        world.run()
        requests = len(self._runs)
        uses = tuple(map(use_of, desks, marks, repeat(requests)))
        done = [run for run in self._runs if run.status == "answered"]
        usage = sum((desk.usage for desk in desks), Usage())
        return Served(
            requests=len(self._moments),
            answered=len(done),
            failed=self._ended("failed"),
            timed_out=self._ended("timeout"),
            refused=self._refused,
            seconds=seconds,
            per_s=answered / seconds,
            latencies_s=sorted(run.seconds for run in done),
            waited_s=sum(run.seconds - run.unhindered_s for run in done) / max(1, len(done)),
            uses=uses,
            endpoint_busy=busy_s / (stage.endpoint.processes * seconds),
            usd=total_usd(desk.usd for desk in desks),
            usd_per_hour=None if usd is None else float(usd) / seconds * 3600,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            peak=self._peak,
            left=left,
        )

    def _ended(self, status: str) -> int:
        return sum(run.status == status for run in self._runs)

    def _come(self) -> Work[None]:
        for moment in self._moments:
            yield moment - self._world.now_s
            if self._inside >= self._stage.endpoint.most:
                self._refused += 1
                continue
            played, over = self._player.begin(self._stage.mix.draw(self._rng))
            self._runs.append(played)
            self._inside += 1
            self._peak = max(self._peak, self._inside)
            self._world.begin(self._leave(over))

    def _leave(self, over: Event) -> Work[None]:
        yield over
        self._inside -= 1
