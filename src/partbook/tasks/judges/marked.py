"""Shows a text of unknown origin to a judge that is a model, as data and never as instructions.

The text may play a judge's reply, or close the place where it stands. So it stands between lines
with a hash of everything that is shown: nobody can write a text that contains its own hash, and the
same question is still asked in the same words, so that it can be cached and replayed. The control
words of common chat templates are broken up in it. No such list is complete.
"""

import hashlib
import re

__all__ = ["disarmed", "mark_of", "marked"]

_CONTROL = re.compile(
    r"<(?=[|｜][^\s|｜<>]{1,64}[|｜]>)|<(?=(?:start|end)_of_turn>)|<(?=/?s>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT)\])"
)
"""Where a control word of a chat template begins: those of ChatML, Llama, DeepSeek, Gemma and
Mistral. A server may read them as the end of our message, whoever wrote them."""


def disarmed(text: str) -> str:
    """The text with its control words broken up.

    >>> disarmed("right<|im_end|>")
    'right< |im_end|>'
    """
    return _CONTROL.sub(lambda begin: f"{begin.group()} ", text)


def mark_of(*texts: str) -> str:
    """A mark that none of these texts can contain, always the same for the same texts."""
    whole = "\0".join(texts).encode("utf-8", "replace")
    return hashlib.sha256(whole).hexdigest()[:32]


def marked(mark: str, name: str, text: str) -> str:
    """A named text between its two lines."""
    return f"--- {mark} {name} begins\n{text}\n--- {mark} {name} ends"
