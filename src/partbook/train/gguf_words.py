"""A tokenizer as GGUF metadata, so that llama.cpp cuts texts exactly as the policy learned it.

llama.cpp knows tokenizers by name and reads no patterns from a file. Two kinds can be said to it:

- the byte-level one of SmolLM2 and GPT-2;
- our own of `tokens.py`, as one that does not split: its merges were learned inside words, digits
  and signs, so no merge crosses from one to the next, and the same merges in the same order give
  the same tokens without the split. That it loses capitals is said in the template.
"""

import json
from typing import Any

from gguf import GGUFWriter, TokenType
from transformers import PreTrainedTokenizerBase

from partbook.errors import ConfigError

__all__ = ["TEXT_ALONE", "add_tokenizer"]

TEXT_ALONE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
"""The chat template of a model that goes on with a text."""

_LOWER_ALONE = "{% for message in messages %}{{ message['content'] | lower }}{% endfor %}"

_NO_SPLIT = "sarvam-moe"
"""The name of the tokenizer without splits to which llama.cpp adds no token in front."""

_SPACE, _LINE = ("Ġ", "▁"), ("Ċ", "\n")
"""How a byte-level tokenizer spells them, and how the one without splits does."""


def add_tokenizer(writer: GGUFWriter, tokenizer: PreTrainedTokenizerBase, size: int) -> None:
    """Write the tokenizer's words, merges, special tokens and chat template.

    Args:
        writer: of the file.
        tokenizer: of the policy.
        size: words that the net has; those that the tokenizer lacks are filled up.

    Raises:
        ConfigError: llama.cpp has no such tokenizer.
    """
    data = json.loads(tokenizer.backend_tokenizer.to_str())
    model = data["model"]
    if model["type"] != "BPE":
        raise ConfigError(f"a GGUF file of this tokenizer ({model['type']}) cannot be written")
    kind, pre = _named(data)
    own = pre == _NO_SPLIT
    special = {token["id"]: token["content"] for token in data["added_tokens"]}
    words = {id_: word for word, id_ in model["vocab"].items()} | special
    spelled = [
        _respelled(words.get(i, f"[unused{i}]"), own and i not in special) for i in range(size)
    ]
    types = [
        TokenType.CONTROL if i in special else TokenType.NORMAL if i in words else TokenType.UNUSED
        for i in range(size)
    ]
    pairs = (pair if isinstance(pair, list) else pair.split(" ") for pair in model["merges"])
    writer.add_tokenizer_model(kind)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(spelled)
    writer.add_token_types(types)
    writer.add_token_merges([" ".join(_respelled(part, own) for part in pair) for pair in pairs])
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    for id_, add in (
        (tokenizer.bos_token_id, writer.add_bos_token_id),
        (tokenizer.eos_token_id, writer.add_eos_token_id),
        (tokenizer.pad_token_id, writer.add_pad_token_id),
    ):
        if isinstance(id_, int):
            add(id_)
    alone = _LOWER_ALONE if own else TEXT_ALONE
    writer.add_chat_template(str(tokenizer.chat_template or alone))


def _named(data: dict[str, Any]) -> tuple[str, str]:
    """What llama.cpp calls the tokenizer, and how it splits a text beforehand."""
    normalizer = (data["normalizer"] or {}).get("type")
    parts = data["pre_tokenizer"] or {}
    kinds = [part["type"] for part in parts.get("pretokenizers", [parts])]
    if normalizer is None and kinds == ["ByteLevel"] and parts["use_regex"]:
        return "gpt2", "gpt-2"
    if normalizer is None and kinds == ["Digits", "ByteLevel"]:
        return "gpt2", "smollm"
    if normalizer == "Lowercase" and kinds == ["Split", "ByteLevel"]:
        return "gpt2", _NO_SPLIT
    raise ConfigError(
        f"a GGUF file of this tokenizer ({', '.join(map(str, kinds))}) cannot be written here: "
        "those of SmolLM2, GPT-2 and `partbook train` can; export --to hf and convert that with "
        "llama.cpp's own script"
    )


def _respelled(word: str, own: bool) -> str:
    return word.replace(*_SPACE).replace(*_LINE) if own else word
