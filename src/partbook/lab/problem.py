"""LabProblem: a question made of one to four operations, each of another skill.

Questions are drawn, then kept only if every part is needed: a part whose input could be handed on
in place of its output without changing the end (reverse a word, count its vowels) would let a
workflow be right by leaving it out, and one whose value makes no difference (drop the vowels,
count the vowels) would let it be right by luck. Reference answers come from carrying out the
question's own text, so what the question says and what counts as right cannot differ.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from partbook.errors import ConfigError
from partbook.lab.carrying import Task, carry_out, perfect
from partbook.lab.draft import Ask, draft
from partbook.lab.operations import Operation, Skill
from partbook.lab.phrases import FRAMES, PHRASES, REFERENCES, SINGLE
from partbook.lab.reading import mentions
from partbook.lab.slips import end_of, slip
from partbook.lab.values import NAMES, SPLITS, TOWNS, Split, fits, literal, owned
from partbook.lab.worker import stated_value

__all__ = ["DIFFICULTIES", "LabProblem", "Part", "lab_problem", "lab_problems"]

DIFFICULTIES = (1, 2, 3, 4)
"""Numbers of skills that a problem can need."""

_LONGEST_VALUE = 12
"""Characters; beyond it a value tests patience, not routing."""

_TRIES = 5000


@dataclass(frozen=True, slots=True)
class Part:
    """One operation of a problem."""

    operation: str
    skill: Skill
    subtask: str
    """How the question says it; enough for a worker that may read the answers in `reads`."""
    reads: tuple[int, ...]
    """Earlier parts whose values it works on."""


@dataclass(frozen=True, slots=True)
class LabProblem:
    """A question with its answer and its parts in order."""

    id: str
    """Split, difficulty and seed: `test-3-17`."""
    split: Split
    question: str
    answer: str
    """In lower case."""
    parts: tuple[Part, ...]

    @property
    def difficulty(self) -> int:
        """Number of skills, which is the number of parts."""
        return len(self.parts)

    def is_right(self, text: str) -> bool:
        """Whether a text gives the answer: after its last "Answer:", or as all that it says."""
        return (stated_value(text) or text.strip().rstrip(".").lower()) == self.answer


@lru_cache(maxsize=256)  # the rollouts of a group ask for the same one
def lab_problem(seed: int, difficulty: int, split: Split = "train") -> LabProblem:
    """The problem of this seed.

    Args:
        seed: any integer.
        difficulty: 1 to 4 parts.
        split: whose values and phrases it uses.

    Raises:
        ConfigError: there is no such difficulty or split.
    """
    if difficulty not in DIFFICULTIES or split not in SPLITS:
        raise ConfigError(
            f"a lab problem has difficulty {DIFFICULTIES[0]} to {DIFFICULTIES[-1]} and a split of "
            f"{', '.join(SPLITS)}; found {difficulty} and {split!r}"
        )
    rng = random.Random(f"{split} {difficulty} {seed}")
    for _ in range(_TRIES):
        asks = draft(difficulty, split, rng)
        if asks is None:
            continue
        problem = _written(f"{split}-{difficulty}-{seed}", asks, split, rng)
        if problem is not None:
            return problem
    raise AssertionError("no problem was found; some combination of operations is impossible")


def lab_problems(
    count: int,
    split: Split = "train",
    seed: int = 0,
    difficulties: Sequence[int] = DIFFICULTIES,
) -> list[LabProblem]:
    """Different problems, the difficulties in turn.

    Args:
        count: how many.
        split: whose values and phrases they use.
        seed: another seed gives other problems.
        difficulties: those to draw from.
    """
    found: dict[str, LabProblem] = {}
    tried = 0
    while len(found) < count:
        difficulty = difficulties[len(found) % len(difficulties)]
        problem = lab_problem(seed * 1_000_003 + tried, difficulty, split)
        found.setdefault(problem.question, problem)
        tried += 1
    return list(found.values())


def _written(name: str, asks: Sequence[Ask], split: Split, rng: random.Random) -> LabProblem | None:
    """The problem in words; None where a part is not needed or a value is out of hand."""
    reference = rng.choice(REFERENCES)
    subtasks = tuple(_said(ask, split, reference, rng) for ask in asks)
    frame = rng.choice(SINGLE if len(asks) == 1 else FRAMES[split])
    question = _notes(asks, split, rng) + frame.fill(subtasks)
    tasks: list[Task] = []
    values: list[str] = []

    def hand(task: Task) -> str | None:
        value = perfect(task)
        if value is not None:
            tasks.append(task)
            values.append(value)
        return value

    answer = carry_out(mentions(question), (), question, hand).value
    if answer is None or [task.operation for task in tasks] != [ask.operation for ask in asks]:
        return None
    if any(len(value) > _LONGEST_VALUE or value.startswith("-") for value in values):
        return None
    if not all(_is_needed(task, question, answer) for task in tasks):
        return None
    parts = (
        Part(ask.operation.name, ask.operation.skill, subtask, ask.reads)
        for ask, subtask in zip(asks, subtasks, strict=True)
    )
    return LabProblem(name, split, question, answer, tuple(parts))


def _is_needed(task: Task, question: str, answer: str) -> bool:
    """Whether the end changes where the operation is left out, and where it is done wrong."""
    wrong = slip(task, task.result() or "", question, 0)
    return end_of(question, task, wrong) != answer and all(
        end_of(question, task, handed_on) != answer
        for handed_on in task.inputs
        if fits(handed_on, task.operation.gives)
    )


def _said(ask: Ask, split: Split, reference: str, rng: random.Random) -> str:
    operation = ask.operation
    slots = dict(zip(operation.slots, ask.given, strict=True))
    if "who" in slots:
        slots["who"] = slots["who"].capitalize()
    text = rng.choice(PHRASES[operation.name].of(split))
    if operation.takes:
        slots["x"] = reference if ask.literal is None else _shown(operation, ask.literal)
    return text.format(**slots)


def _shown(operation: Operation, value: str) -> str:
    kind = operation.takes[0]
    if kind in ("numbers", "words"):
        head, _, last = value.rpartition(", ")
        return f"{head} and {last}"
    return f"the word {value}" if kind == "word" else value


def _notes(asks: Sequence[Ask], split: Split, rng: random.Random) -> str:
    """The sentence in which look-ups are made: the one asked for among two others."""
    wanted = [ask for ask in asks if ask.operation.reads_notes]
    if not wanted:
        return ""
    name, given = wanted[0].operation.name, wanted[0].given
    who = given[-1].capitalize()
    others = rng.sample([n for n in owned(NAMES, split) if n != who], 2)
    people = rng.sample([who, *others], 3)
    if name == "town":
        towns = rng.sample(owned(TOWNS, split), 3)
        entries = [f"{p} lives in {t.capitalize()}" for p, t in zip(people, towns, strict=True)]
    elif name == "birthday":
        entries = [f"{p} was born on {literal('date', split, rng)}" for p in people]
    else:
        entries = [f"{p} has {literal('number', split, rng)} {given[0]}" for p in people]
    return f"Notes: {', '.join(entries)}. "
