"""SystemPlugin: how an installed package adds a system to compare with.

It plays through the same sitting as every other system, so calls, tokens, money and limits are
counted as theirs are. What its code raises is an answer that is not there, told apart from a wrong
one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from partbook.errors import ConfigError, PartbookError
from partbook.evaluate.system import Sitting, System
from partbook.evaluate.systems.kinds import KINDS, Calls, Kind
from partbook.plugins import (
    SYSTEMS,
    Plugin,
    find_plugin,
    is_plugin,
    load_plugin,
    plugin_names,
    trouble_of,
)
from partbook.pool import AgentPool

__all__ = [
    "CallsOf",
    "SystemPlugin",
    "SystemWanted",
    "build_plugged_system",
    "kind_of",
    "system_names",
]


@dataclass(frozen=True, slots=True)
class SystemWanted:
    """What is asked of a system."""

    name: str
    """What tables call it; the system's own `name` must be this one."""
    number: int
    """What stands behind the colon, or its usual value; 0 where it takes none."""
    worker: str
    """Whom it works on, where it works on one: who was named, or the best on another split."""
    pool: AgentPool
    """Whose workers there are; a problem may have them in another order, so find them by name."""
    seed: int
    """Of the evaluation."""


class CallsOf(Protocol):
    """Fewest and most calls per problem."""

    def __call__(self, number: int, models: int, /) -> Calls:
        """Of its number, and of how many language models the pool has."""
        ...


@dataclass(frozen=True, slots=True)
class SystemPlugin:
    """A system; `--systems NAME`, `NAME:NUMBER`, `NAME@WORKER`."""

    api: int
    """The version of the plug-in interface that it was written for."""
    about: str
    """One line for a person."""
    make: Callable[[SystemWanted], System]
    """Makes the system; it asks nobody.

    Raises:
        ConfigError: it cannot play with this pool.
    """
    calls: CallsOf
    """How many calls it makes; for lists and estimates."""
    number: int | None = None
    """Its usual number; None: it takes none."""
    least: int = 1
    most: int = 1000
    on_worker: bool = False
    """Whether `@WORKER` may follow. Without it, it works on the best worker, which is measured on
    another split first."""


def system_names() -> list[str]:
    """Names of the kinds of systems: ours, then those of plug-ins."""
    return [*KINDS, *(name for name in plugin_names(SYSTEMS) if name not in KINDS)]


def kind_of(name: str) -> Kind | None:
    """A kind of system; None where there is none of this name.

    Raises:
        ConfigError: a plug-in has it and cannot be used.
    """
    if name in KINDS or not is_plugin(SYSTEMS, name):
        return KINDS.get(name)
    plugin = load_plugin(SYSTEMS, name, SystemPlugin)
    return Kind(
        plugin.about,
        plugin.calls,
        number=plugin.number,
        least=plugin.least,
        most=plugin.most,
        on_worker=plugin.on_worker,
    )


def build_plugged_system(kind: str, wanted: SystemWanted) -> System:
    """Make a system of a plug-in.

    Raises:
        ConfigError: it cannot be made; the message names the package.
    """
    plugin = find_plugin(SYSTEMS, kind)
    try:
        system = load_plugin(SYSTEMS, kind, SystemPlugin).make(wanted)
        name = system.name
    except PartbookError as err:
        raise ConfigError(f"the {plugin}: {err}") from err
    except Exception as err:  # a package's code may raise anything
        raise ConfigError(f"the {plugin} cannot be made: {trouble_of(err)}") from err
    if name != wanted.name:
        raise ConfigError(f"the {plugin} must be called {wanted.name!r}, found {name!r}")
    return _Foreign(wanted.name, system, plugin)


@dataclass(frozen=True, slots=True)
class _Foreign:
    """A plug-in's system behind the promise of a `System`."""

    name: str
    inner: System
    plugin: Plugin

    async def answer(self, sitting: Sitting) -> str | None:
        """As `System.answer`.

        Raises:
            ConfigError: its code failed. What it was worth cannot be known, so nothing is judged:
                the evaluation ends, and goes on here once the plug-in is mended.
        """
        try:
            answer = await self.inner.answer(sitting)
        except PartbookError:
            raise
        except Exception as err:  # a package's code may raise anything
            raise ConfigError(f"the {self.plugin} failed: {trouble_of(err)}") from err
        if answer is not None and not isinstance(answer, str):
            raise ConfigError(f"the {self.plugin} gave {type(answer).__name__}, not a text")
        return answer
