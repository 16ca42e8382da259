"""Which workers of a pool a request may call: `--exclude`, `--only`, `--demand`.

Who is not selected is not opened, not shown to the Conductor and nobody's fallback. The same holds
for whoever conducts, because it reads the question. A label is what the pool's owner vouches for
about a worker; Partbook knows nothing of what it means.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import typer

from partbook.config import PoolConfig
from partbook.errors import ConfigError
from partbook.models.presets import PRESETS, host_of, is_on_this_machine
from partbook.pool import WorkerSpec

__all__ = [
    "EVERYBODY",
    "DemandOption",
    "ExcludeOption",
    "OnlyOption",
    "Selection",
    "selected",
]

ExcludeOption = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="WORKER", help="Do not call this worker; may be repeated."),
]
OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="open|local|provider:NAME",
        help="Call only models with open weights, models on this machine, or those of a provider.",
    ),
]
DemandOption = Annotated[
    list[str] | None,
    typer.Option(
        "--demand",
        metavar="LABEL",
        help="Call only workers that the pool file gives this label; may be repeated.",
    ),
]

_OPEN = "open"
"""Label of a worker elsewhere whose weights are open."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which workers may be called."""

    exclude: tuple[str, ...] = ()
    """Names."""
    only: str = ""
    """`open`, `local`, `provider:NAME`; empty: anybody."""
    demand: tuple[str, ...] = ()
    """Labels that a worker must have, all of them."""

    def of(self, config: PoolConfig) -> PoolConfig:
        """The pool with those that may be called.

        Raises:
            ConfigError: a worker to exclude is unknown, or nobody is left.
        """
        names = [spec.name for spec in config.workers]
        for name in self.exclude:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise ConfigError(
                    f"--exclude: pool {config.name!r} has no worker {name!r}; {hint}workers: "
                    f"{', '.join(names)}"
                )
        refused = {spec.name: why for spec in config.workers if (why := self.against(spec))}
        left = tuple(spec for spec in config.workers if spec.name not in refused)
        had_models = any(spec.is_model for spec in config.workers)
        if not left or (had_models and not any(spec.is_model for spec in left)):
            reasons = "; ".join(f"{name} {why}" for name, why in refused.items())
            raise ConfigError(
                f"nobody in pool {config.name!r} may be called for this request: {reasons}"
            )
        return replace(config, workers=left) if refused else config

    def against(self, spec: WorkerSpec) -> str:
        """Why a worker may not be called, after its name in a sentence; empty: it may."""
        if spec.name in self.exclude:
            return "is excluded"
        if spec.kind == "conductor":
            return ""  # whoever conducts is looked at by `against_conductor`
        why = self._not_only(spec)
        missing = [label for label in self.demand if label not in spec.labels]
        return why or (f"has no label {', '.join(map(repr, missing))}" if missing else "")

    def against_conductor(self, spec: WorkerSpec) -> str:
        """Why a Conductor from outside the pool may not be asked; empty: it may.

        It has no labels; in this process it needs none, for the question goes nowhere.
        """
        if spec.kind != "http":
            return ""
        why = self._not_only(spec)
        return why or ("has no labels and is not in this process" if self.demand else "")

    def _not_only(self, spec: WorkerSpec) -> str:
        kind, _, provider = self.only.partition(":")
        match kind:
            case "local":
                is_here = spec.is_here or _is_own_endpoint(spec)
                return "" if is_here else "is not on this machine"
            case "open":
                is_open = spec.is_here or _OPEN in spec.labels
                return "" if is_open else f"has no label {_OPEN!r}"
            case "provider":
                # A tool is nobody's model.
                ours = spec.is_tool or _is_of(spec, provider)
                return "" if ours else f"is not of provider {provider!r}"
            case _:
                return ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"exclude": list(self.exclude), "only": self.only, "demand": list(self.demand)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        return cls(tuple(data["exclude"]), data["only"], tuple(data["demand"]))


EVERYBODY = Selection()


def selected(exclude: list[str] | None, only: str | None, demand: list[str] | None) -> Selection:
    """What the options ask for.

    Raises:
        ConfigError: `--only` is none of its three forms.
    """
    kind, colon, provider = (only or "").partition(":")
    is_known = kind == "provider" if colon else kind in ("", "open", "local")
    if not is_known or bool(colon) != bool(provider.strip()):
        raise ConfigError(
            f"--only: open, local or provider:NAME was expected (a name like {', '.join(PRESETS)}, "
            f"or a host), found {only!r}"
        )
    return Selection(tuple(exclude or ()), only or "", tuple(demand or ()))


def _is_own_endpoint(spec: WorkerSpec) -> bool:
    return spec.kind == "http" and is_on_this_machine(spec.endpoint)


def _is_of(spec: WorkerSpec, provider: str) -> bool:
    """Whether a worker's endpoint is a preset of this name, or at this host or below it."""
    if spec.kind != "http":
        return False
    host = host_of(spec.endpoint)
    wanted = host_of(provider) if provider in PRESETS else provider
    return spec.endpoint == provider or host == wanted or host.endswith(f".{wanted}")
