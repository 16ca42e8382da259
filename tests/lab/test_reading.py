import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partbook.lab.operations import OPERATIONS
from partbook.lab.phrases import PHRASES
from partbook.lab.reading import Reference, asks_for_check, asks_for_everything, mentions
from partbook.lab.values import WORDS

PARAMETERS = {
    "k": "5",
    "digit": "zeros",
    "rank": "second largest",
    "place": "last",
    "larger": "weeks",
    "smaller": "days",
    "things": "pens",
    "who": "Mara",
}
LITERALS = {
    "word": "the word lantern",
    "number": "45",
    "numeral": "101101",
    "date": "2024-03-05",
    "numbers": "14, 3, 125 and 8",
    "words": "plum, fig and pear",
}
READ = {
    "word": "lantern",
    "number": "45",
    "numeral": "101101",
    "date": "2024-03-05",
    "numbers": "14, 3, 125, 8",
    "words": "plum, fig, pear",
}
EITHER_WAY = {"{x} times {k}", "multiply {k} by {x}", "add {x} to {y}"}
"""With two numbers written out, either may be read as the parameter: the value is the same."""

ALL = [(name, phrase) for name, phrases in PHRASES.items() for phrase in phrases.all]


def read(text):
    return [(m.operation.name, m.given, m.inputs) for m in mentions(text)]


@pytest.mark.parametrize(
    ("name", "phrase"), [(name, phrase) for name, phrase in ALL if phrase not in EITHER_WAY]
)
def test_every_phrase_is_understood_with_its_input_written_out(name, phrase):
    operation = OPERATIONS[name]
    slots = dict(zip(("x", "y"), (LITERALS[kind] for kind in operation.takes), strict=False))

    found = mentions(f"Please {phrase.format(**PARAMETERS, **slots)}, and nothing else.")

    assert [mention.operation.name for mention in found] == [name]
    written = [slot for slot in ("x", "y") if f"{{{slot}}}" in phrase]
    for slot, kind, seen in zip(("x", "y"), operation.takes, found[0].inputs, strict=False):
        assert seen == (READ[kind] if slot in written else Reference(None))


@pytest.mark.parametrize(("name", "phrase"), ALL)
@pytest.mark.parametrize("said", ["it", "the result", "the earlier answer", "that number"])
def test_every_phrase_is_understood_with_a_reference(name, phrase, said):
    found = mentions(phrase.format(**PARAMETERS, x=said, y=said))

    assert [mention.operation.name for mention in found] == [name]
    if OPERATIONS[name].takes not in (("numbers",), ("words",)):
        assert set(found[0].inputs) <= {Reference(None)}


def test_no_word_of_the_lab_is_mistaken_for_something_else():
    assert [read(f"reverse {word}") for word in WORDS] == [
        [("reverse", (), (word,))] for word in WORDS
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reverse the word plum.", [("reverse", (), ("plum",))]),
        ("REVERSE  the\nstring 'plum'!", [("reverse", (), ("plum",))]),
        ('reverse "result"', [("reverse", (), ("result",))]),
        ("reverse the answer of step 2", [("reverse", (), (Reference(2),))]),
        ("reverse the result from step 0", [("reverse", (), (Reference(0),))]),
        ("reverse the second answer", [("reverse", (), (Reference(1),))]),
        ("reverse", [("reverse", (), (Reference(None),))]),
        ("add 5 to 45", [("plus", ("5",), ("45",))]),
        ("add 5 days to 2024-03-05", [("days_after", ("5",), ("2024-03-05",))]),
        ("convert 12 feet to inches", [("convert", ("feet", "inches"), ("12",))]),
        ("convert 45 to binary", [("to_base", ("2",), ("45",))]),
        ("find how many pens Mara has", [("things", ("pens", "mara"), ())]),
        ("add step 0 and step 1", [("sum", (), (Reference(0), Reference(1)))]),
        (
            "Count the letters of it and multiply by 7",
            [("length", (), (Reference(None),)), ("times", ("7",), (Reference(None),))],
        ),
        ("Write a poem about plums.", []),
        ("", []),
    ],
)
def test_a_text_is_read_as_it_is_meant(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Check the earlier answer.", True),
        ("Please double-check step 1.", True),
        ("Verify that 45 is right", True),
        ("Reverse it and check it", False),
    ],
)
def test_a_check_is_asked_for_at_the_beginning(text, verdict):
    assert asks_for_check(text) is verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Answer the question.", True),
        ("Solve the whole problem", True),
        ("Do everything that is asked", True),
        ("Say hello", False),
    ],
)
def test_the_whole_question_can_be_handed_over(text, verdict):
    assert asks_for_everything(text) is verdict


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    assert isinstance(mentions(text), tuple)


@pytest.mark.parametrize("piece", ["1, ", "the ", "a, ", "add 1 to ", "' ", "of step 1 "])
def test_a_long_hostile_text_is_read_in_time(piece):
    text = "find the largest of " + piece * 100_000

    assert len(mentions(text)) <= 500
