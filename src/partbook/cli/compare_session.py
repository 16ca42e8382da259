"""One session of `partbook compare`: prompts in, answers side by side, ratings, lines on disk.

The event loop runs while systems or judges answer, and not while a person chooses, so that Ctrl-C
ends a choice as it ends everything else.
"""

import asyncio
import json as json_module
import random
import string
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from partbook.budget import Limits
from partbook.cli.compare_rating import (
    Judging,
    asked_person,
    judge_all,
    lettered,
    rating_of,
    said_of,
)
from partbook.cli.compare_screen import Progress, SideBySide, figures_of
from partbook.cli.compare_systems import Room, System, opened_room
from partbook.cli.drawing import body, dim
from partbook.cli.figures import price
from partbook.cli.plain import open_console, print_json
from partbook.cli.playing import is_answered
from partbook.config import PoolConfig
from partbook.economy.ratings import PERSON, Rating, add_ratings, read_ratings
from partbook.errors import ConfigError
from partbook.price import total_usd
from partbook.spend_json import money
from partbook.store import Store
from partbook.trace import Trace

__all__ = ["Session", "done_in"]

_TRY_AGAIN = ("usd", "worker", "interrupted", "setup")
"""Reasons of a run for which its prompt is not written down as done."""


@dataclass(frozen=True, slots=True)
class Session:
    """What is compared, and how."""

    config: PoolConfig
    systems: Sequence[System]
    limits: Limits
    prices: Path | None
    rate: bool
    judge: str | None
    """Name of the worker that judges."""
    at_once: bool
    ratings: Path
    out: Path | None
    json: bool

    @property
    def names(self) -> list[str]:
        """The systems' names."""
        return [system.name for system in self.systems]

    @property
    def raters(self) -> list[str]:
        """Who rates."""
        judge = [] if self.judge is None else [f"judge:{self.judge}"]
        return [*([PERSON] if self.rate else []), *judge]

    def run(self, prompts: Sequence[str], store: Store) -> bool:
        """Go through the prompts, as far as the limits allow.

        Returns:
            Whether every system answered every prompt.

        Raises:
            PartbookError: something that the user can mend.
        """
        done = set() if self.out is None else done_in(self.out)
        if self.raters and self.ratings.exists():  # said before anybody is paid
            read_ratings(self.ratings)
        left = [prompt for prompt in prompts if self._key(prompt) not in done]
        if len(left) < len(prompts):
            print(f"{len(prompts) - len(left)} of {len(prompts)} are done already", file=sys.stderr)
        answered = True
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            room = runner.run(stack.enter_async_context(self._opened(store)))
            try:
                for number, prompt in enumerate(left, 1):
                    if len(left) > 1 and not self.json:
                        open_console().print(Rule(f"{number} of {len(left)}", align="left"))
                    traces = self._one(runner, room, prompt)
                    answered = answered and all(map(is_answered, traces))
                    if any(trace.reason == "usd" for trace in traces) and number < len(left):
                        told = f"the limit in dollars is reached; {len(left) - number} are left"
                        print(told, file=sys.stderr)
                        break
            finally:
                runner.run(stack.aclose())
        return answered

    def _opened(self, store: Store) -> AbstractAsyncContextManager[Room]:
        return opened_room(
            self.config, self.systems, self.limits, store, judge=self.judge, prices=self.prices
        )

    def _one(self, runner: asyncio.Runner, room: Room, prompt: str) -> list[Trace]:
        traces = self._played(runner, room, prompt)
        order = lettered(len(traces), random.Random()) if self.rate else []
        ratings = self._asked(traces, order) if self.rate else []
        judgings: list[Judging] = []
        if self.judge is not None:
            worker = room.pool[room.pool.find(self.judge)]
            judgings = runner.run(judge_all(worker, traces))
            ratings += self._judged(traces, judgings)
        add_ratings(self.ratings, ratings)
        data = self._data(prompt, traces, ratings)
        if self.json:
            print_json(data)
        else:
            self._show(traces, order, judgings)
        if self.out is not None and not any(trace.reason in _TRY_AGAIN for trace in traces):
            _append(self.out, data)
        return traces

    def _played(self, runner: asyncio.Runner, room: Room, prompt: str) -> list[Trace]:
        if self.json or not sys.stdout.isatty():
            return runner.run(room.play(prompt, at_once=self.at_once))
        progress = Progress(self.names)
        with Live(progress, console=open_console(), transient=True):
            return runner.run(room.play(prompt, at_once=self.at_once, on_event=progress.add))

    def _asked(self, traces: Sequence[Trace], order: Sequence[int]) -> list[Rating]:
        """Show the answers without names and let a person choose."""
        console = open_console()
        letters = string.ascii_uppercase[: len(order)]
        console.print(SideBySide(letters, [traces[i] for i in order]))
        missing = [self.names[i] for i, trace in enumerate(traces) if trace.answer is None]
        if missing:
            print(f"nothing to rate: no answer of {', '.join(missing)}")
            return []
        return asked_person(self.names, traces, order, input) or []

    def _judged(self, traces: Sequence[Trace], judgings: Sequence[Judging]) -> list[Rating]:
        by = f"judge:{self.judge}"
        return [
            rating_of(
                by,
                self.names,
                traces,
                one.first,
                one.second,
                one.found.outcome,
                (str(one.found.first_shown_first), str(one.found.second_shown_first)),
            )
            for one in judgings
            if one.found is not None and one.found.is_judged
        ]

    def _show(
        self, traces: Sequence[Trace], order: Sequence[int], judgings: Sequence[Judging]
    ) -> None:
        console = open_console()
        if self.rate:
            letters = string.ascii_uppercase[: len(order)]
            names, shown = [self.names[i] for i in order], [traces[i] for i in order]
            console.print(figures_of(names, shown, letters))
        else:
            console.print(SideBySide(self.names, traces))
            console.print(figures_of(self.names, traces))
        if self.at_once and self._shares_machine():
            console.print(
                dim("All ran at once on this machine; for seconds that compare: --one-by-one")
            )
        if judgings:
            self._show_judgings(judgings, traces)

    def _show_judgings(self, judgings: Sequence[Judging], traces: Sequence[Trace]) -> None:
        console = open_console()
        calls = sum(len(one.found.texts) for one in judgings if one.found is not None)
        total = total_usd(one.cost_usd for one in judgings)
        console.print()
        console.print(
            Text.assemble((f"judge {self.judge}", "bold"), f"  {calls} calls, {price(total)}")
        )
        for one in judgings:
            console.print(body(said_of(one, self.names)))
        worked = {step.worker for t in traces for round_ in t.rounds for step in round_.steps}
        if self.judge in worked:
            console.print(
                dim(f"{self.judge} judges answers that it wrote itself, at least in part")
            )

    def _shares_machine(self) -> bool:
        specs = [*self.config.workers]
        specs += [s.choice.outside.spec for s in self.systems if s.choice.outside is not None]
        return any(spec.kind in ("local", "torch") for spec in specs)

    def _key(self, prompt: str) -> tuple[str, ...]:
        return _key(prompt, self.config.name, self.names, self.raters)

    def _data(
        self, prompt: str, traces: Sequence[Trace], ratings: Sequence[Rating]
    ) -> dict[str, Any]:
        return {
            "question": prompt,
            "pool": self.config.name,
            "raters": self.raters,
            "systems": [
                {
                    "system": name,
                    "run_id": trace.run_id,
                    "status": trace.status,
                    "detail": trace.detail,
                    "answer": trace.answer,
                    "calls": trace.calls,
                    "prompt_tokens": trace.usage.prompt_tokens,
                    "completion_tokens": trace.usage.completion_tokens,
                    "cost_usd": money(trace.cost_usd),
                    "seconds": round(trace.seconds, 3),
                }
                for name, trace in zip(self.names, traces, strict=True)
            ],
            "ratings": [
                {
                    "by": rating.by,
                    "first": rating.first,
                    "second": rating.second,
                    "outcome": rating.outcome,
                    "orders": list(rating.orders),
                }
                for rating in ratings
            ],
        }


def done_in(out: Path) -> set[tuple[str, ...]]:
    """What `--out` holds already; nothing where there is no such file.

    Raises:
        ConfigError: it cannot be read, or holds something else.
    """
    try:
        lines = out.read_text("utf-8").splitlines() if out.exists() else []
    except (OSError, UnicodeDecodeError) as err:
        said = err.strerror if isinstance(err, OSError) else "it is no UTF-8"
        raise ConfigError(f"--out: cannot read {out}: {said}; name another file") from err
    found = set()
    for number, line in enumerate(lines, 1):
        try:
            data: dict[str, Any] = json_module.loads(line)
            names = [one["system"] for one in data["systems"]]
            found.add(_key(data["question"], data["pool"], names, data["raters"]))
        except (LookupError, TypeError, ValueError) as err:
            raise ConfigError(
                f"{out}, line {number}: no comparison; name another file with --out"
            ) from err
    return found


def _key(prompt: str, pool: str, names: Sequence[str], raters: Sequence[str]) -> tuple[str, ...]:
    return (prompt, pool, *names, "", *raters)


def _append(out: Path, data: dict[str, Any]) -> None:
    try:
        with out.open("a", encoding="utf-8") as file:
            file.write(json_module.dumps(data, ensure_ascii=True) + "\n")
    except OSError as err:
        raise ConfigError(f"cannot write {out}: {err.strerror or err}") from err
