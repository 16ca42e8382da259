"""Training: a policy writes rollouts, workers play them, the policy is updated, again and again.

Without overlap the policy writes all rollouts of a step, waits until the last of them is over, and
is updated: that is how TRL's trainer and our environment work together. `groups` plays a group as
soon as it is written. `ahead` lets the policy write so many steps ahead of its updates, so that it
waits only where workers are slower than itself; its rollouts are then as many updates old.

All steps are alike here: nothing is learned, so a run of many steps is a few of them, scaled.
"""

import random
from dataclasses import dataclass
from decimal import Decimal
from itertools import repeat
from math import ceil, inf

from partbook.errors import ConfigError
from partbook.message import Usage
from partbook.price import total_usd
from partbook.simulate.desk import desks_in
from partbook.simulate.outcome import Mark, Use, use_of
from partbook.simulate.playing import Played, Player
from partbook.simulate.serving import Stage
from partbook.simulate.world import Event, Work, World

__all__ = ["Course", "Policy", "Trained", "train"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What the policy takes for a step, in seconds."""

    generate_s: float
    """To write all rollouts of a step."""
    update_s: float
    source: str

    def __post_init__(self) -> None:
        if not (self.generate_s >= 0 and self.update_s >= 0 and 0 < self.step_s < inf):
            raise ConfigError(
                f"{self.source}: seconds of 0 or more were expected for writing and for updating, "
                f"not 0 for both; found {self.generate_s:g} and {self.update_s:g}"
            )

    @property
    def step_s(self) -> float:
        """Of a step whose workers take no time."""
        return self.generate_s + self.update_s


@dataclass(frozen=True, slots=True)
class Course:
    """The shape of a training run."""

    rollouts: int
    """In all."""
    problems: int
    """Groups of a step."""
    group: int
    """Rollouts of a group."""
    policy: Policy
    by_group: bool = False
    """Whether a group is played as soon as it is written."""
    ahead: int = 0
    """Steps that are written and played before an update; 0: none."""

    @property
    def steps(self) -> int:
        """Updates that the rollouts are enough for, the last one perhaps with fewer."""
        return ceil(self.rollouts / (self.problems * self.group))


@dataclass(frozen=True, slots=True)
class Trained:
    """What was seen of one seed; sums are those of the whole run, scaled from the steps played."""

    steps: int
    played_steps: int
    seconds: float
    step_s: float
    """Mean seconds of a step."""
    generating: float
    """Share of the time in which the policy writes, 0 to 1."""
    updating: float
    """Share in which it is updated."""
    waiting: float
    """Share in which it waits for workers."""
    lost: float
    """Share of the rollouts that are cut off by the deadline or failed."""
    lost_groups: float
    """Share of the groups that are dropped, because one of their rollouts is lost."""
    rollout_s: float
    """Mean seconds of a rollout."""
    calls: float
    prompt_tokens: float
    completion_tokens: float
    usd: Decimal | None
    """None: unknown."""
    uses: tuple[Use, ...]


def train(stage: Stage, course: Course, seed: int, most_steps: int) -> Trained:
    """Play a training run.

    Args:
        stage: what rollouts are played on; its deadline is that of a rollout.
        course: the shape of the run.
        seed: of everything that is drawn.
        most_steps: how many steps are really played, at least 1.
    """
    return _Training(stage, course, seed, min(course.steps, most_steps)).result()


class _Training:
    """A run while it goes on."""

    def __init__(self, stage: Stage, course: Course, seed: int, steps: int) -> None:
        self._stage, self._course, self._steps = stage, course, steps
        self._world, self._rng = World(), random.Random(seed)
        self._room = stage.room(self._world, self._rng)
        self._player = Player(self._world, self._room, self._rng, stage.timeout_s)
        self._groups: list[list[Played]] = []
        self._waited_s = 0.0
        self._ended_s = 0.0

    def result(self) -> Trained:
        """Play it to the end."""
        self._world.begin(self._run())
        self._world.run()
        course, steps, seconds = self._course, self._steps, self._ended_s
        step_s = seconds / steps
        desks = desks_in(self._room)
        marks = [Mark.of(desk, seconds) for desk in desks]
        played = [run for group in self._groups for run in group]
        uses = tuple(map(use_of, desks, marks, repeat(len(played))))
        usage = sum((desk.usage for desk in desks), Usage())
        usd = total_usd(desk.usd for desk in desks)
        scale = course.rollouts / len(played)
        lost = [[run.status != "answered" for run in group] for group in self._groups]
        return Trained(
            steps=course.steps,
            played_steps=steps,
            seconds=step_s * course.steps,
            step_s=step_s,
            generating=course.policy.generate_s * steps / seconds,
            updating=course.policy.update_s * steps / seconds,
            waiting=self._waited_s / seconds,
            lost=sum(map(sum, lost)) / len(played),
            lost_groups=sum(map(any, lost)) / len(lost),
            rollout_s=sum(run.seconds for run in played) / len(played),
            calls=sum(desk.calls for desk in desks) * scale,
            prompt_tokens=usage.prompt_tokens * scale,
            completion_tokens=usage.completion_tokens * scale,
            usd=None if usd is None else usd * Decimal(str(scale)),
            uses=uses,
        )

    def _run(self) -> Work[None]:
        """The policy: all that it does and waits for, in order."""
        course, steps = self._course, self._steps
        written: list[list[Event]] = []
        for step in range(steps):
            while len(written) < min(steps, step + 1 + course.ahead):
                over: list[Event] = []
                yield from self._write(over)
                written.append(over)
            begun_s = self._world.now_s
            for rollout in written[step]:
                if not rollout.fired:
                    yield rollout
            self._waited_s += self._world.now_s - begun_s
            yield course.policy.update_s
        self._ended_s = self._world.now_s

    def _write(self, over: list[Event]) -> Work[None]:
        """Write the rollouts of a step, and begin to play them."""
        course = self._course
        if not course.by_group:
            yield course.policy.generate_s
        for _ in range(course.problems):
            if course.by_group:
                yield course.policy.generate_s / course.problems
            runs = [
                self._player.begin(self._stage.mix.draw(self._rng)) for _ in range(course.group)
            ]
            self._groups.append([run for run, _ in runs])
            over += [done for _, done in runs]
