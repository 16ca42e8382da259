"""Setup: how a run was asked for, in full, so that it can be taken up again by its id alone.

It holds names, paths and limits, a short hash of each worker as the pool file described it, and one
of the Conductor's files; no key and no price list.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from partbook.budget import Limits
from partbook.cli.choosing import Choice, choose
from partbook.cli.opening import closed_pool
from partbook.cli.selecting import EVERYBODY, Selection
from partbook.config import PoolConfig, load_pool, pool_names, workflow_names
from partbook.errors import ConfigError
from partbook.pool import WorkerSpec
from partbook.rounds import NEVER, StopRule
from partbook.spend_json import money, money_from, price_from_dict, price_to_dict

__all__ = ["Setup"]

SETUP_VERSION = 1


@dataclass(frozen=True)
class Setup:
    """How a run was asked for."""

    pool: str
    """Name of a pool that comes along, or the whole path of a file."""
    workflow: str | None
    """Likewise; None: what the pool file says."""
    conductor: str | None
    limits: Limits
    prices: Path | None
    record: Path | None
    replay: Path | None
    hashes: Mapping[str, str]
    """What the pool file said: a hash by each worker's name, and one by "" for the rest."""
    conductor_hash: str = ""
    """Of the files of a Conductor from outside the pool; empty where there are none."""
    selection: Selection = EVERYBODY
    stop: StopRule = NEVER

    @classmethod
    def of(
        cls,
        pool: str,
        workflow: str | None,
        conductor: str | None,
        limits: Limits,
        prices: Path | None,
        record: Path | None,
        replay: Path | None,
        *,
        selection: Selection = EVERYBODY,
        stop: StopRule = NEVER,
    ) -> Self:
        """What the options of `run` ask for.

        Raises:
            ConfigError: they do not go together, or a file is wrong.
        """
        if record is not None and replay is not None:
            raise ConfigError("--record and --replay exclude each other")
        whole = load_pool(pool)
        choice = choose(whole, workflow, conductor, selection)
        config, outside = selection.of(whole), choice.outside
        _check_rounds(config, choice, limits, stop)
        return cls(
            _whole(pool, pool_names()),
            None if workflow is None else _whole(workflow, workflow_names()),
            conductor if outside is None else outside.text,
            limits,
            None if prices is None else prices.absolute(),
            None if record is None else record.absolute(),
            None if replay is None else replay.absolute(),
            _hashes(config),
            "" if outside is None else outside.fingerprint(),
            selection,
            stop,
        )

    @cached_property
    def config(self) -> PoolConfig:
        """What the pool file says now of those who may be called."""
        return self.selection.of(load_pool(self.pool))

    @cached_property
    def choice(self) -> Choice:
        """Who settles the workflow."""
        return choose(load_pool(self.pool), self.workflow, self.conductor, self.selection)

    def check_unchanged(self) -> None:
        """Refuse a pool or a Conductor that is not what it was when the run began.

        Raises:
            ConfigError: it has changed; the message says what.
        """
        now = _hashes(self.config)
        changes = [
            f"worker {name!r} is gone"
            if name not in now
            else f"worker {name!r} is new"
            if name not in self.hashes
            else f"worker {name!r} has changed"
            if name
            else "what stands above the workers has changed"
            for name in [*self.hashes, *(name for name in now if name not in self.hashes)]
            if now.get(name) != self.hashes.get(name)
        ]
        if not changes and list(now) != list(self.hashes):
            changes = ["the workers stand in another order"]
        if changes:
            raise ConfigError(
                f"pool {self.pool} is not what it was when the run began: {', '.join(changes)}; "
                "undo that, or ask again with `partbook run`"
            )
        outside = self.choice.outside
        if outside is not None and outside.fingerprint() != self.conductor_hash:
            raise ConfigError(
                f"the Conductor {outside.text} is not what it was when the run began; undo that, "
                "or ask again with `partbook run`"
            )

    def to_json(self) -> str:
        """As text, for the journal and the store."""
        limits = self.limits
        return json.dumps(
            {
                "setup": SETUP_VERSION,
                "pool": self.pool,
                "workflow": self.workflow,
                "conductor": self.conductor,
                "limits": {
                    "usd": money(limits.usd),
                    "calls": limits.calls,
                    "tokens": limits.tokens,
                    "timeout_s": limits.timeout_s,
                    "assumed_price": price_to_dict(limits.assumed_price),
                    "rounds": limits.rounds,
                },
                "prices": _text(self.prices),
                "record": _text(self.record),
                "replay": _text(self.replay),
                "hashes": dict(self.hashes),
                "conductor_hash": self.conductor_hash,
                "selection": self.selection.to_dict(),
                "stop": asdict(self.stop),
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises:
            ConfigError: it is something else, or of a newer version.
        """
        try:
            data: dict[str, Any] = json.loads(text)
            if data["setup"] != SETUP_VERSION:
                raise ConfigError("the run was begun by a newer Partbook; update this one")
            limits = data["limits"]
            return cls(
                data["pool"],
                data["workflow"],
                data["conductor"],
                Limits(
                    money_from(limits["usd"]),
                    limits["calls"],
                    limits["tokens"],
                    limits["timeout_s"],
                    price_from_dict(limits["assumed_price"]),
                    limits.get("rounds", 1),
                ),
                _path(data["prices"]),
                _path(data["record"]),
                _path(data["replay"]),
                data["hashes"],
                data.get("conductor_hash", ""),
                Selection.from_dict(data.get("selection", EVERYBODY.to_dict())),
                StopRule(**data.get("stop", {"kind": "never"})),
            )
        except (LookupError, TypeError, ValueError) as err:
            raise ConfigError("the run was not begun by `partbook run`; it cannot go on") from err


def _check_rounds(config: PoolConfig, choice: Choice, limits: Limits, stop: StopRule) -> None:
    """Refuse rounds that nobody could write, and a checker who is not there."""
    if limits.rounds > 1 and choice.fixed is not None:
        raise ConfigError(
            f"workflow {choice.fixed.name!r} is played once; rounds need a Conductor that looks at "
            "the answer: use --conductor WHO"
        )
    if stop.checker:
        pool = closed_pool(config)
        spec = pool[pool.find(stop.checker)].spec
        if not spec.is_model:
            raise ConfigError(
                f"--stop-rule: a language model was expected as the checker, {spec.name!r} is none"
            )


def _whole(name_or_path: str, names: list[str]) -> str:
    return name_or_path if name_or_path in names else str(Path(name_or_path).absolute())


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _hashes(config: PoolConfig) -> dict[str, str]:
    """A hash of what the pool file says about each worker, and one of the rest."""
    rest = {
        name: value for name, value in asdict(config).items() if name not in ("about", "workers")
    }
    return {spec.name: _hash(_said(spec)) for spec in config.workers} | {"": _hash(rest)}


def _said(spec: WorkerSpec) -> dict[str, Any]:
    # Only what differs from the defaults: a later version has more fields.
    usual = asdict(WorkerSpec(spec.name, spec.kind))
    return {name: value for name, value in asdict(spec).items() if value != usual[name]}


def _hash(values: Mapping[str, Any]) -> str:
    canonical = json.dumps(values, sort_keys=True, default=_digits)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _digits(value: object) -> str:
    if not isinstance(value, Decimal):
        raise TypeError(f"a pool file holds no {type(value).__name__}")
    return format(value.normalize(), "f")
