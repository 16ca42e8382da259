"""Judge generated problems by their generator's own scorer, in a child process.

A scorer is written for well-meant text: some evaluate it, some raise on it. So it runs where it can
be killed, sees only the characters that an answer of its kind consists of (`gym_worker.py`), and
its partial credit counts for nothing: an answer is right at full score, else wrong.
"""

from dataclasses import dataclass, field

from partbook.errors import ConfigError
from partbook.tasks.judges.answers import after_reasoning, answer_tag, boxes, statement_tails
from partbook.tasks.judges.killable import Answered, Killable, Unavailable
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.problem import Problem

__all__ = ["GymJudge"]

MAX_ANSWER = 20_000
"""Longer answers are wrong, in characters."""
_FULL = 1 - 1e-9

_SCORERS = Killable("partbook.tasks.gym_worker")


@dataclass(frozen=True, slots=True)
class GymJudge:
    """Judges the answers to one generated problem."""

    problem: Problem
    scorers: Killable = field(default=_SCORERS, repr=False, compare=False)
    """The processes in which scorers run; all judges share them."""

    def __post_init__(self) -> None:
        """Refuse a problem that was not generated.

        Raises:
            ConfigError: it does not say which generator made it.
        """
        lacking = {"generator", "series", "index"} - set(self.problem.meta)
        if lacking:
            raise ConfigError(f"problem {self.problem.id!r} was not generated: no {min(lacking)}")

    async def judge(self, text: str) -> Verdict:
        """Judge a text; it may be called from any thread and any event loop."""
        answer, where = _answer(text)
        if answer is None:
            return Verdict("wrong", None, where)
        if len(answer) > MAX_ANSWER:
            return Verdict("wrong", answer[:200], f"longer than {MAX_ANSWER} characters")
        meta = self.problem.meta
        reply = await self.scorers.ask(
            {
                "generator": meta["generator"],
                "level": int(self.problem.level) if self.problem.level else None,
                "series": int(meta["series"]),
                "index": int(meta["index"]),
                "question": self.problem.question,
                "answer": answer,
            }
        )
        if isinstance(reply, Unavailable):
            return Verdict("not judged", answer, reply.reason)
        if not isinstance(reply, Answered):
            if "made" in reply.heard:
                return Verdict("wrong", answer, f"the scorer gave up: {reply.reason}")
            return Verdict("not judged", answer, f"the problem was not made: {reply.reason}")
        if isinstance(reply.value, str):
            return Verdict("not judged", answer, reply.value)
        if isinstance(reply.value, int | float) and reply.value >= _FULL:
            return Verdict("right", answer, f"the generator accepts the answer ({where})")
        return Verdict("wrong", answer, f"the generator does not accept the answer ({where})")


def _answer(text: str) -> tuple[str | None, str]:
    """The answer, and where it stands or why there is none; a board has several lines."""
    rest = after_reasoning(text)
    if rest is None:
        return None, "the text ends inside its reasoning"
    tag, found = answer_tag(rest), boxes(rest)
    for place, where in ((tag, "in the answer tag"), (found[-1] if found else None, "in a box")):
        if place is not None:
            if place.content is None:
                return None, f"{where}: it is not closed"
            return place.content.strip("\n") or None, where
    if tails := [tail for _, tail in statement_tails(rest) if tail]:
        return tails[-1].strip("*_`$ "), "after the last statement of an answer"
    return rest.strip() or None, "the whole text"
