"""PythonRunner: a worker that runs the program it is shown and answers with what it printed.

Finding the program in a model's text is left to `program_text.py`, and running it safely to the
function that this worker is given (`partbook.sandbox.run_program`).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from partbook.message import Completion, FinishReason, Message, Sampling, Usage
from partbook.model import OnText
from partbook.models.program_text import find_program, with_result_printed
from partbook.sandbox import LimitHit, SandboxResult

__all__ = ["PythonRunner", "RunProgram"]

_MAX_ANSWER = 8_000
"""Characters of what was printed that are passed on."""
_MAX_REASON = 500
"""Characters of an error message."""
_LIMITS: Mapping[LimitHit, str] = {
    "wall": "it ran too long",
    "cpu": "it used too much processor time",
    "memory": "it used too much memory",
    "output": "it printed too much",
}


RunProgram = Callable[[str], Awaitable[SandboxResult]]
"""Runs a program of unknown intent.

Raises:
    ConfigError: nothing can be run here.
    WorkerError: the place where it runs failed, not the program.
"""


class PythonRunner:
    """A ChatModel that computes instead of generating: no tokens."""

    def __init__(self, run: RunProgram) -> None:
        self._run = run

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Run the latest program among the answers it may read, else the one in its subtask.

        A program that prints nothing is run once more with its last expression printed, or its
        only function called: small models often leave that out. A program that fails, and none at
        all, is answered with the reason and `finish_reason` `error`.

        Raises:
            ConfigError: this machine has no sandbox.
            WorkerError: the sandbox failed, not the program.
        """
        text, finish_reason = await self._answer(messages)
        if on_text is not None:
            on_text(text)
        return Completion(text, Usage(), "python", finish_reason)

    async def _answer(self, messages: Sequence[Message]) -> tuple[str, FinishReason]:
        answers = [m for m in reversed(messages[:-1]) if m.role == "assistant"]
        programs = (find_program(message.text) for message in (*answers, messages[-1]))
        program = next((found for found in programs if found is not None), None)
        if program is None:
            return "No program found in the answers before this step or in the subtask.", "error"
        ran = await self._run(program)
        if ran.exit_status == 0 and not ran.stdout.strip():
            printing = with_result_printed(program)
            if printing is not None:
                ran = await self._run(printing)
        if ran.exit_status != 0:
            return f"The program failed: {_reason(ran)}", "error"
        printed = ran.stdout.strip()
        if not printed:
            return "The program printed nothing.", "error"
        if len(printed) > _MAX_ANSWER:
            left_out = len(printed) - _MAX_ANSWER
            printed = f"{printed[:_MAX_ANSWER]}\n... ({left_out} more characters)"
        return printed, "stop"


def _reason(ran: SandboxResult) -> str:
    if ran.limit is not None:
        return f"{_LIMITS[ran.limit]}."
    # Lines that only underline a place say nothing without the font they were made for.
    lines = [line for line in ran.stderr.splitlines() if line.strip(" ^~")]
    return "\n".join(lines[-3:])[-_MAX_REASON:].strip() or f"exit status {ran.exit_status}."
