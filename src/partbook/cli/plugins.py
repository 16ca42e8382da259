"""`partbook plugins`: what other installed packages add, and what is wrong with it."""

from dataclasses import dataclass
from typing import Annotated, get_args

import typer

from partbook.cli.plain import head, open_console, print_json
from partbook.errors import ConfigError
from partbook.plugins import (
    JUDGES,
    SYSTEMS,
    TASKS,
    WORKERS,
    Plugin,
    installed_plugins,
    load_plugin,
)

__all__ = ["plugins_command"]


@dataclass(frozen=True, slots=True)
class _Look:
    """One plug-in, looked at."""

    plugin: Plugin
    about: str
    trouble: str
    """Why it cannot be used; empty: it can."""


def plugins_command(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the workers, judges, tasks and systems that other installed packages add.

    Each of them is loaded, which runs its package's code; nothing else does so unless it is used.

    Exit status 1: one of them cannot be used.
    """
    looks = [_look(plugin) for plugin in installed_plugins()]
    if json:
        print_json([_to_dict(look) for look in looks])
    else:
        _print(looks)
    if any(look.trouble for look in looks):
        raise typer.Exit(1)


def _look(plugin: Plugin) -> _Look:
    from partbook.evaluate.systems.system_plugin import SystemPlugin
    from partbook.tasks.judges.judge import JudgePlugin
    from partbook.tasks.task_plugin import TaskPlugin
    from partbook.worker_plugin import WorkerPlugin

    if plugin.name in _ours(plugin.group):
        return _Look(plugin, "", "the name is Partbook's own, so this is never used")
    try:
        match plugin.group:
            case "partbook.workers":
                about = load_plugin(WORKERS, plugin.name, WorkerPlugin).about
            case "partbook.judges":
                about = load_plugin(JUDGES, plugin.name, JudgePlugin).about
            case "partbook.tasks":
                about = load_plugin(TASKS, plugin.name, TaskPlugin).about
            case "partbook.systems":
                about = load_plugin(SYSTEMS, plugin.name, SystemPlugin).about
    except ConfigError as err:
        return _Look(plugin, "", str(err))
    return _Look(plugin, about, "")


def _ours(group: str) -> set[str]:
    """The names of a group that come along."""
    from partbook.evaluate.posed import LAB
    from partbook.evaluate.systems.catalogue import ALL
    from partbook.evaluate.systems.kinds import KINDS
    from partbook.pool import WorkerKind
    from partbook.tasks.catalogue import FAMILIES
    from partbook.tasks.judges.judge import JUDGES as RULES
    from partbook.tasks.judges.judge import MODEL_JUDGES

    ours = {
        WORKERS: set(get_args(WorkerKind)),
        JUDGES: {*RULES, *MODEL_JUDGES, "gym"},
        TASKS: {*FAMILIES, LAB, "gym"},
        SYSTEMS: {*KINDS, ALL},
    }
    return ours[group]


def _print(looks: list[_Look]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = open_console()
    if not looks:
        console.print("no plug-ins are installed; see docs/plugins.md")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("name", "group", "package", "version", "what, or what is wrong"):
        table.add_column(column, overflow="fold")
    for look in looks:
        plugin = look.plugin
        said = (plugin.name, plugin.group, plugin.package, plugin.version)
        told = Text(head(look.trouble or look.about), "red" if look.trouble else "")
        table.add_row(*(Text(head(text)) for text in said), told)
    console.print(table)


def _to_dict(look: _Look) -> dict[str, str | None]:
    return {
        "name": look.plugin.name,
        "group": look.plugin.group,
        "package": look.plugin.package,
        "version": look.plugin.version,
        "about": look.about or None,
        "trouble": look.trouble or None,
    }
