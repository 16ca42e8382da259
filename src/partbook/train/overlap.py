"""Overlap: the policy writes and learns while the workflows of other groups are played.

Without it a step is written, played and learned from in turn, and a policy of a second a step waits
for workers of a minute. With it (`grpo.overlap`), groups are in flight: `group_queue.py` says which
of them a step learns from. None is older than one update, and its log-probabilities are those of
the policy that wrote it, so that the ratio in GRPO's loss is the true one and its clip holds.
With vLLM, TRL corrects for vLLM's own log-probabilities in the same place.

A checkpoint holds what is in flight, played to its end: a resumed run pays for none of it again.
Each process has whole groups of its own, so nothing here is agreed on between processes.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from partbook.errors import ConfigError
from partbook.train.environment import Cut, Outcome
from partbook.train.group_queue import GroupQueue, InFlight, Taken
from partbook.train.in_flight import Group, WrittenGroup, read_in_flight, write_in_flight
from partbook.train.recipe import Grpo
from partbook.train.row import Row
from partbook.train.scoring import Completions, LogMetric, Scoring

__all__ = ["Overlap", "Prompt", "Writer"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A problem as the policy is asked for it."""

    row: Row
    text: str
    ids: tuple[int, ...]
    """The text in tokens."""


class Writer(Protocol):
    """The policy of a trainer."""

    def write(self, prompts: list[list[int]]) -> tuple[list[list[int]], list[list[float]] | None]:
        """Completions of prompts, and their tokens' log-probabilities where the engine says them.

        Args:
            prompts: each as often as a group is large.
        """
        ...

    def read(self, completions: list[list[int]]) -> list[str]:
        """Completions as text."""
        ...

    def weigh(self, prompts: list[list[int]], completions: list[list[int]]) -> list[list[float]]:
        """Log-probabilities of tokens under the policy as it is now."""
        ...


class Overlap:
    """Keeps groups in flight, and is TRL's rollout and reward function for those that are taken."""

    __name__ = "conductor"  # TRL names its metrics after the function

    def __init__(
        self,
        scoring: Scoring,
        grpo: Grpo,
        prompts: Sequence[Prompt],
        rank: int = 0,
        processes: int = 1,
    ) -> None:
        """Prepare.

        Args:
            scoring: how a rollout is scored; its environment plays in a loop of its own.
            grpo: sizes, deadline and patience.
            prompts: of the run, in order.
            rank, processes: this process's number, and how many there are; both `problems` and
                `overlap` are multiples of it.

        Raises:
            ConfigError: nothing plays beside the policy.
        """
        if scoring.environment.loop is None:
            raise ConfigError("grpo.overlap needs an environment that plays in a loop of its own")
        self._scoring, self._grpo, self._prompts = scoring, grpo, prompts
        self._loop = scoring.environment.loop
        self._rank, self._share = rank, grpo.problems // processes
        self._queue: GroupQueue[WrittenGroup, list[Outcome]] = GroupQueue(
            self._share, grpo.overlap // processes, grpo.steps * self._share, grpo.patience_s
        )
        self._step = 0
        self._taken: list[Taken[WrittenGroup, list[Outcome]]] = []

    @property
    def waited_s(self) -> float:
        """Seconds in which the policy has waited for workers."""
        return self._queue.waited_s

    def begin(self, step: int, policy: Writer) -> list[Prompt]:
        """Write what is due in a step, set it going, and wait for what the step learns from.

        Args:
            step: updates that the policy has made.
            policy: writes.

        Returns:
            The prompts of the step, each as often as a group is large.
        """
        due = self._queue.due(step)
        begun: list[Group] = []
        # A step's worth at a time: the first step writes more, in no more memory.
        for start in range(due.start, due.stop, self._share):
            begun += self._write(range(start, min(start + self._share, due.stop)), step, policy)
        unweighed = [one for one in begun if not one.group.log_probabilities]
        self._weigh(unweighed, policy)
        self._step, self._taken = step, self._queue.take(step)
        late = sum(one.late for one in self._taken)
        if late:
            log.warning("%d groups of step %d were not played in time", late, step + 1)
        return [self._prompt(one.index) for one in self._taken for _ in one.group.ids]

    def rollouts(self, prompts: Sequence[str], trainer: object) -> dict[str, object]:
        """As TRL's rollout function: the groups that were taken, for the prompts of `begin`."""
        taken = self._taken
        return {
            "prompt_ids": [list(self._prompt(g.index).ids) for g in taken for _ in g.group.ids],
            "completion_ids": [ids for one in taken for ids in one.group.ids],
            "logprobs": [logps for one in taken for logps in one.group.log_probabilities],
        }

    async def __call__(
        self,
        completions: Completions,
        row: Sequence[str],
        log_metric: LogMetric | None = None,
        **others: object,
    ) -> list[float | None]:
        """As TRL's reward function: what came of the groups that were taken."""
        rows = [self._prompt(one.index).row for one in self._taken for _ in one.group.ids]
        outcomes = [
            outcome
            for one in self._taken
            for outcome in one.result or [Outcome(None, "blocked")] * len(one.group.ids)
        ]
        stale = sum(one.step < self._step for one in self._taken) / len(self._taken)
        late = sum(one.late for one in self._taken) / len(self._taken)
        return await self._scoring.rewards(
            rows, outcomes, self._step, log_metric, stale=stale, late=late
        )

    def save(self, folder: Path) -> None:
        """Play to its end what is in flight, and write it down.

        Raises:
            OSError: it cannot be written.
        """
        self._queue.settle()
        folder.mkdir(parents=True, exist_ok=True)
        write_in_flight(self._file(folder), self._queue.next, self._queue.flying)

    def load(self, folder: Path) -> None:
        """Go on with what a checkpoint holds.

        Raises:
            ConfigError: it holds nothing of the kind.
        """
        after, groups = read_in_flight(self._file(folder))
        for group in groups:
            self._queue.put(group)
        self._queue.next = after

    def close(self) -> None:
        """End what is in flight."""
        self._queue.close()

    def _file(self, folder: Path) -> Path:
        return folder / f"in-flight-{self._rank}.json"

    def _prompt(self, index: int) -> Prompt:
        """The prompt of one of this process's groups: its share of every step is in one piece."""
        step, place = divmod(index, self._share)
        return self._prompts[step * self._grpo.problems + self._rank * self._share + place]

    def _write(self, indices: range, step: int, policy: Writer) -> list[Group]:
        size = self._grpo.rollouts
        asked = [self._prompt(index) for index in indices]
        ids, logps = policy.write([list(one.ids) for one in asked for _ in range(size)])
        texts = policy.read(ids)
        begun = []
        for place, (index, prompt) in enumerate(zip(indices, asked, strict=True)):
            part = slice(place * size, (place + 1) * size)
            group = WrittenGroup(ids[part], texts[part], [] if logps is None else logps[part])
            begun.append(self._play(index, step, prompt.row, group))
            self._queue.put(begun[-1])
        return begun

    def _play(self, index: int, step: int, row: Row, group: WrittenGroup) -> Group:
        environment, cut = self._scoring.environment, Cut()
        rows = [row] * len(group.texts)
        before = [self._scoring.before.get(row.parent)] * len(rows)
        playing = environment.score(rows, group.texts, before, cut)
        result = asyncio.run_coroutine_threadsafe(playing, self._loop)
        most_s = environment.limits.timeout_s
        until = None
        if most_s is not None:
            # The loop cuts rollouts off by itself; it is late only where something blocks it.
            until = self._queue.clock.now() + most_s + 2 * environment.grace_s
        return InFlight(index, step, group, result, until, lambda: _in(self._loop, cut.now))

    def _weigh(self, groups: Sequence[Group], policy: Writer) -> None:
        if not groups:
            return
        prompts = [list(self._prompt(one.index).ids) for one in groups for _ in one.group.ids]
        found = policy.weigh(prompts, [ids for one in groups for ids in one.group.ids])
        size = self._grpo.rollouts
        for place, one in enumerate(groups):
            one.group.log_probabilities.extend(found[place * size : (place + 1) * size])


def _in(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
