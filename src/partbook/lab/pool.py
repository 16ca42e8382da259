"""The lab's eight workers: what they are like, and what their cards say about it.

A card tells something, but not all. Two workers claim sorting and two claim number bases, and only
one of each pair can do it; nobody's card mentions units, which somebody can do; one card promises
everything and keeps nothing. What the cards leave open, only reward can teach.

Guests are there only where they are asked for by name: pools that no policy was trained with.
Their cards are new, and made of the words that stand on the others' cards.
"""

from collections.abc import Sequence
from decimal import Decimal

from partbook.errors import ConfigError
from partbook.lab.operations import Skill
from partbook.lab.worker import LabWorker, Profile
from partbook.pool import AgentPool, Worker, WorkerSpec
from partbook.price import Price

__all__ = ["CARDS", "CLAIMS", "GUESTS", "GUEST_CARDS", "PROFILES", "lab_pool", "lab_worker"]

PROFILES = (
    Profile("ada", {"arithmetic": 0.96, "units": 0.96}, 0.1),
    Profile("bo", {"letters": 0.96, "counting": 0.96, "sorting": 0.25}, 0.1),
    Profile("cy", {"sorting": 0.96, "bases": 0.96}, 0.1),
    Profile("dee", {"lookup": 0.96, "dates": 0.75, "bases": 0.25}, 0.1),
    Profile("gus", {}, 0.65, manner="Here is what I found."),
    Profile("tim", {}, 0.3, manner="I think so."),
    Profile("val", {}, 0.15, keeps=0.96, repairs=0.75, manner="I looked at it closely."),
    Profile("zed", {}, 0.03, keeps=0.1, manner="I am absolutely certain."),
)

CARDS = {
    "ada": "sums",
    "bo": "words, counting, sorting",
    "cy": "sorting, number bases",
    "dee": "notes, dates, number bases",
    "gus": "a bit of everything, dear",
    "tim": "small tasks, cheap",
    "val": "checks and mends an earlier answer",
    "zed": "expert in everything, never wrong",
}

CLAIMS: dict[Skill, tuple[str, ...]] = {
    "arithmetic": ("ada",),
    "letters": ("bo",),
    "counting": ("bo",),
    "sorting": ("bo", "cy"),
    "dates": ("dee",),
    "bases": ("cy", "dee"),
    "units": (),
    "lookup": ("dee",),
}
"""Whose card names the skill: what somebody could know who has read the cards and nothing else."""

GUESTS = (
    Profile("ned", {"arithmetic": 0.96, "dates": 0.96}, 0.1),
    Profile("fay", {"letters": 0.96, "lookup": 0.96}, 0.1),
    Profile("hal", {"counting": 0.96, "bases": 0.96, "units": 0.75}, 0.1),
    Profile("ira", {"sorting": 0.96}, 0.1),
    Profile("jon", {}, 0.03, keeps=0.1, manner="I am absolutely certain."),
    Profile("kim", {}, 0.5, manner="Here is what I found."),
)
"""Workers that no table and no training has unless it names them."""

GUEST_CARDS = {
    "ned": "dates, sums",
    "fay": "words, notes",
    "hal": "counting, number bases",
    "ira": "sorting",
    "jon": "expert in words, cheap",
    "kim": "a bit of everything",
}

_USD_PER_MILLION: dict[str, tuple[str, str]] = {
    "ada": ("1", "4"),
    "bo": ("1", "4"),
    "cy": ("1", "4"),
    "dee": ("1", "4"),
    "gus": ("10", "40"),
    "tim": ("0.1", "0.4"),
    "val": ("2", "8"),
    "zed": ("3", "12"),
    "ned": ("1", "4"),
    "fay": ("1", "4"),
    "hal": ("1", "4"),
    "ira": ("1", "4"),
    "jon": ("0.1", "0.4"),
    "kim": ("5", "20"),
}
"""Of words read and words written."""


def lab_pool(seed: int = 0, order: Sequence[str] | None = None) -> AgentPool:
    """The lab's workers as a pool.

    Args:
        seed: of the world: on which questions who slips. How reliable everybody is stays.
        order: names in the order in which the pool has them; None: all, in the order of
            `PROFILES`. Names may be left out, so that a smaller pool comes of it; guests are
            there only where they are named.

    Raises:
        ConfigError: a name is unknown or stands twice.
    """
    profiles = {profile.name: profile for profile in (*PROFILES, *GUESTS)}
    names = [profile.name for profile in PROFILES] if order is None else list(order)
    unknown = [name for name in names if name not in profiles]
    if unknown or len(set(names)) < len(names):
        guests = ", ".join(guest.name for guest in GUESTS)
        raise ConfigError(
            f"the lab's workers are {', '.join(p.name for p in PROFILES)}, and by name its guests "
            f"{guests}, each at most once; found {', '.join(names)}"
        )
    return AgentPool("lab", tuple(_worker(profiles[name], seed) for name in names))


def lab_worker(pool: AgentPool, index: int) -> LabWorker:
    """The scripted worker behind a place in the pool.

    Raises:
        ConfigError: that worker is none of the lab's, so nobody knows how reliable it is.
    """
    model = pool[index].model
    if not isinstance(model, LabWorker):
        raise ConfigError(f"worker {pool[index].name!r} of pool {pool.name!r} is no lab worker")
    return model


def _worker(profile: Profile, seed: int) -> Worker:
    read, written = _USD_PER_MILLION[profile.name]
    spec = WorkerSpec(
        profile.name,
        "lab",
        model=profile.name,
        card=CARDS.get(profile.name) or GUEST_CARDS[profile.name],
        context="plain",
        price=Price(Decimal(read), Decimal(written)),
    )
    return Worker(spec, LabWorker(profile, seed))
