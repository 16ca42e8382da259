"""Foreign: a plug-in's model behind the promises of a `ChatModel`.

Its code is somebody else's. What it raises is a failure of its worker, whatever its type, and ends
no run; what it returns, or says of a failure, is looked at before it is believed; and a text that
it did not send in pieces is still shown as it arrives. A key that it was given is in none of its
errors.
"""

import math
import reprlib
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import astuple, dataclass, replace
from typing import get_args

from partbook.errors import ConfigError, PartbookError, WorkerError
from partbook.message import Completion, FinishReason, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.plugins import WORKERS, find_plugin, load_plugin, trouble_of
from partbook.pool import WorkerSpec
from partbook.retry import REACTIONS
from partbook.secret import Secret
from partbook.worker_plugin import WorkerPlugin

__all__ = ["Foreign", "open_foreign"]


async def open_foreign(stack: AsyncExitStack, spec: WorkerSpec, key: Secret | None) -> ChatModel:
    """Open the model of a worker whose kind comes from a plug-in.

    Args:
        stack: closes it.
        spec: what the pool file says.
        key: the key that the pool file points to, if any.

    Raises:
        ConfigError: it cannot be opened; the message names the plug-in and its package.
    """
    plugin = load_plugin(WORKERS, spec.kind, WorkerPlugin)
    try:
        model = await stack.enter_async_context(plugin.open(spec, key))
    except PartbookError as err:
        raise ConfigError(f"worker {spec.name!r}: {_hidden(str(err), key)}") from err
    except Exception as err:  # a package's code may raise anything
        told = _hidden(trouble_of(err), key)
        raise ConfigError(
            f"worker {spec.name!r}: the {find_plugin(WORKERS, spec.kind)} cannot be opened: {told}"
        ) from err
    return Foreign(model, str(find_plugin(WORKERS, spec.kind)), key, spec.is_tool)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A model of a plug-in."""

    model: ChatModel
    plugin: str
    """What errors call it."""
    key: Secret | None = None
    is_tool: bool = False

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None
    ) -> Completion:
        """As `ChatModel.chat`.

        Raises:
            WorkerError: the plug-in said so, raised something else, or returned what is no
                completion.
        """
        pieces = 0

        def on_piece(piece: str) -> None:
            nonlocal pieces
            pieces += 1
            assert on_text is not None
            on_text(piece)

        try:
            found = await self.model.chat(messages, sampling, None if on_text is None else on_piece)
        except WorkerError as err:
            # Without its cause, which may quote the key.
            raise _believed(err, _hidden(str(err), self.key)) from None
        except Exception as err:  # a package's code may raise anything
            told = _hidden(trouble_of(err), self.key)
            raise WorkerError(f"the {self.plugin} failed: {told}") from err
        if not isinstance(found, Completion):
            raise WorkerError(
                f"the {self.plugin} must return a Completion, found {type(found).__name__}"
            )
        for name, is_sound in _soundness(found).items():
            if not is_sound:
                shown = _hidden(reprlib.repr(getattr(found, name)), self.key)
                raise WorkerError(
                    f"the {self.plugin} returned a Completion whose `{name}` cannot be: {shown}"
                )
        if on_text is not None and not pieces and found.text:
            on_text(found.text)
        if self.is_tool and found.usage is None:
            return replace(found, usage=Usage())
        return found


def _soundness(found: Completion) -> dict[str, bool]:
    """By name of a field, whether it holds what it may hold."""
    return {
        "text": isinstance(found.text, str),
        "usage": _is_usage(found.usage),
        "model": isinstance(found.model, str),
        "finish_reason": found.finish_reason in get_args(FinishReason),
        "tool_calls": isinstance(found.tool_calls, str),
    }


def _is_usage(usage: object) -> bool:
    """Whether this is unknown usage, or counts of tokens."""
    if not isinstance(usage, Usage):
        return usage is None
    return all(isinstance(count, int) and count >= 0 for count in astuple(usage))


def _believed(err: WorkerError, message: str) -> WorkerError:
    """The failure in these words; of all else that it says, what may be."""
    told_s = err.retry_after_s
    is_wait = isinstance(told_s, int | float) and math.isfinite(told_s) and told_s >= 0
    return WorkerError(
        message,
        usage=err.usage if _is_usage(err.usage) else None,
        status=err.status if isinstance(err.status, int) else None,
        kind=err.kind if err.kind in REACTIONS else "unknown",
        retry_after_s=told_s if is_wait else None,
    )


def _hidden(text: str, key: Secret | None) -> str:
    return text if key is None else key.hide_in_error(text)
