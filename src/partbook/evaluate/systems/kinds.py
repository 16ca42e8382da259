"""The kinds of systems: what each is, what it needs, how many calls it makes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from partbook.workflow import MAX_STEPS

__all__ = ["KINDS", "ROUTERS", "Calls", "Kind", "Need"]

ROUTERS = ("routerdc", "masrouter", "smoothie")
"""The kinds that learn whom to ask."""

Need = Literal["measured", "trial", "encoder", "conductor", "policy"]
"""What a system needs besides a pool: the workers measured on another split, plays on it, a
sentence encoder, a language model that conducts, a trained policy."""

Calls = tuple[int, int]
"""Fewest and most calls per problem."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of system."""

    about: str
    """One line for a person."""
    calls: Callable[[int, int], Calls]
    """(its number, language models in the pool) -> calls per problem."""
    needs: tuple[Need, ...] = ()
    number: int | None = None
    """Its number where none is given; None: it takes none."""
    least: int = 1
    most: int = 1000
    argument: str = ""
    """What stands after the colon where that is no number; empty: nothing."""
    on_worker: bool = False
    """Whether `@WORKER` may follow; without it, it works on the best measured worker."""


def _one(number: int, models: int) -> Calls:
    return 1, 1


def _number(number: int, models: int) -> Calls:
    return number, number


def _conducted(number: int, models: int) -> Calls:
    return 2, 2 + MAX_STEPS


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "worker": Kind("one worker, asked once", _one, argument="NAME"),
        "best": Kind("the worker that was best on another split", _one, ("measured",)),
        "context": Kind(
            "the best worker with N times the room", _one, number=5, most=100, on_worker=True
        ),
        "self-consistency": Kind(
            "the majority of N samples of the best worker", _number, number=5, on_worker=True
        ),
        "self-reflection": Kind(
            "the best worker goes over its answer: N rounds, the answer itself included",
            _number,
            number=5,
            most=MAX_STEPS,
            on_worker=True,
        ),
        "self-fusion": Kind(
            "the best worker merges N samples of its own",
            lambda number, models: (number + 1, number + 1),
            number=4,
            on_worker=True,
        ),
        "random": Kind("a workflow drawn blindly", lambda number, models: (1, MAX_STEPS)),
        "workflow": Kind(
            "a workflow that a person wrote", lambda number, models: (1, MAX_STEPS), argument="NAME"
        ),
        "moa": Kind(
            "Mixture-of-Agents, N layers, the best worker aggregates",
            lambda number, models: (models * (number - 1) + 1,) * 2,
            number=3,
            least=2,
            most=20,
            on_worker=True,
        ),
        "routerdc": Kind(
            "RouterDC: one worker, by dual contrastive learning", _one, ("measured", "encoder")
        ),
        "masrouter": Kind(
            "MasRouter: mode, roles and workers, by a controller",
            lambda number, models: (1, MAX_STEPS - 1),
            ("measured", "trial", "encoder"),
        ),
        "smoothie": Kind(
            "Smoothie: the best worker without labels",
            lambda number, models: (1, models),
            ("measured", "encoder"),
            argument="independent|dependent",
        ),
        "prompted": Kind("a prompted Conductor", _conducted, ("conductor",)),
        "trained": Kind(
            "a trained Conductor", lambda number, models: (1, 1 + MAX_STEPS), ("policy",)
        ),
        "recursive": Kind(
            "a Conductor that looks at its answer: N rounds",
            lambda number, models: (1, number * (2 + MAX_STEPS)),
            number=2,
            most=10,
        ),
    }
)
