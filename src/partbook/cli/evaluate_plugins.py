"""Which plug-ins take part in an evaluation, in words that its results file must agree on."""

from collections.abc import Collection, Iterable

from partbook.cli.evaluate_sources import Source
from partbook.config import PoolConfig
from partbook.evaluate.systems.catalogue import Choice
from partbook.evaluate.systems.kinds import KINDS
from partbook.plugins import JUDGES, SYSTEMS, TASKS, WORKERS, Group, find_plugin
from partbook.tasks.catalogue import FAMILIES, splits_of
from partbook.tasks.formats import FORMAT_OF

__all__ = ["plugin_words"]


def plugin_words(
    configs: Collection[PoolConfig], choices: Collection[Choice], sources: Collection[Source]
) -> dict[str, str]:
    """Package and version of each: another version of a plug-in is another evaluation."""
    specs = [spec for config in configs for spec in config.workers]
    judges = {problem.judge for source in sources for problem in source.problems}
    tasks = [source.request.name for source in sources]
    named: dict[Group, Iterable[str]] = {
        WORKERS: (spec.kind for spec in specs if spec.plugged is not None),
        JUDGES: (name for name in judges if name not in FORMAT_OF and name != "gym"),
        TASKS: (name for name in tasks if name not in FAMILIES and splits_of(name)),
        SYSTEMS: (choice.kind for choice in choices if choice.kind not in KINDS),
    }
    found = [find_plugin(group, name) for group in named for name in sorted(set(named[group]))]
    return {f"plug-in {one.group}/{one.name}": f"{one.package} {one.version}" for one in found}
