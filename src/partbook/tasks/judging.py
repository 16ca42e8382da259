"""From a problem to its judge, by name.

The judges of single answers are in `judges/`; a generated problem brings its own.
"""

from partbook.errors import ConfigError
from partbook.tasks.gym_judge import GymJudge
from partbook.tasks.judges.judge import JUDGES, Judge, judge_from
from partbook.tasks.problem import LETTERS, Problem

__all__ = ["judge_for", "judge_names"]


def judge_names() -> list[str]:
    """Names of the judges that a data file may ask for."""
    return sorted(JUDGES)


def judge_for(problem: Problem) -> Judge:
    """Make the judge of one problem.

    Raises:
        ConfigError: there is no such judge, or the problem lacks what it needs.
    """
    if problem.judge == "gym":
        return GymJudge(problem)
    if problem.judge not in JUDGES:
        raise ConfigError(
            f"there is no judge {problem.judge!r}; the judges are {', '.join(judge_names())}"
        )
    letters = tuple(LETTERS[: len(problem.choices)])
    row: dict[str, object] = {
        "reference": problem.reference,
        "letters": letters,
        "options": dict(zip(letters, problem.choices, strict=True)),
        "pattern": problem.pattern,
        "tests": problem.tests,
        "rubric": problem.rubric,
    }
    _, fields = JUDGES[problem.judge]
    return judge_from(problem.judge, {name: row[name] for name in fields if name in row})
