"""Carrying out what was read: inputs are found, operations done one after the other.

The hand that does the operations comes in as a function, so that a perfect one (for reference
answers), an unreliable one (for workers) and one that is forced at a single place (to ask what a
slip would lead to) take the same path.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from partbook.lab.operations import Operation
from partbook.lab.reading import Mention, Reference
from partbook.lab.values import Kind, fits

__all__ = ["Hand", "Outcome", "Task", "carry_out", "perfect", "taken_inputs"]

Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One operation whose inputs are known."""

    operation: Operation
    given: Texts
    inputs: Texts

    def result(self) -> str | None:
        """The right value; None where the inputs make no sense."""
        return self.operation.compute(self.given, self.inputs)


Hand = Callable[[Task], str | None]
"""Does one operation; None where it cannot be done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a text that was carried out."""

    value: str | None
    """None: it could not be carried out to the end."""
    problem: str = ""
    """Why not, in words."""


def perfect(task: Task) -> str | None:
    """The hand that never slips."""
    return task.result()


def carry_out(asked: Sequence[Mention], seen: Sequence[str], notes: str, hand: Hand) -> Outcome:
    """Do all that is asked, in order; the last value is the result.

    Args:
        asked: the operations, as they were read.
        seen: values of earlier answers that may be used, oldest first.
        notes: the text in which look-ups are made.
        hand: who does each operation.
    """
    if not asked:
        return Outcome(None, "I do not understand what is to be done.")
    done: list[str] = []
    for mention in asked:
        inputs = taken_inputs(mention, seen, done, notes)
        if inputs is None:
            return Outcome(None, f"I see no {mention.operation.takes[0]} that I could work on.")
        value = hand(Task(mention.operation, mention.given, inputs))
        if value is None:
            return Outcome(None, "That cannot be done with what I was given.")
        done.append(value)
    return Outcome(done[-1])


def taken_inputs(
    mention: Mention, seen: Sequence[str], done: Sequence[str], notes: str
) -> Texts | None:
    """The values that an operation works on, or None where one is missing.

    "It" is the newest value of a fitting kind that is not yet taken: what this worker itself has
    just computed, else what it was shown. "Step 1" is the second answer that it was shown, or
    the newest where it was shown fewer: it sees no numbers, only an order.
    """
    operation = mention.operation
    if operation.reads_notes:
        return (notes,)
    free = [*seen, *done]
    inputs: list[str] = []
    # From the right, so that of two references the second one is to the newer value.
    for asked, kind in reversed(list(zip(mention.inputs, operation.takes, strict=True))):
        value = asked if isinstance(asked, str) else _take(asked, kind, free, list(seen or done))
        if value is None:
            return None
        inputs.append(value)
    return tuple(reversed(inputs))


def _take(reference: Reference, kind: Kind, free: list[str], numbered: list[str]) -> str | None:
    position = reference.position
    if position is not None and position < len(numbered) and fits(numbered[position], kind):
        value = numbered[position]
        if value in free:
            free.remove(value)
        return value
    for i in range(len(free) - 1, -1, -1):
        if fits(free[i], kind):
            return free.pop(i)
    return None
