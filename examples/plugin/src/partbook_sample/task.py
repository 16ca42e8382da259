"""A task: how often a letter occurs in a word, made from a seed."""

import random

from partbook.plugin_api import Problem, Task, TaskPlugin, TaskWanted

_WORDS = ("strawberry", "committee", "accordion", "mississippi", "orchestra", "bassoon", "cello")


def loaded(wanted: TaskWanted) -> Task:
    """The splits that were asked for, each with problems of its own."""
    problems = {split: _problems(split, wanted) for split in wanted.splits}
    return Task("letter-count", PLUGIN.about, problems, f"made with seed {wanted.seed}")


def _problems(split: str, wanted: TaskWanted) -> tuple[Problem, ...]:
    rng = random.Random(f"{split} {wanted.seed}")
    found = []
    for i in range(wanted.size):
        word = rng.choice(_WORDS)
        letter = rng.choice(sorted(set(word)))
        count = word.count(letter)
        found.append(
            Problem(
                id=f"{split}-{i}",
                task="letter-count",
                question=f"How many times does the letter {letter} occur in '{word}'?",
                judge="count",
                format="integer",
                reference=str(count),
                level=str(count),
            )
        )
    return tuple(found)


PLUGIN = TaskPlugin(
    api=1,
    about="how often a letter occurs in a word; level: the count",
    judge="count",
    load=loaded,
    splits=("train", "validation", "test"),
)
