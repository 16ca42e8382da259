"""Whether what a model returned can stand as an answer.

A provider says 200 and yet there may be no answer: nothing but hidden reasoning, a text that a
filter ended, a text that ended because the window was full. Each becomes a `WorkerError` with the
usage of its call, so that what it cost is not lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from partbook.errors import FaultKind, WorkerError
from partbook.message import Completion, Message, Sampling
from partbook.model import ChatModel, OnText
from partbook.parse.reasoning import find_reasoning
from partbook.pool import WorkerSpec

__all__ = ["Checked", "fault_of"]

_SHOWN_CHARS = 200


@dataclass(slots=True)
class Checked:
    """A ChatModel whose unusable answers are failures."""

    model: ChatModel
    spec: WorkerSpec

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`.

        Raises:
            WorkerError: the answer cannot stand; see `fault_of`.
        """
        completion = await self.model.chat(messages, sampling, on_text)
        if completion.tool_calls:
            return completion
        if completion.finish_reason == "stop" and completion.text and not completion.text.isspace():
            return completion
        fault = fault_of(completion, sampling, self.spec)
        if fault is not None:
            kind, why = fault
            raise WorkerError(why, usage=completion.usage, kind=kind)
        return completion


def fault_of(
    completion: Completion, sampling: Sampling, spec: WorkerSpec
) -> tuple[FaultKind, str] | None:
    """Why a completion is no answer, with a sentence about it; None where it is one.

    An answer that was cut off at its token limit is one, unless the worker says `fail`.
    """
    blank = not completion.text.strip()
    finish = completion.finish_reason
    if finish == "filter":
        said = " ".join(completion.text.split())[:_SHOWN_CHARS]
        return "filter", "a content filter ended the answer" + (f": {said!r}" if said else "")
    if finish == "length":
        limit = f"its limit of {sampling.max_tokens} tokens"
        if _is_window_full(completion, sampling, spec):
            return "context", (
                f"prompt and answer fill its context window of {spec.context_window} tokens"
            )
        if blank:
            return "reasoning_exhausted", f"{limit} was spent before an answer began"
        if _is_unfinished_reasoning(completion.text, spec):
            return "reasoning_exhausted", f"{limit} ended in the middle of its reasoning"
        if spec.on_truncated == "fail":
            return "truncated", f"the answer was cut off at {limit}"
    if blank:
        return "empty", f"answered nothing (it ended with {finish!r})"
    return None


def _is_window_full(completion: Completion, sampling: Sampling, spec: WorkerSpec) -> bool:
    """Whether it was the window that ended the text: a higher limit would not help."""
    usage = completion.usage
    return (
        usage is not None
        and spec.context_window is not None
        and usage.total_tokens >= spec.context_window
        and usage.completion_tokens < sampling.max_tokens
    )


def _is_unfinished_reasoning(text: str, spec: WorkerSpec) -> bool:
    found = find_reasoning(text)
    return found.unfinished is not None or (spec.opens_reasoning and not found.stray_end)
