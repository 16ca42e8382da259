"""Programme: the stages that the claims need, from one warm start, within ninety minutes.

All claims share one warm start and one training run a seed. What follows is short, as the paper's
own changes of a trained Conductor are: twenty steps that go on from it, with random pools, with an
ablation, with second rounds, or with nothing changed. That last one is what the others are
compared with, since it has had as many steps as they. Only the small nets of claim (h) begin anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from partbook.claims.stages import Stage
from partbook.claims.work import (
    FOURS,
    GUEST_POOL,
    TEST,
    Examine,
    LookAgain,
    Rivals,
    Teach,
    Train,
    Warm,
)
from partbook.train.preset import Preset, load_preset
from partbook.train.run_folder import RunFolder

__all__ = ["CLAIMS", "Settings", "minutes", "programme", "seed_folder"]

CLAIMS = "abcdefgh"

RIVALS = (
    "worker:*,moa:2@random,moa:3,masrouter,routerdc,smoothie:independent,smoothie:dependent,"
    "self-reflection:5@*,self-fusion:4@*"
)

_CALM = ("grpo.evaluate_every=0", "grpo.easy_steps=0")
"""Nothing is measured on the way, and the course is not begun again with easy problems."""

_GOES_ON = {
    "control": ("fg", ()),
    "random": ("f", ("data.subset=5",)),
    "whole": ("g", ("grpo.ablation=whole",)),
    "chain": ("g", ("grpo.ablation=chain",)),
}
"""What goes on from the trained policies: for which claims, with which changes."""

_POOLS = {"control": (TEST, FOURS, GUEST_POOL), "random": (TEST, FOURS, GUEST_POOL)}

_SMALL = ("policy.hidden=64", "policy.inner=128")


@dataclass(frozen=True, slots=True)
class Settings:
    """How large everything is."""

    out: Path
    seeds: tuple[int, ...] = (0, 1, 2)
    problems: int = 500
    """Of the test split."""
    preset: str = "tiny"
    changes: tuple[str, ...] = ()
    """Of the preset, for all runs; as `load_preset` takes them."""
    steps: int = 50
    """Of a training run from the warm start."""
    more_steps: int = 20
    """Of what goes on from a trained policy; the paper's recursion has twenty."""
    taught: int = 150
    """Supervised steps in which second rounds are shown."""
    learn: int = 100
    """Problems of another split from which rivals learn."""
    rivals: str = RIVALS
    policies: Path | None = None
    """A folder of `train reproduce`: its warm start and its seeds in place of new ones."""
    claims: str = CLAIMS
    """Those that are asked for."""

    @property
    def trained(self) -> Path:
        """Where the warm start and the trained policies are."""
        return self.policies or self.out


def seed_folder(settings: Settings, kind: str, seed: int) -> Path:
    """The folder of a training run."""
    within = settings.trained if kind == "seed" else settings.out
    return within / f"{kind}-{seed}"


def programme(settings: Settings) -> list[Stage]:
    """The stages for the claims that are asked for, each after those that it needs.

    Raises:
        ConfigError: there is no such preset, or it does not know one of the changes.
    """
    wanted = set(settings.claims)
    stages = [] if settings.policies else [*_trained(settings)]
    stages += _examined_first(settings, wanted)
    for kind, (claims, changes) in _GOES_ON.items():
        if wanted.intersection(claims):
            stages += _gone_on(settings, kind, changes)
    if "e" in wanted:
        stages += _second_rounds(settings)
    if "h" in wanted:
        stages += _small(settings)
    return stages


def _preset(settings: Settings, *more: str, steps: int | None = None) -> Preset:
    counted = f"grpo.steps={settings.steps if steps is None else steps}"
    return load_preset(settings.preset, (counted, *_CALM, *settings.changes, *more))


def _trained(settings: Settings) -> list[Stage]:
    preset = _preset(settings, f"grpo.easy_steps={settings.steps // 4}")
    warm = settings.out / "warm-start"
    stages = [Stage("warm-start", warm, Warm(preset), minutes=13)]
    for seed in settings.seeds:
        work = Train(preset, seed, warm)
        folder = seed_folder(settings, "seed", seed)
        needs = ("warm-start",)
        stages.append(Stage(f"seed-{seed}", folder, work, needs, minutes=10))
    return stages


def _examined_first(settings: Settings, wanted: set[str]) -> list[Stage]:
    stages: list[Stage] = []
    preset = _preset(settings)
    if wanted.intersection("abcdh"):
        stages += [
            _examined(settings, f"seed-{seed}", seed_folder(settings, "seed", seed), preset)
            for seed in settings.seeds
        ]
    if wanted.intersection("cd"):
        warm = settings.trained / "warm-start"
        stages.append(
            Stage(
                "examine warm-start",
                settings.out / "examined" / "warm-start",
                Examine(preset, warm, settings.problems),
                () if settings.policies else ("warm-start",),
                minutes=0.7,
            )
        )
    if wanted.intersection("ab"):
        work = Rivals(settings.rivals, settings.problems, settings.learn)
        stages.append(Stage("rivals", settings.out / "rivals", work, minutes=5))
    return stages


def _examined(
    settings: Settings,
    name: str,
    folder: Path,
    preset: Preset,
    pools: tuple[str, ...] = (TEST,),
) -> Stage:
    policy = RunFolder(folder).policy
    work = Examine(preset, policy, settings.problems, pools)
    given = settings.policies is not None and name.startswith("seed-")
    return Stage(
        f"examine {name}",
        settings.out / "examined" / name,
        work,
        () if given else (name,),
        minutes=0.7 * len(pools),
    )


def _gone_on(settings: Settings, kind: str, more: tuple[str, ...]) -> list[Stage]:
    stages: list[Stage] = []
    preset = _preset(settings, *more, steps=settings.more_steps)
    for seed in settings.seeds:
        name, folder = f"{kind}-{seed}", seed_folder(settings, kind, seed)
        start = RunFolder(seed_folder(settings, "seed", seed)).policy
        # Problems that the trained policy has not seen: another seed.
        work = Train(preset, 100 + seed, start)
        needs = () if settings.policies else (f"seed-{seed}",)
        stages.append(Stage(name, folder, work, needs, minutes=4))
        stages.append(_examined(settings, name, folder, preset, _POOLS.get(kind, (TEST,))))
    return stages


def _second_rounds(settings: Settings) -> list[Stage]:
    stages: list[Stage] = []
    shown = (
        f"warm_start.steps={settings.taught}",
        "warm_start.drill_steps=0",
        "warm_start.easy_steps=0",
        "warm_start.again=0.5",
        "warm_start.believed=0.9",
        "warm_start.whole=0.0",
        "warm_start.misread=0.0",
        "warm_start.learning_rate=5e-4",
    )
    teaching = _preset(settings, *shown, steps=settings.more_steps)
    paired = _preset(settings, "grpo.recursion=paired", steps=settings.more_steps)
    for seed in settings.seeds:
        start = RunFolder(seed_folder(settings, "seed", seed)).policy
        taught = settings.out / f"taught-{seed}"
        needs = () if settings.policies else (f"seed-{seed}",)
        work = Teach(teaching, seed, start)
        stages.append(Stage(f"taught-{seed}", taught, work, needs, minutes=1.5))
        folder = seed_folder(settings, "again", seed)
        train = Train(paired, 100 + seed, taught)
        stages.append(Stage(f"again-{seed}", folder, train, (f"taught-{seed}",), minutes=5))
        look = LookAgain(paired, RunFolder(folder).policy, settings.problems)
        seen = settings.out / "examined" / f"again-{seed}"
        stages.append(Stage(f"examine again-{seed}", seen, look, (f"again-{seed}",), minutes=2))
    return stages


def _small(settings: Settings) -> list[Stage]:
    small = replace(settings, changes=(*settings.changes, *_SMALL))
    preset = _preset(small, f"grpo.easy_steps={settings.steps // 4}")
    warm = settings.out / "small-warm-start"
    stages = [Stage("small-warm-start", warm, Warm(preset), minutes=7)]
    for seed in settings.seeds:
        name, folder = f"small-{seed}", seed_folder(settings, "small", seed)
        train = Train(preset, seed, warm)
        stages.append(Stage(name, folder, train, ("small-warm-start",), minutes=6))
        stages.append(_examined(settings, name, folder, preset))
    return stages


def minutes(stages: Sequence[Stage]) -> float:
    """Of one core, for all of them."""
    return sum(stage.minutes for stage in stages)
