r"""Judge mathematics: is the final answer of a text equal to the reference?

Three steps, each of which bounds what the next one sees. `maths_answer` finds the answer,
`maths_text` and `maths_read` read it without computing anything, and `maths_alike` compares it:
numbers here and exactly, everything else in a child process that can be killed. An answer that is
too long, too deep, too large or no mathematics is wrong. A reference that cannot be read, or a
check that could not run, is *not judged*: it is nobody's fault, and never a reward.

What it does not do: it does not round (1/3 is not 0.33, but is 0.333333), and proves nothing: two
expressions that agree to 25 digits at several points are taken for equal.
"""

import re
from dataclasses import dataclass, field

from partbook.tasks.judges.killable import Answered, Killable, Unavailable
from partbook.tasks.judges.maths_alike import ByNumbers, Undecided, alike
from partbook.tasks.judges.maths_answer import final_answer
from partbook.tasks.judges.maths_leaf import Unreadable
from partbook.tasks.judges.maths_read import read
from partbook.tasks.judges.maths_text import tidy
from partbook.tasks.judges.verdict import Verdict

__all__ = ["MathsJudge"]

_CHECKERS = Killable("partbook.tasks.judges.maths_worker")
_LETTER_AND_VALUE = re.compile(r"^\\text\{\s*\(?([A-J])[).]\s*\}\s*(\S.*)$|^\(([A-J])\)\s*(\S.*)$")
_LETTER = re.compile(r"[A-J]|\([A-J]\)|\\text\{\s*\(?[A-J]\)?\s*\}")


@dataclass(frozen=True, slots=True)
class MathsJudge:
    """Judges the answers to one problem."""

    reference: str
    """The reference answer, in LaTeX or plain text, without a box."""
    checkers: Killable = field(default=_CHECKERS, repr=False, compare=False)
    """The processes in which expressions are compared; all judges share them."""

    async def judge(self, text: str) -> Verdict:
        """Judge a text; it may be called from any thread and any event loop."""
        answer, where = final_answer(text)
        try:
            gold = read(tidy(self.reference))
        except Unreadable as why:
            reason = f"the reference {self.reference[:80]!r} cannot be read: {why}"
            return Verdict("not judged", answer, reason)
        if answer is None:
            return Verdict("wrong", None, where)
        given = _without_letter(tidy(answer), tidy(self.reference))
        try:
            shape = read(given)
        except Unreadable as why:
            return Verdict("wrong", answer, f"the answer ({where}) cannot be read: {why}")
        try:
            same = alike(gold, shape, ByNumbers())
        except Undecided:
            return await self._ask(given, answer, where)
        return _verdict(same, answer, where, self.reference)

    async def _ask(self, given: str, answer: str, where: str) -> Verdict:
        reply = await self.checkers.ask({"gold": tidy(self.reference), "answer": given})
        if isinstance(reply, Unavailable):
            return Verdict("not judged", answer, reply.reason)
        if not isinstance(reply, Answered):
            if "gold" in reply.heard:
                return Verdict(
                    "wrong", answer, f"the answer ({where}) was given up: {reply.reason}"
                )
            return Verdict("not judged", answer, f"the reference was given up: {reply.reason}")
        assert isinstance(reply.value, dict)
        if reply.value["outcome"] == "unreadable":
            why = f"the reference cannot be read: {reply.value['why']}"
            return Verdict("not judged", answer, why)
        if reply.value["why"]:
            return Verdict("wrong", answer, f"the answer ({where}): {reply.value['why']}")
        return _verdict(reply.value["outcome"] == "right", answer, where, self.reference)


def _without_letter(given: str, gold: str) -> str:
    r"""Of `\text{(B) } 12`, the letter or the value, whichever the reference is."""
    match = _LETTER_AND_VALUE.match(given)
    if match is None:
        return given
    letter, value = match[1] or match[3], match[2] or match[4]
    return f"({letter})" if _LETTER.fullmatch(gold) else value


def _verdict(same: bool, answer: str, where: str, gold: str) -> Verdict:
    relation = "equals" if same else "does not equal"
    return Verdict(
        "right" if same else "wrong", answer, f"the answer ({where}) {relation} {gold[:80]}"
    )
