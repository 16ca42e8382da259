"""The systems by name: what can be asked for, what each needs, and how many calls it makes.

A list like `worker:*,best,moa:2@gus` is read against a pool before anything is spent, so that a
wrong name, number or worker is said at once. Making the systems is left to `building.py`: some
need the workers measured first, or a Conductor.
"""

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from partbook.config import load_workflow, workflow_names
from partbook.errors import ConfigError
from partbook.evaluate.systems.asking import language_models
from partbook.evaluate.systems.kinds import KINDS, Calls, Kind, Need
from partbook.evaluate.systems.system_plugin import kind_of, system_names
from partbook.pool import AgentPool

__all__ = ["ALL", "EVERY", "RANDOM", "Choice", "parse_systems"]

ALL = "all"
"""In place of a name: every system of ours that the pool and what is at hand allow."""

EVERY = "*"
RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Choice:
    """One system that was asked for."""

    kind: str
    """A name in `KINDS`, or of a plug-in."""
    argument: str = ""
    number: int = 0
    """0 where the kind takes none."""
    worker: str = ""
    """Whom it works on; empty: the best measured worker, where it works on one."""

    @property
    def name(self) -> str:
        """What tables call it; parses to this choice again."""
        after = self.argument or (str(self.number) if self.number else "")
        return (
            self.kind + (f":{after}" if after else "") + (f"@{self.worker}" if self.worker else "")
        )

    @property
    def needs(self) -> tuple[Need, ...]:
        """What it cannot be built without; `recursive` takes whichever Conductor there is."""
        kind = self._kind()
        on_best = kind.on_worker and not self.worker
        return (*kind.needs, "measured") if on_best else kind.needs

    def calls(self, pool: AgentPool) -> Calls:
        """Fewest and most calls per problem; retries and fallbacks of workers come on top."""
        if self.kind == "workflow":
            steps = len(load_workflow(self.argument).steps)
            return steps, steps
        models = len(language_models(pool))
        if self.kind == "smoothie":
            return (models,) * 2 if self.argument == "dependent" else (1, 1)
        return self._kind().calls(self.number, models)

    def _kind(self) -> Kind:
        kind = kind_of(self.kind)
        assert kind is not None, self.kind
        return kind


def parse_systems(
    text: str, pool: AgentPool, have: Collection[Need] = ("measured", "trial", "encoder")
) -> list[Choice]:
    """Read a list of systems.

    Args:
        text: `KIND[:NUMBER or NAME][@WORKER]`, separated by commas. `worker:*` is every worker,
            `@*` every language model, `workflow:*` every workflow of the package that the pool can
            play, `moa@random` an aggregator drawn anew for each problem, `all` everything.
        pool: whose workers they work on.
        have: what is at hand, or can be had by measuring; what needs more is refused.

    Returns:
        The choices in order, none twice.

    Raises:
        ConfigError: says what is wrong with which of them, with the nearest names.
    """
    asked = [item.strip() for item in text.split(",") if item.strip()]
    if not asked:
        raise ConfigError(f"no systems were named; known: {', '.join(system_names())}, {ALL}")
    choices: dict[str, Choice] = {}
    for item in asked:
        for choice in _everything(pool, have) if item == ALL else _expanded(item, pool):
            _check_needs(choice, have)
            choices.setdefault(choice.name, choice)
    return list(choices.values())


def _everything(pool: AgentPool, have: Collection[Need]) -> list[Choice]:
    items = ["worker:*", *(name for name, kind in KINDS.items() if not kind.argument)]
    items += ["smoothie:independent", "smoothie:dependent"]
    found = [choice for item in items for choice in _expanded(item, pool)]
    found += [Choice("workflow", name) for name in _playable(pool)]
    return [choice for choice in found if not _missing(choice, have)]


def _expanded(item: str, pool: AgentPool) -> list[Choice]:
    name = re.split("[:@]", item, maxsplit=1)[0]
    rest = item[len(name) :]
    kind = kind_of(name)
    if kind is None:
        raise ConfigError(f"no system {item!r}; {_near(name, (*system_names(), ALL))}")
    if kind.argument:
        argument = rest[1:] if rest.startswith(":") else ""
        return [Choice(name, one) for one in _arguments(item, name, argument, kind, pool)]
    given, at, worker = rest.partition("@")
    if at and not kind.on_worker:
        raise ConfigError(f"system {item!r}: {name} works on no single worker, leave {at}{worker}")
    number = _number_of(item, given[1:] if given else None, kind)
    if not at:
        return [Choice(name, "", number)]
    return [Choice(name, "", number, one) for one in _workers(item, name, worker, pool)]


def _arguments(item: str, name: str, argument: str, kind: Kind, pool: AgentPool) -> list[str]:
    if not argument:
        raise ConfigError(f"system {item!r}: {name}:{kind.argument} was expected")
    if name == "worker":
        if argument == EVERY:
            return list(pool.names)
        _check_worker(item, argument, pool.names)
    elif name == "workflow":
        if argument == EVERY:
            return _playable(pool)
        load_workflow(argument).resolve(pool)
    elif argument not in kind.argument.split("|"):
        raise ConfigError(f"system {item!r}: {_near(argument, kind.argument.split('|'))}")
    return [argument]


def _number_of(item: str, text: str | None, kind: Kind) -> int:
    if kind.number is None:
        if text is not None:
            raise ConfigError(f"system {item!r} takes no number, found {text!r}")
        return 0
    if text is None:
        return kind.number
    if not text.isascii() or not text.isdecimal() or not kind.least <= int(text[:9]) <= kind.most:
        raise ConfigError(
            f"system {item!r}: a number from {kind.least} to {kind.most} was expected, found "
            f"{text!r}"
        )
    return int(text)


def _workers(item: str, name: str, worker: str, pool: AgentPool) -> list[str]:
    if name == "moa" and worker == RANDOM:
        return [worker]
    models = [pool.names[i] for i in language_models(pool)]
    if worker == EVERY:
        return models
    _check_worker(item, worker, models)
    return [worker]


def _check_worker(item: str, worker: str, names: Collection[str]) -> None:
    if worker not in names:
        raise ConfigError(f"system {item!r}: no worker {worker!r}; {_near(worker, names)}")


def _check_needs(choice: Choice, have: Collection[Need]) -> None:
    missing = _missing(choice, have)
    if missing:
        raise ConfigError(f"system {choice.name!r} needs {' and '.join(missing)}")


def _missing(choice: Choice, have: Collection[Need]) -> list[str]:
    words: Mapping[Need, str] = {
        "measured": "the workers measured on another split",
        "trial": "plays on another split",
        "encoder": "a sentence encoder (pip install 'partbook[eval]')",
        "conductor": "a Conductor: a language model that writes workflows",
        "policy": "a trained Conductor",
    }
    missing = [words[need] for need in choice.needs if need not in have]
    if choice.kind == "recursive" and not {"conductor", "policy"} & set(have):
        missing.append("a Conductor, trained or not")
    return missing


def _playable(pool: AgentPool) -> list[str]:
    found = []
    for name in workflow_names():
        try:
            load_workflow(name).resolve(pool)
        except ConfigError:
            continue  # the pool lacks a role that it asks for
        found.append(name)
    return found


def _near(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"{hint}known: {', '.join(known)}"
