"""Plugged: what a worker is whose kind comes from a plug-in, as far as everybody else must know it.

Plain data, so that a `WorkerSpec` says everything about its worker without any code of the plug-in.
"""

from dataclasses import dataclass

__all__ = ["Plugged", "Setting"]

Setting = str | int | float | bool
"""A value of a worker's `settings` in a pool file."""


@dataclass(frozen=True, slots=True)
class Plugged:
    """What a plug-in and the pool file say about a worker."""

    is_tool: bool
    """Whether it computes instead of generating text: no tokens, no sampling, no price."""
    is_here: bool
    """Whether what it reads stays on this machine, as the plug-in says."""
    settings: tuple[tuple[str, Setting], ...] = ()
    """The plug-in's own settings with their values, in the plug-in's order."""
