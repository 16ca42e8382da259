"""The workflows that are tried on training problems: who does what, in which words.

Names are those of the pool `embedded`; `embedded-large` has the same ones and a larger coder.
"""

from hints import HINTS

from partbook.fixed import FixedStep, FixedWorkflow

__all__ = ["CANDIDATES", "FORM", "STEPS", "hinted"]


def one(name: str, worker: str, subtask: str) -> FixedWorkflow:
    """A single step."""
    return FixedWorkflow(name, "", (FixedStep(worker, subtask),))


def code(name: str, subtask: str, run: str = "Run the program.") -> FixedWorkflow:
    """A program and its run."""
    return FixedWorkflow(name, "", (FixedStep("code", subtask), FixedStep("python", run, (0,))))


def repair(name: str, subtask: str, again: str) -> FixedWorkflow:
    """A program, its run, a corrected program, its run."""
    return FixedWorkflow(
        name,
        "",
        (
            FixedStep("code", subtask),
            FixedStep("python", "Run the program.", (0,)),
            FixedStep("code", again, (0, 1)),
            FixedStep("python", "Run the program.", (2,)),
        ),
    )


CODE = "Write a Python program that prints the answer to the question."
"""The words of the fixed workflow `code-then-run`."""

FORM = (
    "Write a Python program that prints the answer to the question and nothing else, in exactly "
    "the form that the question asks for."
)

DATA = (
    "Write a Python program. First put the data of the question into a variable, exactly as it "
    "stands there, then work on it. Print only the result, in the form that the question asks for."
)

STEPS = (
    "Write a Python program that gives each quantity of the question a variable, computes one "
    "thing after another, and prints only the final result."
)

TRY = (
    "Write a Python program that tries all possibilities in loops and prints the one that fits, "
    "in the form that the question asks for."
)

AGAIN = (
    "If the program failed, or what it printed is no answer to the question, write a corrected "
    "program. If it is right, write the same program again."
)

CANDIDATES = {
    w.name: w
    for w in (
        code("code", CODE),
        code("form", FORM),
        code("steps", STEPS),
        code("data", DATA),
        code("try", TRY),
        one("reader", "reader", "Answer the question."),
        one("calc", "calculator", "Compute the expression in the question."),
        one("python", "python", "Run the program."),
        repair("repair", CODE, AGAIN),
    )
}

READ_BY = ("family_relationships", "syllogism")
"""Families whose hint is for the reader: there is nothing to compute."""


def hinted(family: str) -> FixedWorkflow | None:
    """The workflow with the instruction that was written for this family; None: there is none."""
    hint = HINTS.get(family)
    if hint is None:
        return None
    return one("hint", "reader", hint) if family in READ_BY else code("hint", hint)
