"""From a problem to its judge, by name.

The judges of single answers are in `judges/`; a generated problem brings its own.
"""

from partbook.pool import Worker
from partbook.tasks.gym_judge import GymJudge
from partbook.tasks.judges.judge import Judge, fields_of, judge_from
from partbook.tasks.problem import LETTERS, Problem

__all__ = ["judge_for"]


def judge_for(problem: Problem, grader: Worker | None = None) -> Judge:
    """Make the judge of one problem.

    Args:
        problem: its judge, and what that needs.
        grader: the model that judges where there is only a rubric; no other judge calls it.

    Raises:
        ConfigError: there is no such judge, the problem lacks what it needs, or it needs a model
            and there is none.
    """
    if problem.judge == "gym":
        return GymJudge(problem)
    fields = fields_of(problem.judge)
    letters = tuple(LETTERS[: len(problem.choices)])
    row: dict[str, object] = {
        "question": problem.question,
        "reference": problem.reference,
        "letters": letters,
        "options": dict(zip(letters, problem.choices, strict=True)),
        "pattern": problem.pattern,
        "tests": problem.tests,
        "rubric": problem.rubric,
    }
    given = {name: row[name] for name in fields if name in row}
    return judge_from(problem.judge, given, grader)
