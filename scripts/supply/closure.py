"""What requirements come to, from the metadata of the packages installed here. No network."""

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions

from packaging.requirements import Requirement
from scripts.supply.asked import normal

__all__ = ["Missing", "closure", "installed", "links"]

_BUILDS_OF_TORCH = re.compile(r"nvidia-|cuda-|triton$")
"""What a build of torch for graphics cards brings; which build it is, is the machine's affair."""


class Missing(Exception):
    """Packages that are needed and not installed; the message names them."""


def installed() -> dict[str, Distribution]:
    """The packages of this environment by normalised name; of two, the one that is imported."""
    found: dict[str, Distribution] = {}
    for one in distributions():
        found.setdefault(normal(one.name), one)
    return found


def links(
    requirements: Iterable[str], there: Mapping[str, Distribution]
) -> dict[str, frozenset[str]]:
    """Who needs whom on this machine, by normalised names; `partbook` is who asks first.

    A row whose marker does not hold is passed over, and so is what a build of torch brings for
    graphics cards. Where something leads back to Partbook, that is left out.

    Args:
        requirements: rows as in pyproject.toml.
        there: what is installed.

    Raises:
        Missing: some are not installed.
    """
    found: dict[str, set[str]] = {"partbook": set()}
    missing: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [("partbook", Requirement(row), frozenset({""})) for row in requirements]
    while waiting:
        asker, row, its_extras = waiting.pop()
        if row.marker and not any(row.marker.evaluate({"extra": one}) for one in its_extras):
            continue
        name, extras = normal(row.name), frozenset({"", *row.extras})
        if _BUILDS_OF_TORCH.match(name) or name == "partbook":
            continue
        if name not in there:
            missing.add(name)
            continue
        found.setdefault(name, set())
        if name != asker:
            found[asker].add(name)
        if (name, extras) not in seen:
            seen.add((name, extras))
            rows = there[name].requires or ()
            waiting += [(name, Requirement(needed), extras) for needed in rows]
    if missing:
        raise Missing(f"not installed: {', '.join(sorted(missing))}")
    return {name: frozenset(needs) for name, needs in found.items()}


def closure(
    requirements: Iterable[str], there: Mapping[str, Distribution] | None = None
) -> dict[str, Distribution]:
    """All packages that requirements lead to on this machine, in the order of their names.

    Args:
        requirements: rows as in pyproject.toml.
        there: what is installed; by default what is installed here.

    Raises:
        Missing: some are not installed.
    """
    have = installed() if there is None else there
    return {name: have[name] for name in sorted(links(requirements, have)) if name != "partbook"}
