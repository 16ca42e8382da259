"""The tokenizer of a policy that is trained from scratch in the lab.

Every word that the lab's phrases, cards and formats are made of is one token. Values (words to
work on, names, towns, numbers) are spelled out of shorter pieces: a value as one token would mean
nothing to the policy where it is new, and all values of test problems are new. A piece keeps the
space that follows it, so that a clause has the same tokens in a question as between the quotes of
a subtask, and copying is copying. Capitals are lost, which the lab's workers do not mind.
"""

import re
from collections.abc import Iterator

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from partbook.lab.operations import RANKS, SKILLS
from partbook.lab.phrases import FRAMES, PHRASES, REFERENCES, SINGLE
from partbook.lab.pool import CARDS
from partbook.lab.values import NAMES, THINGS, TOWNS, UNITS, WORDS, owned

__all__ = ["END", "PAD", "lab_tokenizer"]

PAD, END = "<pad>", "<eos>"

_PIECE = r"[a-z_]+ ?|\d ?|\n|[^a-z_\d\n] ?"
"""A word, a digit or a sign, with the space after it."""

_FORMAT = (
    "question notes the word lives in was born on has ones zeros first last by all and check "
    "answer the question check the earlier answer model_id subtasks access_list please"
)
"""Words of prompts and completions that no phrase has."""

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789_.,:;()[]\"'=-?!ĊĠ"
"""Ċ and Ġ are how a byte-level tokenizer writes a line break and a space."""

_WEIGHT = 50
"""How much more often a lab word stands in the corpus than a value: enough to become whole."""

_SIGNS = (", ", ". ", ": ", ") ", "= ", "- ", '" ', "] ")


def lab_tokenizer() -> PreTrainedTokenizerFast:
    """Train it; takes a fraction of a second and gives the same tokenizer every time."""
    model = Tokenizer(models.BPE())
    model.normalizer = normalizers.Lowercase()
    model.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECE), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    model.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        min_frequency=6,
        special_tokens=[PAD, END],
        initial_alphabet=list(_ALPHABET),
        show_progress=False,
    )
    model.train_from_iterator(_corpus(), trainer)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=model, pad_token=PAD, eos_token=END, padding_side="left"
    )


def _corpus() -> Iterator[str]:
    whole = [f"{word}{space}" for word in sorted(_words()) for space in ("", " ")]
    whole += [f"{digit}{space}" for digit in range(10) for space in ("", " ")]
    for text in (*whole, *_SIGNS):
        yield from [text] * _WEIGHT
    # Values of the training split only, once each: their common pieces become tokens.
    for values in (WORDS, NAMES, TOWNS):
        for value in owned(values, "train"):
            yield from (value, f"{value} ")


def _words() -> set[str]:
    texts = [_FORMAT, *CARDS.values(), *SKILLS, *RANKS, *THINGS, *REFERENCES]
    texts += [unit for pair in UNITS for unit in pair]
    for phrases in PHRASES.values():
        for phrase in (*phrases.train, *phrases.validation, *phrases.test):
            texts.append(re.sub(r"\{\w+\}", " ", phrase))
    for frame in (*SINGLE, *(frame for frames in FRAMES.values() for frame in frames)):
        texts += [frame.opening, frame.joint, frame.last_joint, frame.close]
    return {word for text in texts for word in re.findall(r"[a-z_]+", text.lower())}
