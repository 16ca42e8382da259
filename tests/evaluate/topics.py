"""Questions of two topics and two workers of which each knows one: the right choice is known."""

import random

from partbook.evaluate.systems.measured import Measured, Tried
from partbook.pool import AgentPool
from partbook.workflow import Workflow
from tests.fakes import Echo, pool_of

_MATHS = ("add", "subtract", "multiply", "divide", "square", "sum", "difference", "product")
_GARDEN = ("rose", "tulip", "oak", "fern", "moss", "apple", "cherry", "willow")


def question(topic: str, rng: random.Random) -> str:
    """A question with three words of its topic and three that say nothing."""
    words = rng.sample(_MATHS if topic == "maths" else _GARDEN, 3)
    return " ".join(rng.sample([*words, "please", "tell", "now"], 6))


def asked(count: int, seed: int) -> list[tuple[str, str]]:
    """(question, topic), the topics in turn."""
    rng = random.Random(seed)
    topics = ["maths" if i % 2 else "garden" for i in range(count)]
    return [(question(topic, rng), topic) for topic in topics]


KNOWS = {"maths": 0, "garden": 1}
"""The worker who knows a topic, as an index into `pool`."""


def pool() -> AgentPool:
    """Workers w0, who knows maths, and w1, who knows gardens."""
    return pool_of(Echo("maths"), Echo("garden"))


def measured(count: int = 60, seed: int = 0) -> Measured:
    """Both workers on so many questions."""
    rows = asked(count, seed)
    return Measured(
        ("w0", "w1"),
        tuple(text for text, _ in rows),
        tuple((KNOWS[topic] == 0, KNOWS[topic] == 1) for _, topic in rows),
        tuple((0.01, 0.01) for _ in rows),
        tuple(("m", "g") for _ in rows),
    )


def last_worker_is_right(rows: list[tuple[str, str]], call_usd: float = 0.001):
    """A trial that is right where the last step's worker knows the topic."""

    async def trial(index: int, workflow: Workflow) -> Tried:
        right = workflow.steps[-1].worker == KNOWS[rows[index][1]]
        return Tried(right, call_usd * len(workflow.steps))

    return trial


def share_right(routed: list[str], rows: list[tuple[str, str]]) -> float:
    """How often the worker who knows the topic was chosen."""
    return sum(
        name == f"w{KNOWS[topic]}" for name, (_, topic) in zip(routed, rows, strict=True)
    ) / len(rows)
