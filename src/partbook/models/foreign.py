"""Foreign: a plug-in's model behind the promises of a `ChatModel`.

Its code is somebody else's. What it raises is a failure of its worker and ends no run; what it
returns is looked at before it is believed; and a text that it did not send in pieces is still shown
as it arrives. A key that it was given is in none of its errors.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from partbook.errors import ConfigError, PartbookError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.model import ChatModel, OnText
from partbook.plugins import WORKERS, find_plugin, load_plugin, trouble_of
from partbook.pool import WorkerSpec
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
            WorkerError: the plug-in said so, raised something else, or returned no completion.
        """
        pieces = 0

        def on_piece(piece: str) -> None:
            nonlocal pieces
            pieces += 1
            assert on_text is not None
            on_text(piece)

        try:
            found = await self.model.chat(messages, sampling, None if on_text is None else on_piece)
        except PartbookError as err:
            err.args = (_hidden(str(err), self.key),)
            raise
        except Exception as err:  # a package's code may raise anything
            told = _hidden(trouble_of(err), self.key)
            raise WorkerError(f"the {self.plugin} failed: {told}") from err
        if not (isinstance(found, Completion) and isinstance(found.text, str)):
            raise WorkerError(
                f"the {self.plugin} must return a Completion with a text, found "
                f"{type(found).__name__}"
            )
        if on_text is not None and not pieces and found.text:
            on_text(found.text)
        if self.is_tool and found.usage is None:
            return replace(found, usage=Usage())
        return found


def _hidden(text: str, key: Secret | None) -> str:
    return text if key is None else key.hide_in_error(text)
