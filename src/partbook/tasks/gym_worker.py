"""The child process of `GymJudge`: makes the problem again and asks its generator's scorer.

Scorers of `reasoning-gym` were written for trusted text. Those that evaluate it are shown only
texts in which nothing but numbers, operators and the generator's own marks can stand, so that there
is nothing to call and nothing to import. A scorer that raises has not accepted the answer.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from partbook.errors import ConfigError
from partbook.tasks.gym_source import generate, score
from partbook.tasks.judges.checker import serve

__all__ = ["EVALUATED", "answer"]

_SUM = re.compile(r"[0-9+\-*/() \n]*")
# A text that does not match must not be tried in all its divisions: what may repeat is possessive,
# and no two parts begin alike.
_TERM = re.compile(
    r"(?:\d++(?:\.\d++)?|[+\-*/() ]"
    r"|(?<![A-Za-z0-9_.])(?:sin|cos|tan|exp|log|sqrt|asin|acos|atan|Integral|[A-Za-z])"
    r"(?![A-Za-z0-9_.])|,(?= ?[A-Za-z]\)))*"
)

EVALUATED: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "binary_matrix": re.compile(r"[-0-9 \n]*"),
        "countdown": _SUM,
        "intermediate_integration": _TERM,
        "n_queens": re.compile(r"[Q_ \n]*"),
        "simple_integration": _TERM,
        "spiral_matrix": re.compile(r"[-0-9 \n]*"),
        "string_insertion": re.compile(r"[A-E]*"),
    }
)
"""By generator whose scorer evaluates the answer: what an answer may consist of."""

_NO_NUMBER = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_POWER_TOWER = re.compile(r"\*\*\s*[^\s\d(]|\*\*\s*\(?\s*\d{3}|\*\*[^+\-*/]*\*\*")


def answer(question: object, said: Callable[[object], None]) -> object:
    """The score of an answer, 0 to 1; text where no opinion can be had, and why."""
    assert isinstance(question, dict)
    name, given = str(question["generator"]), str(question["answer"])
    place = (name, question["level"], int(question["series"]), int(question["index"]))
    try:
        if generate(*place).question != question["question"]:
            return "the generator makes another problem now; was the package updated?"
    except ConfigError as err:
        return str(err)
    said("made")
    if _refused(name, given):
        return 0.0
    try:
        return score(*place, given)
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        NameError,
        SyntaxError,
        TypeError,
        ValueError,
    ):
        return 0.0  # it expects another form of answer


def _refused(name: str, given: str) -> bool:
    if _NO_NUMBER.fullmatch(given.strip()):
        return True  # every comparison with a tolerance is passed by some of these
    allowed = EVALUATED.get(name)
    if allowed is None:
        return False
    return allowed.fullmatch(given.strip()) is None or _POWER_TOWER.search(given) is not None


if __name__ == "__main__":
    serve(answer)
