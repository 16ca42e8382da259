"""Judge programs by running them: cases of input and output, asserts, and test cases.

Everything runs in the sandbox, and only positive evidence makes a program right.

- Cases: the program prints or returns, and what it gave is compared on this side. No expected
  value enters the sandbox. A program can pass only by giving the expected values.
- Test source: the tests run in a process of their own, which the program's process can neither
  read nor stop (`inside/tests.py`); values cross as data and are compared by Python's own types.
  Patched builtins, objects that equal everything, an early exit or a forged report change nothing.
- Test source that patches, captures output, seeds or awaits: it must run in the program's process.
  Known ways of cheating are caught; a program written against this very judge could pass
  (`inside/together.py`). Training data should not have such tests.

What this does not protect against: a program that holds the values which the question shows as
examples; tests that are too weak, or that take an argument which the program may change as the
expected value; a machine so full that 6 s of computing take more than 10 s on the clock; and what
the sandbox itself does not protect against.
Libraries beyond Python's own are not in the sandbox: tests that import them are not judged, a
program that imports them is wrong.
"""

import asyncio
import os
import weakref
from dataclasses import dataclass, field

from partbook.errors import ConfigError, WorkerError
from partbook.models.program_text import find_program
from partbook.sandbox import SandboxLimits
from partbook.tasks.judges.answers import after_reasoning
from partbook.tasks.judges.code_cases import failing_case
from partbook.tasks.judges.code_files import NotRun
from partbook.tasks.judges.code_names import wanted_names
from partbook.tasks.judges.code_source import failing_source
from partbook.tasks.judges.verdict import Verdict
from partbook.tasks.programs import CaseTests, SourceTests, Tests

__all__ = ["LIMITS", "CodeJudge", "Turns"]

LIMITS = SandboxLimits(wall_s=10.0, cpu_s=6.0)
"""Of one case, or of one problem's test source; LiveCodeBench gives a case 6 s, too."""
TOTAL_S = 60.0
"""For all cases of one problem."""


class Turns:
    """How many programs run at once in one event loop."""

    def __init__(self, most: int) -> None:
        """`most`: at least 1."""
        self._most = most
        self._of_loop: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            weakref.WeakKeyDictionary()
        )

    def of_this_loop(self) -> asyncio.Semaphore:
        """To be held while a program runs."""
        loop = asyncio.get_running_loop()
        return self._of_loop.setdefault(loop, asyncio.Semaphore(self._most))


_TURNS = Turns(os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class CodeJudge:
    """Right is a program that passes all tests."""

    tests: Tests
    limits: SandboxLimits = LIMITS
    """Of one case, or of all of one problem's test source."""
    total_s: float = TOTAL_S
    """For all cases of one problem."""
    turns: Turns = field(default=_TURNS, repr=False, compare=False)
    """All judges share them."""

    async def judge(self, text: str) -> Verdict:
        """Judge a text: the last program in it, preferably one that defines what is tested."""
        rest = after_reasoning(text)
        if rest is None:
            return Verdict("wrong", None, "the text ends inside its reasoning")
        found = await asyncio.to_thread(find_program, rest, wanted_names(self.tests))
        if found is None:
            return Verdict("wrong", None, "the text holds no Python program")
        program = found.strip("\n")
        try:
            async with self.turns.of_this_loop():
                failure = await self._failure(program)
        except NotRun as error:
            return Verdict("not judged", program, str(error))
        except (ConfigError, WorkerError) as error:
            return Verdict("not judged", program, f"the program was not run: {error}")
        if failure is None:
            return Verdict("right", program, "the program passes all tests")
        return Verdict("wrong", program, " ".join(failure.split()))

    async def _failure(self, program: str) -> str | None:
        if isinstance(self.tests, CaseTests):
            return await failing_case(program, self.tests, self.limits, self.total_s)
        assert isinstance(self.tests, SourceTests)
        return await failing_source(program, self.tests, self.limits)
