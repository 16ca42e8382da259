"""WorkerPlugin: how an installed package adds a kind of worker, and what a pool file may say of it.

The plug-in opens a `ChatModel`; retries, limits, budgets, the trace and everything else around a
call are the same as for any other worker.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from partbook.model import ChatModel
from partbook.plugged import Plugged, Setting
from partbook.plugins import WORKERS, load_plugin
from partbook.pool import WorkerSpec
from partbook.secret import Secret
from partbook.toml_table import Table

__all__ = ["WorkerPlugin", "take_plugged"]


@dataclass(frozen=True, slots=True)
class WorkerPlugin:
    """A kind of worker; `kind = "NAME"` in a pool file."""

    api: int
    """The version of the plug-in interface that it was written for."""
    about: str
    """One line for a person."""
    open: Callable[[WorkerSpec, Secret | None], AbstractAsyncContextManager[ChatModel]]
    """From what the pool file says, and the key that it points to, to a model that can be called;
    leaving the context closes it.

    Raises:
        ConfigError: something is missing that the user can mend; nobody was called.
    """
    is_tool: bool = False
    """Whether it computes instead of generating text: no tokens, no sampling, no price. A tool is
    asked once, with the answers that it may read and its subtask."""
    is_here: bool = False
    """Whether nothing that it reads leaves this machine; without that it is not called where
    `--only local` or `--only open` is asked for."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """What `settings` in the pool file may hold, with the values where it does not; a value must be
    of its default's type."""
    probe: str = "Say OK."
    """What `partbook pool check` asks."""


def take_plugged(kind: str, table: Table) -> Plugged:
    """What a pool file says of a worker of a plug-in's kind; takes its `settings`.

    Raises:
        ConfigError: no plug-in has this name, it cannot be used, or a setting is unknown or of
            another type.
    """
    plugin = load_plugin(WORKERS, kind, WorkerPlugin)
    given = table.take_table("settings")
    if given is None:
        settings = tuple(plugin.settings.items())
    else:
        settings = tuple(
            (name, given.take(name, type(usual), usual)) for name, usual in plugin.settings.items()
        )
        given.done()
    return Plugged(plugin.is_tool, plugin.is_here, settings)
