"""Judge by exact text or by a regular expression, for answers whose form is fixed.

A pattern may backtrack for hours on a text made for it, and Python's `re` holds the interpreter
meanwhile; so patterns run in child processes with a limit of time, about 0.1 ms a verdict beyond
the match. A match that ran out of time is not judged: the pattern is at fault as much as the text.
"""

import re
from dataclasses import dataclass, field

from partbook.errors import ConfigError
from partbook.tasks.judges.answers import after_reasoning
from partbook.tasks.judges.killable import Answered, Killable
from partbook.tasks.judges.verdict import Verdict

__all__ = ["ExactJudge", "PatternJudge"]

MAX_TEXT = 100_000
"""Longer texts are wrong: cutting one could make it match."""

_CHECKERS = Killable("partbook.tasks.judges.pattern_worker", processes=1, recycle_after=100_000)


@dataclass(frozen=True, slots=True)
class ExactJudge:
    """Right is the reference itself, up to space around it."""

    reference: str
    """The only right answer; never blank."""

    def __post_init__(self) -> None:
        """Refuse a reference that an empty text would equal.

        Raises:
            ConfigError: it is blank.
        """
        if not self.reference.strip():
            raise ConfigError("an exact judge needs a reference; found blank text")

    async def judge(self, text: str) -> Verdict:
        """Judge a text; nothing is waited for."""
        answer = _answer(text)
        if answer is None:
            return Verdict("wrong", None, "the text holds no answer after its reasoning")
        if answer == self.reference.strip():
            return Verdict("right", answer, "the text is the reference")
        return Verdict("wrong", answer, f"the text is not {self.reference[:80]!r}")


@dataclass(frozen=True, slots=True)
class PatternJudge:
    """Right is a text that a regular expression matches."""

    pattern: str
    """In the syntax of Python's `re`; flags are written inside, as `(?i)`."""
    whole: bool = True
    """The whole text must match, without the space around it; else any part of it."""
    checkers: Killable = field(default=_CHECKERS, repr=False, compare=False)
    """The process in which patterns run; all judges share it."""

    def __post_init__(self) -> None:
        """Compile the pattern once, so that a bad one is refused when it is loaded.

        Raises:
            ConfigError: it is no regular expression, or it matches empty text.
        """
        try:
            compiled = re.compile(self.pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise ConfigError(f"{self.pattern!r} is no regular expression: {error}") from error
        if compiled.fullmatch("") if self.whole else compiled.search(""):
            raise ConfigError(f"{self.pattern!r} matches empty text, so no answer would be right")

    async def judge(self, text: str) -> Verdict:
        """Judge a text; it may be called from any thread and any event loop."""
        answer = _answer(text)
        if answer is None:
            return Verdict("wrong", None, "the text holds no answer after its reasoning")
        if len(answer) > MAX_TEXT:
            return Verdict("wrong", answer[:200], f"the text is longer than {MAX_TEXT} characters")
        reply = await self.checkers.ask(
            {"pattern": self.pattern, "text": answer, "whole": self.whole}
        )
        if not isinstance(reply, Answered):
            return Verdict("not judged", answer, f"the match was given up: {reply.reason}")
        if reply.value is True:
            return Verdict("right", answer, f"the text matches {self.pattern[:80]!r}")
        return Verdict("wrong", answer, f"the text does not match {self.pattern[:80]!r}")


def _answer(text: str) -> str | None:
    """The text after its reasoning, without space around it; None where nothing is left."""
    rest = after_reasoning(text)
    return rest.strip() or None if rest is not None else None
