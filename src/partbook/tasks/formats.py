"""What a worker is shown of a problem, and what its answer must look like.

The words stand here and nowhere else, so that a Conductor, a baseline and a training run ask the
same thing. The judges also read other spellings; the instruction only makes the usual case sure.
"""

from collections.abc import Mapping
from types import MappingProxyType

from partbook.tasks.problem import LETTERS, FormatName, Problem

__all__ = ["FORMAT_OF", "INSTRUCTIONS", "instruction", "reference_text", "shown"]

_THINK = "Reason step by step first, and keep it short."

INSTRUCTIONS: Mapping[FormatName, str] = MappingProxyType(
    {
        "maths": (
            f"{_THINK} Then write the final result, and nothing else, between <answer> and "
            "</answer>. Write it in LaTeX without \\boxed and without $: the value alone, not an "
            "equation that ends in it; several values with commas between them."
        ),
        "integer": (
            f"{_THINK} Then write the final result between <answer> and </answer>: digits only, "
            "no unit."
        ),
        "letter": (
            f"{_THINK} Then write the letter of the right choice, and nothing else, between "
            "<answer> and </answer>."
        ),
        "short": (
            f"{_THINK} Then write the final answer, and nothing else, between <answer> and "
            "</answer>: a few words or one formula, or a number with its unit. A percentage has "
            "its % sign. Three significant digits are enough."
        ),
        "given": (
            f"{_THINK} Then write the final answer, and nothing else, between <answer> and "
            "</answer>, exactly in the form that the question asks for."
        ),
        "exact": "Reply with the answer alone, with nothing before it and nothing after it.",
        "program": (
            "Write a complete Python 3 program that reads standard input and writes only what is "
            "asked for to standard output. End with the whole program in one ```python block."
        ),
        "function": (
            "Write the complete function in Python 3, under the given name and with all imports "
            "that it needs. End with the whole code in one ```python block."
        ),
        "method": (
            "Complete the given class in Python 3, without changing its name or the signature of "
            "its method. End with the whole code in one ```python block."
        ),
        "open": "",
    }
)
"""By format. The tags and the short reasoning follow arXiv:2512.04388; the words are ours."""


FORMAT_OF: Mapping[str, FormatName] = MappingProxyType(
    {
        "choice": "letter",
        "code": "function",
        "exact": "exact",
        "maths": "maths",
        "pattern": "exact",
        "rubric": "open",
        "short": "short",
    }
)
"""By judge: the format of a task that names only its judge."""


def instruction(problem: Problem) -> str:
    """The answer format of a problem, in words; may be empty."""
    return INSTRUCTIONS[problem.format]


def shown(problem: Problem) -> str:
    """The whole question as a worker sees it: question, choices, answer format."""
    parts = [problem.question.strip("\n")]
    if problem.choices:
        named = zip(LETTERS, problem.choices, strict=False)
        parts.append("\n".join(f"{letter}. {choice}" for letter, choice in named))
    return "\n\n".join([*parts, instruction(problem)]).rstrip()


def reference_text(problem: Problem) -> str:
    """The reference, written as a worker who follows the format would write it."""
    if problem.format in ("program", "function", "method"):
        return f"```python\n{problem.reference.strip(chr(10))}\n```"
    if problem.format in ("exact", "open"):
        return problem.reference
    return f"<answer>{problem.reference}</answer>"
