"""Every seed of every target, a few changes to each, and what fuzzing once found."""

import random
from pathlib import Path

import pytest

from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
"""One file an input that once broke something: `found/TARGET/what-it-was`."""


def changed(data: bytes, draw: random.Random) -> bytes:
    """The input with a piece cut out, repeated or replaced."""
    start = draw.randrange(len(data) + 1)
    end = min(len(data), start + draw.randrange(1, 20))
    piece = draw.choice([b"", data[start:end] * 9, bytes([draw.randrange(256)]), b"[" * 300])
    return data[:start] + piece + data[end:]


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_changes_to_them_are_read_or_refused(target):
    draw = random.Random(7)

    for seed in seeds(target):
        TARGETS[target](seed)
        for _ in range(3):
            TARGETS[target](changed(seed, draw))


@pytest.mark.parametrize("path", sorted(FOUND.glob("*/*")), ids=lambda path: path.name)
def test_what_was_found_is_mended(path):
    TARGETS[path.parent.name](path.read_bytes())
