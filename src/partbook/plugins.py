"""Plug-ins: what other installed packages add, found by their entry points.

A package offers workers, judges, tasks or systems under the groups below; what an offer has to be
is said where it is used, and gathered for its authors in `plugin_api.py`. Nothing is looked for
until a name is asked for that is not Partbook's own, so a plug-in costs nobody a moment who does
not use it, and none can take the place of something that comes along.

A plug-in is code of an installed package, and runs with all the rights of whoever runs Partbook.
Only its name is ever taken from a file or an option: no path in a pool file leads to code.
"""

import difflib
import functools
import re
import traceback
from collections.abc import Collection
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final, Literal, Protocol, TypeVar

from partbook.errors import ConfigError

__all__ = [
    "API_VERSION",
    "GROUPS",
    "JUDGES",
    "SYSTEMS",
    "TASKS",
    "WORKERS",
    "Group",
    "Offer",
    "Plugin",
    "find_plugin",
    "installed_plugins",
    "is_plugin",
    "load_plugin",
    "near",
    "plugin_names",
    "trouble_of",
]

API_VERSION = 1
"""Version of what an offer is. It grows with every change that an offer of before does not survive;
docs/stability.md says how that is announced."""

Group = Literal["partbook.workers", "partbook.judges", "partbook.tasks", "partbook.systems"]
"""Under which entry points are found."""

WORKERS: Final = "partbook.workers"
JUDGES: Final = "partbook.judges"
TASKS: Final = "partbook.tasks"
SYSTEMS: Final = "partbook.systems"
GROUPS: tuple[Group, ...] = (WORKERS, JUDGES, TASKS, SYSTEMS)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""What can stand in a pool file, in a list of systems and in a table."""

_WORDS: dict[Group, str] = {
    WORKERS: "kind of worker",
    JUDGES: "judge",
    TASKS: "task",
    SYSTEMS: "system",
}


class Offer(Protocol):
    """What an entry point leads to."""

    @property
    def api(self) -> int:
        """The version of the plug-in interface that it was written for."""
        ...


T = TypeVar("T", bound=Offer)


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point, not yet loaded."""

    group: Group
    name: str
    package: str
    """The package that offers it, as it is installed."""
    version: str
    """Of the package."""
    value: str
    """Where its object is: `module:name`."""

    def __str__(self) -> str:
        return f"{_WORDS[self.group]} {self.name!r} of {self.package} {self.version}"


def installed_plugins() -> tuple[Plugin, ...]:
    """All that is installed, by group and name; no code of it is run."""
    return _installed()


def plugin_names(group: Group) -> list[str]:
    """Names in a group, for messages and lists; each once."""
    return sorted({plugin.name for plugin in _installed() if plugin.group == group})


def is_plugin(group: Group, name: str) -> bool:
    """Whether some installed package offers this name."""
    return any((plugin.group, plugin.name) == (group, name) for plugin in _installed())


def find_plugin(group: Group, name: str) -> Plugin:
    """The plug-in of this name.

    Raises:
        ConfigError: there is none, or several packages offer one.
    """
    found = [p for p in _installed() if (p.group, p.name) == (group, name)]
    if not found:
        raise ConfigError(f"no {_WORDS[group]} {name!r}; {near(name, plugin_names(group))}")
    if len(found) > 1:
        packages = " and ".join(f"{plugin.package} {plugin.version}" for plugin in found)
        raise ConfigError(
            f"the {_WORDS[group]} {name!r} is offered by {packages}; uninstall all but one of them"
        )
    return found[0]


def load_plugin(group: Group, name: str, offer: type[T]) -> T:
    """The object of a plug-in, whose package is imported now.

    Args:
        group: where it is offered.
        name: its name there.
        offer: what it has to be.

    Raises:
        ConfigError: there is none, several packages offer one, it cannot be imported, is something
            else, or was written for another version of the interface.
    """
    plugin = find_plugin(group, name)
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"the {plugin} has a name that cannot be written everywhere; letters, digits, - and _ "
            "were expected"
        )
    try:
        found = EntryPoint(name, plugin.value, group).load()
    except (Exception, SystemExit) as err:  # a package's code may do anything
        raise ConfigError(f"the {plugin} cannot be loaded: {trouble_of(err)}") from err
    if not isinstance(found, offer):
        raise ConfigError(
            f"the {plugin}: {plugin.value} must be a {offer.__name__}, found {type(found).__name__}"
        )
    if found.api != API_VERSION:
        raise ConfigError(
            f"the {plugin} was written for version {found.api!r} of the plug-in interface, this "
            f"Partbook has version {API_VERSION}; install a version of {plugin.package} that fits"
        )
    return found


def trouble_of(err: BaseException) -> str:
    """An error of a plug-in's code in a line: its type, what it says, and where it was raised.

    The message of our own errors is meant for people already, and stands alone.
    """
    if isinstance(err, ConfigError):
        return str(err)
    frames = traceback.extract_tb(err.__traceback__)
    said = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{said}{place}"


def near(name: str, known: Collection[str]) -> str:
    """What is known, with the nearest names first: the second half of a message."""
    close = difflib.get_close_matches(name, list(known), n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}known: {', '.join(known) or 'none'}"


@functools.cache
def _installed() -> tuple[Plugin, ...]:
    """Read once: what is installed does not change under a running process."""
    found: list[Plugin] = []
    for group in GROUPS:
        for point in entry_points(group=group):
            package, version = ("?", "?") if point.dist is None else _named(point)
            found.append(Plugin(group, point.name, package, version, point.value))
    return tuple(sorted(found, key=lambda p: (GROUPS.index(p.group), p.name, p.package)))


def _named(point: EntryPoint) -> tuple[str, str]:
    assert point.dist is not None
    return str(point.dist.name), str(point.dist.version)
