"""A kind of worker: a tool that counts a letter in a word."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from partbook.plugin_api import (
    ChatModel,
    Completion,
    Message,
    OnText,
    Sampling,
    Secret,
    Usage,
    WorkerPlugin,
    WorkerSpec,
)

_ASKED = re.compile(r"letter\s+['\"]?(\w)['\"]?\s.*?['\"](\w+)['\"]", re.DOTALL)


class LetterCounter:
    """Counts; a ChatModel without a model."""

    def __init__(self, ignore_case: bool) -> None:
        self.ignore_case = ignore_case

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """Answer with the count.

        A question that it cannot read is answered with the reason and `error`, as tools do: the
        worker is there, and what it was asked for is not possible.
        """
        for message in reversed(messages):
            if found := _ASKED.search(message.text):
                letter, word = found.groups()
                if self.ignore_case:
                    letter, word = letter.lower(), word.lower()
                return Completion(str(word.count(letter)), Usage(), "letter-counter")
        return Completion("It names no letter and word.", Usage(), "letter-counter", "error")


@asynccontextmanager
async def opened(spec: WorkerSpec, key: Secret | None) -> AsyncIterator[ChatModel]:
    """Open it; a worker with a session or a file would close it after the `yield`."""
    settings = dict(spec.plugged.settings) if spec.plugged else {}
    yield LetterCounter(bool(settings["ignore_case"]))


PLUGIN = WorkerPlugin(
    api=1,
    about="counts a letter in a word",
    open=opened,
    is_tool=True,
    is_here=True,
    settings={"ignore_case": False},
    probe="How many times does the letter r occur in 'strawberry'?",
)
