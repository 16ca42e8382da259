"""Calculator: a worker that computes the arithmetic it is asked for, exactly.

It looks for the longest arithmetic expression in its subtask, then in the answers it may read, the
latest first, then in the question. Reading an expression in prose is left to `arithmetic.py`.
"""

from collections.abc import Sequence

from partbook.message import Completion, FinishReason, Message, Sampling, Usage
from partbook.model import OnText
from partbook.models.arithmetic import find_expression
from partbook.models.exact import ArithmeticFailure, written
from partbook.models.expression import evaluate

__all__ = ["Calculator"]


class Calculator:
    """A ChatModel without a model: same text, same answer, no tokens."""

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Compute; never raises.

        What cannot be computed is answered with the reason, and `finish_reason` is `error`.
        """
        text, finish_reason = _answer(messages)
        if on_text is not None:
            on_text(text)
        return Completion(text, Usage(), "calculator", finish_reason)


def _answer(messages: Sequence[Message]) -> tuple[str, FinishReason]:
    subtask = messages[-1]
    answers = [m for m in reversed(messages[:-1]) if m.role == "assistant"]
    question = [m for m in messages[:1] if m.role == "user"]
    for message in (subtask, *answers, *question):
        expression = find_expression(message.text)
        if expression is None:
            continue
        try:
            return written(evaluate(expression)), "stop"
        except ArithmeticFailure as failure:
            shown = expression.text if len(expression.text) <= 80 else f"{expression.text[:77]}..."
            return f"{shown} cannot be computed: {failure}.", "error"
    return (
        "No arithmetic expression found in the subtask, the answers before it or the question.",
        "error",
    )
