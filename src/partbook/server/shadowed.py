"""Shadowed: an answer that is offered to the shadow once the client has it."""

from starlette.types import Receive, Scope, Send

from partbook.server.job import Job
from partbook.server.shadow import Shadow
from partbook.server.stream import StreamedAnswer
from partbook.server.whole import WholeAnswer

__all__ = ["Shadowed"]


class Shadowed:
    """Answers as what is inside it does."""

    def __init__(self, answer: WholeAnswer | StreamedAnswer, job: Job, shadow: Shadow) -> None:
        self._answer = answer
        self._job = job
        self._shadow = shadow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer; whatever it raises is raised, and then nothing is offered."""
        await self._answer(scope, receive, send)
        self._shadow.consider(self._job)
