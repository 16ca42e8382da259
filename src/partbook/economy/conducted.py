"""Conducted: what a Conductor makes of a log's prompts, set beside what the rules say of them.

It writes a workflow for each prompt and nothing of it is carried out. A workflow of more than one
step counts as work of several stages. What a Conductor was trained on decides what that is worth,
so its verdicts never replace those of the rules: both are counted, and where they differ is shown.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice

from partbook.budget import Budget, Budgeted, Limits
from partbook.conduct import Conductor
from partbook.economy.audit import Candidate, in_short
from partbook.economy.prompts import Prompt
from partbook.economy.sketching import Read, Reader, Reading, read_on
from partbook.economy.stages import stages_of
from partbook.model import ChatModel
from partbook.pool import AgentPool
from partbook.shorten import shortened
from partbook.spread.fleet import Fleet

__all__ = ["Conducted", "Sample", "Sketch", "read_prompts"]

MOST_CHARS = 6000
"""Of one prompt that a Conductor is shown; the middle of a longer one is left out."""

_FAILURES = 3
"""So many prompts in a row that got no answer at all end the reading: something is down."""

_EACH_NODE = 8
"""Prompts that are read at once for each node; the worker's own limits hold besides."""


class Sample:
    """Draws so many prompts while a log is read, each as likely as any other.

    Reservoir sampling, algorithm R (Vitter, ACM TOMS 11, 1985). The same log and seed give the
    same sample.

    Args:
        size: how many at most.
        told: what is kept of a text, as a mask.
        seed: of the draw.
    """

    def __init__(self, size: int, told: Callable[[str], str], seed: int = 0) -> None:
        self._size = size
        self._told = told
        self._rng = random.Random(seed)
        self._kept: list[tuple[int, Prompt]] = []

    def through(self, prompts: Iterable[Prompt]) -> Iterator[Prompt]:
        """The prompts as they come, some of which are kept."""
        for i, prompt in enumerate(prompts):
            place = i if i < self._size else self._rng.randrange(i + 1)
            if place < self._size:
                text = shortened([self._told(prompt.text)], MOST_CHARS)[0]
                kept = (i, replace(prompt, text=text))
                if place == len(self._kept):
                    self._kept.append(kept)
                else:
                    self._kept[place] = kept
            yield prompt

    @property
    def prompts(self) -> list[Prompt]:
        """Those that were kept, in the order of the log."""
        return [prompt for _, prompt in sorted(self._kept, key=lambda one: one[0])]


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a Conductor made of one prompt."""

    prompt: Prompt
    steps: tuple[tuple[str, str], ...]
    """Worker and subtask of each; empty: it wrote no workflow."""
    error: str = ""
    """Why there is none."""

    @property
    def several(self) -> bool:
        """Whether it would split the work."""
        return len(self.steps) > 1

    @property
    def name(self) -> str:
        """As `coder → python`."""
        return " → ".join(worker for worker, _ in self.steps)


@dataclass(slots=True)
class Conducted:
    """What a Conductor said of a sample of a log."""

    name: str
    """Of the Conductor."""
    drawn: int
    """Prompts of the sample."""
    sketches: list[Sketch] = field(default_factory=list)
    """Of those that were read, in the order of the log."""
    calls: int = 0
    known_usd: Decimal = Decimal(0)
    unknown_costs: int = 0
    """Calls whose cost is unknown, and so not in the sum."""
    stopped: str = ""
    """Why not all of the sample was read; empty: it was."""

    @property
    def no_plan(self) -> int:
        """Prompts for which there is no workflow."""
        return sum(not sketch.steps for sketch in self.sketches)

    @property
    def several(self) -> int:
        """Prompts that it would split."""
        return sum(sketch.several for sketch in self.sketches)

    @property
    def by_rules(self) -> int:
        """Of the same prompts, those that the rules call work of several stages."""
        return sum(stages_of(sketch.prompt.text).several for sketch in self.sketches)

    @property
    def both(self) -> int:
        """Prompts that both call so."""
        return sum(s.several and stages_of(s.prompt.text).several for s in self.sketches)

    def agreed(self, name: str) -> tuple[int, int]:
        """Of a kind of work that the rules found: prompts that were read, and that it splits."""
        of = [s for s in self.sketches if (found := stages_of(s.prompt.text)).several
              and found.name == name]  # fmt: skip
        return len(of), sum(sketch.several for sketch in of)

    def alone(self) -> list[Candidate]:
        """What it would split and the rules would not, by its workflow, the dearest first."""
        groups: dict[str, Candidate] = {}
        for sketch in self.sketches:
            prompt = sketch.prompt
            if not sketch.several or stages_of(prompt.text).several:
                continue
            own = "; ".join(f"{worker}: {subtask}" for worker, subtask in sketch.steps)
            example = in_short(prompt.text)
            group = groups.setdefault(
                sketch.name, Candidate(sketch.name, len(sketch.steps), in_short(own), example)
            )
            group.take(prompt, example)
        return sorted(groups.values(), key=lambda one: (-one.known_usd, -one.prompts, one.name))


async def read_prompts(
    prompts: Sequence[Prompt],
    name: str,
    pool: AgentPool,
    conductor: Conductor,
    limits: Limits,
    on_read: Callable[[int], None],
    nodes: Fleet | None = None,
) -> Conducted:
    """Let a Conductor write a workflow for each prompt.

    Args:
        prompts: shown to it one after another, as they are; on nodes, several at once.
        name: of the Conductor, for the report.
        pool: whom it may name; nobody of it is called.
        conductor: is asked without a fallback, because a fallback says nothing of the prompt.
        limits: in dollars, calls and tokens for all prompts together; seconds for each.
        on_read: told how many are done.
        nodes: where it is asked; None: in this process.

    Raises:
        ConfigError: a limit in dollars, and the Conductor's price is unknown.
    """
    found = Conducted(name, len(prompts))
    read: Read
    budget = Budget(replace(limits, timeout_s=None))

    def paid(model: ChatModel) -> ChatModel:
        return Budgeted(model, budget, conductor.price or limits.assumed_price)

    alone = replace(conductor, fallback=None)
    if nodes is None:
        here = Reader(pool, replace(alone, model=paid(alone.model)), limits.timeout_s)
        read, at_once = here.read, 1
    else:
        there = Reader(pool, alone, limits.timeout_s)
        read, at_once = await read_on(nodes, there, paid), _EACH_NODE * len(nodes.nodes)
    in_a_row = 0
    ahead: deque[asyncio.Task[Reading]] = deque()
    rest = iter(prompts)
    try:
        while True:
            wanted = 0 if found.stopped else at_once - len(ahead)
            ahead += [asyncio.create_task(read(prompt)) for prompt in islice(rest, wanted)]
            if not ahead:
                return found
            reading = await ahead[0]
            ahead.popleft()
            _count(found, reading)
            in_a_row = in_a_row + 1 if reading.silent else 0
            on_read(len(found.sketches))
            if in_a_row == _FAILURES and not found.stopped:
                found.stopped = f"no answer {_FAILURES} times in a row: {reading.error}"
    finally:
        for task in ahead:
            task.cancel()
        if ahead:
            await asyncio.wait(ahead)


def _count(found: Conducted, reading: Reading) -> None:
    for asked in reading.asked:
        if asked.calls:
            found.calls += 1
            found.unknown_costs += asked.cost_usd is None
            found.known_usd += asked.cost_usd or Decimal(0)
    if reading.stopped:
        found.stopped = found.stopped or reading.stopped
    else:
        found.sketches.append(Sketch(reading.prompt, reading.steps, reading.error))
