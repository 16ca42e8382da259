import re

from partbook.lab.operations import OPERATIONS
from partbook.lab.phrases import FRAMES, PHRASES, REFERENCES, Frame
from partbook.lab.values import SPLITS


def vocabulary(split):
    phrases = " ".join(phrase for phrases in PHRASES.values() for phrase in phrases.of(split))
    frames = " ".join(
        f"{frame.opening} {frame.joint} {frame.last_joint} {frame.close}" for frame in FRAMES[split]
    )
    return set(re.findall(r"[a-z]+", re.sub(r"\{\w+\}", "", f"{phrases} {frames}".lower())))


def test_the_splits_share_no_phrase_and_no_frame():
    for phrases in PHRASES.values():
        said = [phrase for split in SPLITS for phrase in phrases.of(split)]
        assert len(said) == len(set(said))
    frames = [frame for split in SPLITS for frame in FRAMES[split]]
    assert len(frames) == len(set(frames))


def test_what_is_measured_uses_no_word_that_training_never_shows():
    shown = vocabulary("train") | set(" ".join(REFERENCES).split())

    assert vocabulary("validation") - shown == set()
    assert vocabulary("test") - shown == set()


def test_every_operation_can_be_asked_for_in_every_split():
    assert set(PHRASES) == set(OPERATIONS)
    assert all(phrases.of(split) for phrases in PHRASES.values() for split in SPLITS)


def test_a_frame_joins_parts_into_sentences():
    frame = Frame("first ", ". Then ", ". Finally ", ", please.")

    assert frame.fill(("a", "b", "c")) == "First a. Then b. Finally c, please."
    assert frame.fill(("a", "b")) == "First a. Finally b, please."
