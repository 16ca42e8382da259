"""Carries out `partbook evaluate`: everything is checked, then opened, then run or estimated.

What a user can mend is found before the first call: tasks, systems, keys, prices, and whether the
results in the folder are of the same evaluation.
"""

from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from partbook.budget import Limits
from partbook.cli.evaluate_plugins import plugin_words
from partbook.cli.evaluate_room import (
    Room,
    RoomWanted,
    encoder_name,
    opened_room,
    stand_in_policy,
)
from partbook.cli.evaluate_screen import ProgressLine
from partbook.cli.evaluate_sources import Source, load_source, stand_ins
from partbook.cli.opening import closed_pool
from partbook.cli.spreading import away_of, open_nodes, opened_fleet
from partbook.config import PoolConfig, load_pool
from partbook.errors import ConfigError
from partbook.evaluate.posed import LAB, Posed
from partbook.evaluate.running.calls import CALLS, CallLog, wanted_but
from partbook.evaluate.running.cell import key_text
from partbook.evaluate.running.desk import whole_budget
from partbook.evaluate.running.estimate import Estimate, estimate
from partbook.evaluate.running.identity import worker_words
from partbook.evaluate.running.preparing import Preparation, prepare
from partbook.evaluate.running.protocol import Protocol, match_of
from partbook.evaluate.running.rehearsing import learning_estimates, rehearsed_systems
from partbook.evaluate.running.results import Results
from partbook.evaluate.running.runner import Ended, Plan, run, seat_of
from partbook.evaluate.running.spreading import spread_over
from partbook.evaluate.running.till import Purse
from partbook.evaluate.systems.catalogue import Choice, parse_systems
from partbook.evaluate.systems.kinds import Need
from partbook.evaluate.systems.wording import BRIEF_WORDING, DEFAULT_WORDING, LAB_WORDING, Wording
from partbook.price import Price
from partbook.store import Store, default_url

__all__ = ["Evaluation", "Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What only options say."""

    timeout_s: float | None = None
    """For one system and one problem."""
    assumed: Price | None = None
    prices: Path | None = None
    encoder: str = ""
    grader: str = ""
    dry: bool = False
    """Whether nothing is to be run."""
    on: str = ""
    """Where cells are played, as `--on` says; empty: in this process."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation that can be run, as far as that can be known without opening anything."""

    protocol: Protocol
    settings: Settings
    sources: tuple[Source, ...]
    configs: dict[str, PoolConfig]
    """By the name that asks for the pool; the first one numbers the workers."""
    choices: tuple[Choice, ...]

    @classmethod
    def of(cls, protocol: Protocol, settings: Settings) -> "Evaluation":
        """Read what was asked for.

        Raises:
            ConfigError: a task, a pool or a system is unknown, or they do not go together.
        """
        lab = [task.name == LAB for task in protocol.tasks]
        if any(lab) and not all(lab):
            raise ConfigError("the lab has workers of its own; evaluate it by itself")
        main = LAB if all(lab) else protocol.pool
        names = (main, *(task.pool for task in protocol.tasks if task.pool))
        configs = {name: load_pool(name) for name in names}
        match_of(protocol.match)
        if protocol.share_calls and len(configs) > 1:
            raise ConfigError("`share_calls` is for one pool: names tell its workers apart")
        # Systems first: they are quick to check, while a task may have to be fetched.
        pool = closed_pool(configs[main])
        choices = parse_systems(protocol.systems, pool, _have(protocol, settings, True))
        learning = any("measured" in choice.needs for choice in choices)
        count = protocol.measured if learning else 0
        sources = tuple(
            load_source(task, protocol.seed, count, dry=settings.dry) for task in protocol.tasks
        )
        if learning and not settings.dry:
            learnable = all(one.request.name == LAB or one.learning for one in sources)
            choices = parse_systems(protocol.systems, pool, _have(protocol, settings, learnable))
        if any("encoder" in choice.needs for choice in choices):
            settings = replace(settings, encoder=encoder_name(settings.encoder))
        else:
            settings = replace(settings, encoder="")
        return cls(protocol, settings, sources, configs, tuple(choices))

    def identity(self) -> dict[str, str]:
        """What must be the same for whoever goes on with the results."""
        protocol, seconds = self.protocol, self.settings.timeout_s
        found = {
            "task": "; ".join(source.about for source in self.sources),
            "pool": ", ".join(config.name for config in self.configs.values()),
            "seed": str(protocol.seed),
            "limit per problem": match_of(protocol.match).text or "none",
            "seconds per problem": "none" if seconds is None else f"{seconds:g}",
            "conductor": protocol.conductor or "none",
            "policy": protocol.policy or "none",
            "number of problems to learn from": str(protocol.measured),
        }
        if protocol.share_calls:
            found["equal calls"] = "made once"
        if protocol.brief:
            found["words"] = "the answer alone"
        if self.settings.encoder:
            found["sentence encoder"] = self.settings.encoder
        for config in self.configs.values():
            for spec in config.workers:
                found[f"worker {config.name}/{spec.name}"] = worker_words(spec)
        return found | plugin_words(self.configs.values(), self.choices, self.sources)

    async def estimated(self) -> tuple[list[Estimate], list[str]]:
        """What it will take, and what is to be said about that; nobody is called."""
        protocol, notes = self.protocol, list(self.protocol.notes)
        async with opened_room(replace(self._wanted(), nobody=Path("--dry-run"))) as room:
            posed: list[Posed] = []
            for source in self.sources:
                if source.about:
                    posed += self._posed(source, room)
                else:
                    posed += stand_ins(source.request, room.pools[self._pool(source)])
                    notes.append(
                        f"{source.request.name}: its problems are not here; "
                        f"{source.request.limit or source.request.problems} questions of "
                        f"{source.request.question_tokens} tokens are assumed"
                    )
            policy = room.policy or stand_in_policy()
            if not protocol.policy and any("policy" in one.needs for one in self.choices):
                notes.append("what a trained Conductor costs by itself is not in it: none is named")
            systems = await rehearsed_systems(
                self.choices, room.main, room.conductor or policy, policy
            )
            found = await estimate(
                systems, posed, protocol.repeats, self._each(), protocol.answer_tokens
            )
            found += await learning_estimates(
                self.choices, room.main, posed, protocol.measured, protocol.answer_tokens
            )
        return found, notes

    async def run(
        self, folder: Path, line: ProgressLine, replayed: Path | None = None
    ) -> tuple[Ended, Results]:
        """Run it, or go on with it.

        Args:
            folder: where the results are, or will be.
            line: shows how far it is.
            replayed: the folder of another run, whose calls are answered from there.

        Returns:
            How it ended, and the results, closed.
        """
        protocol, wanted = self.protocol, self._wanted()
        if replayed is not None and self.settings.on:
            raise ConfigError("--replay asks nobody, so there is nothing to play --on nodes")
        if replayed is not None:
            wanted = replace(wanted, nobody=replayed)
        async with AsyncExitStack() as stack:
            # What is missing here is said before a folder is made.
            pools = tuple(self.configs.values())
            fleet = await stack.enter_async_context(opened_fleet(self.settings.on, pools))
            wanted = replace(wanted, away=away_of(fleet))
            room = await stack.enter_async_context(opened_room(wanted))
            await open_nodes(fleet, line.say)
            results = stack.enter_context(Results.open(folder, self.identity()))
            done = wanted_but({key_text(k) for k, cell in results.cells.items() if cell.judged})
            log = CallLog.open(folder, done, protocol.share_calls)
            stack.callback(log.close)
            if replayed is not None:
                log.load(done, replayed / CALLS)
            store = stack.enter_context(Store.open(default_url()))
            whole = whole_budget(replace(wanted.limits, usd=protocol.max_usd), log)
            preparation = Preparation(
                room.main,
                self._learning(room),
                self._wording(),
                protocol.seed,
                folder,
                log,
                whole,
                store,
                protocol.name or "evaluation",
                room.encoder,
                room.conductor,
                room.policy,
                line.say,
            )
            systems = await prepare(self.choices, preparation)
            posed = [one for source in self.sources for one in self._posed(source, room)]
            results.begin([choice.name for choice in self.choices], posed, protocol.repeats)
            plan = Plan(
                systems,
                posed,
                protocol.repeats,
                protocol.seed,
                protocol.concurrency,
                self._each(),
                preparation.label,
            )
            play = await spread_over(fleet, seat_of(plan), Purse(log, whole))
            ended = await run(plan, results, log, store, whole, line.show, play)
        return ended, results

    def _wording(self) -> Wording:
        if LAB in self.configs:
            return LAB_WORDING
        return BRIEF_WORDING if self.protocol.brief else DEFAULT_WORDING

    def _wanted(self) -> RoomWanted:
        protocol, settings = self.protocol, self.settings
        # A problem's own limit in dollars needs all prices as much as that of the whole.
        usd = protocol.max_usd or match_of(protocol.match).limits.usd
        return RoomWanted(
            self.configs,
            self._needed(),
            protocol.conductor,
            protocol.policy,
            settings.grader,
            settings.encoder,
            protocol.seed,
            settings.prices,
            Limits(usd=usd, assumed_price=settings.assumed),
        )

    def _each(self) -> Limits:
        limits = match_of(self.protocol.match).limits
        return replace(
            limits, timeout_s=self.settings.timeout_s, assumed_price=self.settings.assumed
        )

    def _needed(self) -> set[str] | None:
        """Names of the workers that may be called; None: all."""
        named: set[str] = set()
        for choice in self.choices:
            worker = choice.argument if choice.kind == "worker" else choice.worker
            if choice.needs or not worker or choice.kind == "moa":
                return None
            named.add(worker)
        named.update(name for name in (self.settings.grader,) if name)
        config = next(iter(self.configs.values()))
        called = [spec for spec in config.workers if spec.name in named]
        return named.union(*(spec.fallbacks for spec in called))

    def _pool(self, source: Source) -> str:
        return source.request.pool or next(iter(self.configs))

    def _posed(self, source: Source, room: Room) -> list[Posed]:
        pool = room.pools[self._pool(source)]
        return source.posed(pool, self.protocol.seed, room.grader)

    def _learning(self, room: Room) -> list[Posed]:
        """Problems of another split, as many of each task."""
        if not any("measured" in choice.needs for choice in self.choices):
            return []
        each = -(-self.protocol.measured // len(self.sources))
        return [
            one
            for source in self.sources
            for one in source.posed_to_learn(room.main, self.protocol.seed, each)
        ]


def _have(protocol: Protocol, settings: Settings, learnable: bool) -> Collection[Need]:
    """What systems can be built with."""
    found: list[Need] = ["measured", "trial", "encoder"] if learnable or settings.dry else []
    if protocol.conductor or settings.dry:
        found.append("conductor")
    if protocol.policy or settings.dry:
        found.append("policy")
    return found
