"""Material: everything that the stages found, read from their folders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from partbook.claims.answers import Answer, of_systems, read_answers
from partbook.claims.programme import Settings
from partbook.claims.work import ANSWERS
from partbook.evaluate.running.results import Results
from partbook.lab import lab_pool, lab_problems, perform
from partbook.lab.table import constant_plans

__all__ = ["Material", "by_problem", "constants", "read_material"]

_KINDS = ("seed", "control", "random", "whole", "chain", "small", "again")


@dataclass(frozen=True, slots=True)
class Material:
    """What was found so far; what is missing is empty."""

    policies: Mapping[tuple[str, str], Sequence[Sequence[Answer]]] = field(default_factory=dict)
    """(kind of run, circumstances) -> the answers of every seed."""
    warm: Sequence[Answer] = ()
    rivals: Mapping[str, Sequence[Answer]] = field(default_factory=dict)
    """By system."""
    constants: Mapping[str, Sequence[Answer]] = field(default_factory=dict)
    """By plan."""

    def of(self, kind: str, circumstances: str = "all") -> Sequence[Sequence[Answer]]:
        """The answers of every seed; empty where they are not there."""
        return self.policies.get((kind, circumstances), ())


def by_problem(answers: Sequence[Answer], what: str = "right") -> dict[str, float]:
    """A figure of every problem: `right`, `calls`, `steps` or `faithful`; the latter two only
    where there was a workflow."""
    counted = [a for a in answers if a.workers or what not in ("steps", "faithful")]
    return {answer.problem: float(getattr(answer, what)) for answer in counted}


def read_material(settings: Settings) -> Material:
    """Read what there is; a kind of run is there once all of its seeds are."""
    examined = settings.out / "examined"
    policies: dict[tuple[str, str], list[Sequence[Answer]]] = {}
    for kind in _KINDS:
        paths = [examined / f"{kind}-{seed}" / ANSWERS for seed in settings.seeds]
        if not all(path.exists() for path in paths):
            continue
        for path in paths:
            for circumstances, answers in read_answers(path).items():
                policies.setdefault((kind, circumstances), []).append(answers)
    warm = examined / "warm-start" / ANSWERS
    rivals = settings.out / "rivals"
    has_rivals = (rivals / "results.jsonl").exists()
    return Material(
        policies,
        read_answers(warm).get("all", ()) if warm.exists() else (),
        of_systems(Results.read(rivals)) if has_rivals else {},
        constants(settings.problems),
    )


@cache
def constants(problems: int) -> dict[str, list[Answer]]:
    """What the plans that never change answer to the test problems."""
    asked, pool = lab_problems(problems, "test", 0), lab_pool(0)
    return {
        name: [
            Answer(
                problem.id,
                problem.difficulty,
                problem.is_right(perform(plan, problem.question, pool).answer),
                len(plan.steps),
            )
            for problem in asked
        ]
        for name, plan in constant_plans(pool).items()
    }
