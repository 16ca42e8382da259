"""How operations are said in words, split by split, and how questions are put together.

The splits share no phrase and no frame, but a validation or test phrase uses no word that the
train phrases never use: what is measured there is a new arrangement, not a new vocabulary, which
a policy of a million weights could not know. Workers understand every phrase of every split, and
the shorter ones under `also`, in which whoever divides a question may put a part.

In a phrase, `{x}` and `{y}` stand for inputs and the other braces for the operation's parameters.
"""

from dataclasses import dataclass, field

from partbook.lab.values import Split

__all__ = ["FRAMES", "PHRASES", "REFERENCES", "SINGLE", "Frame", "Phrases"]

REFERENCES = ("it", "the result")
"""What a question calls the value that the part before has given; common to all splits."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """The ways to ask for one operation."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]
    also: tuple[str, ...] = ()
    """Understood, never used in a question."""
    implied: dict[str, str] = field(default_factory=dict)
    """Parameters that a phrase under `also` leaves out."""

    def of(self, split: Split) -> tuple[str, ...]:
        """The phrases that questions of the split use."""
        return {"train": self.train, "validation": self.validation, "test": self.test}[split]

    @property
    def all(self) -> tuple[str, ...]:
        """Every phrase that is understood."""
        return (*self.train, *self.validation, *self.test, *self.also)


PHRASES = {
    "plus": Phrases(
        ("add {k} to {x}", "increase {x} by {k}",
         "find {x} plus {k}", "make {x} larger by {k}"),
        ("take {x} and add {k}",),
        ("to {x} add {k}",),
        ("{x} plus {k}", "add {k}"),
    ),
    "minus": Phrases(
        ("subtract {k} from {x}", "decrease {x} by {k}",
         "find {x} minus {k}", "take {k} away from {x}"),
        ("take {x} and subtract {k}",),
        ("from {x} subtract {k}",),
        ("{x} minus {k}", "subtract {k}"),
    ),
    "times": Phrases(
        ("multiply {x} by {k}", "find {k} times {x}",
         "find {x} multiplied by {k}", "multiply {k} by {x}"),
        ("take {x} and multiply by {k}",),
        ("take {k} times {x}",),
        ("{k} times {x}", "{x} times {k}", "{x} multiplied by {k}", "multiply by {k}"),
    ),
    "sum": Phrases(
        ("add the two results", "find the sum of the two results",
         "add both results", "find what the two results add up to"),
        ("take the two results and find the sum",),
        ("take the sum of the two results",),
        ("add {x} and {y}", "add {x} to {y}", "add them",
         "the sum of {x} and {y}"),
    ),
    "product": Phrases(
        ("multiply the two results", "find the product of the two results",
         "multiply both results", "find what the two results multiply to"),
        ("take the two results and find the product",),
        ("take the product of the two results",),
        ("multiply {x} and {y}", "multiply them",
         "the product of {x} and {y}"),
    ),
    "reverse": Phrases(
        ("reverse {x}", "write {x} backwards", "spell {x} in reverse",
         "read the letters of {x} backwards", "reverse the letters of {x}"),
        ("spell {x} backwards",),
        ("write {x} in reverse",),
        ("reverse the letters in {x}", "reverse its letters",
         "reverse"),
    ),
    "drop_vowels": Phrases(
        ("remove the vowels from {x}", "drop every vowel of {x}", "spell {x} without vowels",
         "take the vowels out of {x}", "keep {x} without its vowels"),
        ("drop the vowels from {x}",),
        ("remove every vowel of {x}", "write {x} without vowels"),
        ("remove the vowels of {x}", "remove its vowels", "remove the vowels", "drop its vowels"),
    ),
    "first_letters": Phrases(
        ("take the first {k} letters of {x}", "keep only the first {k} letters of {x}",
         "find the first {k} letters of {x}", "from {x} keep only the first {k} letters"),
        ("keep the first {k} letters of {x}",),
        ("write only the first {k} letters of {x}",),
        ("the first {k} letters of {x}", "take its first {k} letters",
         "keep its first {k} letters"),
    ),
    "twice": Phrases(
        ("write {x} twice", "repeat {x} two times",
         "take {x} and repeat it", "spell {x} two times in a row"),
        ("spell {x} twice",),
        ("write {x} two times",),
        ("repeat {x} twice", "double {x}"),
    ),
    "vowels": Phrases(
        ("count the vowels in {x}", "find how many vowels {x} has",
         "find the number of vowels in {x}", "take {x} and count the vowels"),
        ("count how many vowels are in {x}",),
        ("find how many vowels are in {x}",),
        ("count the vowels of {x}", "the number of vowels in {x}", "how many vowels {x} has",
         "how many vowels are in {x}", "how many vowels does {x} have", "count its vowels",
         "count the vowels"),
    ),
    "length": Phrases(
        ("count the letters in {x}", "find how many letters are in {x}",
         "find the number of letters in {x}", "take {x} and count the letters"),
        ("find how many letters {x} has",),
        ("count how many letters {x} has",),
        ("count the letters of {x}", "the number of letters in {x}", "how many letters {x} has",
         "how many letters are in {x}", "how many letters does {x} have", "count its letters",
         "count the letters",
         "the length of {x}"),
    ),
    "digit": Phrases(
        ("count the {digit} in {x}", "find how many {digit} {x} has",
         "find the number of {digit} in {x}", "take {x} and count the {digit}"),
        ("find how many {digit} are in {x}",),
        ("count how many {digit} are in {x}",),
        ("count the {digit} of {x}", "the number of {digit} in {x}", "how many {digit} are in {x}",
         "how many {digit} {x} has", "count its {digit}", "count the {digit}"),
    ),
    "ranked": Phrases(
        ("find the {rank} of {x}", "sort {x} and take the {rank}",
         "find which of {x} is the {rank}", "from {x} take the {rank}"),
        ("take the {rank} of {x}",),
        ("sort {x} and find the {rank}",),
        ("the {rank} of {x}", "which of {x} is the {rank}"),
    ),
    "alphabet": Phrases(
        ("find which of {x} comes {place} in the alphabet",
         "sort {x} by the alphabet and take the {place}",
         "find which of {x} is {place} in the alphabet",
         "from {x} take the {place} in the alphabet"),
        ("sort {x} and find which comes {place} in the alphabet",),
        ("take the {place} of {x} in the alphabet",),
        ("which of {x} comes {place} in the alphabet", "the {place} of {x} in the alphabet"),
    ),
    "days_after": Phrases(
        ("find the date {k} days after {x}", "add {k} days to {x}",
         "find which date comes {k} days after {x}", "take {x} and add {k} days"),
        ("find which date is {k} days after {x}",),
        ("take the date {k} days after {x}",),
        ("the date {k} days after {x}", "add {k} days"),
    ),
    "weekday": Phrases(
        ("find the weekday of {x}", "find which weekday {x} is",
         "find on which weekday {x} is", "read which weekday {x} is"),
        ("find which weekday is {x}",),
        ("take the weekday of {x}",),
        ("the weekday of {x}", "which weekday is {x}", "which weekday {x} is", "its weekday",
         "which day of the week is {x}", "the weekday"),
    ),
    "day_of_year": Phrases(
        ("find the day number of {x} in the year", "find which day of the year {x} is",
         "count the days of the year up to {x}", "find the number of {x} in the days of the year"),
        ("find the day of the year of {x}",),
        ("take the day number of {x} in the year",),
        ("which day of the year is {x}", "the day of the year of {x}", "its day of the year"),
    ),
    "to_base": Phrases(
        ("convert {x} to base {k}", "write {x} in base {k}",
         "find {x} in base {k}", "take {x} to base {k}"),
        ("change {x} to base {k}",),
        ("take {x} and write it in base {k}",),
        ("convert {x} from base 10 to base {k}", "convert {x} from decimal to base {k}",
         "convert {x} to binary", "write {x} in binary", "to base {k}"),
        {"k": "2"},
    ),
    "from_base": Phrases(
        ("convert {x} from base {k} to decimal", "read {x} in base {k}",
         "find {x} from base {k} in decimal", "read {x} from base {k} to decimal"),
        ("change {x} from base {k} to decimal",),
        ("take {x} in base {k} and convert it to decimal",),
        ("convert {x} from base {k}", "convert {x} from base {k} to base 10",
         "convert binary {x} to decimal", "convert {x} from binary to decimal"),
        {"k": "2"},
    ),
    "convert": Phrases(
        ("convert {x} from {larger} to {smaller}", "change {x} from {larger} to {smaller}",
         "find how many {smaller} {x} {larger} are", "take {x} from {larger} to {smaller}"),
        ("from {larger} to {smaller} convert {x}",),
        ("take {x} and convert it from {larger} to {smaller}",),
        ("convert {x} {larger} to {smaller}", "how many {smaller} are {x} {larger}",
         "from {larger} to {smaller}"),
    ),
    "things": Phrases(
        ("find how many {things} {who} has", "look up the {things} of {who}",
         "read how many {things} {who} has", "find the number of {things} that {who} has"),
        ("look up how many {things} {who} has",),
        ("find the {things} of {who}",),
        ("how many {things} does {who} have", "how many {things} {who} has",
         "the number of {things} of {who}"),
    ),
    "town": Phrases(
        ("find where {who} lives", "look up the town of {who}",
         "read where {who} lives", "find in which town {who} lives"),
        ("look up where {who} lives",),
        ("find the town of {who}",),
        ("where {who} lives", "where does {who} live", "the town where {who} lives",
         "which town {who} lives in"),
    ),
    "birthday": Phrases(
        ("find when {who} was born", "look up the birthday of {who}",
         "read when {who} was born", "find on which date {who} was born"),
        ("look up when {who} was born",),
        ("find the birthday of {who}",),
        ("when {who} was born", "when was {who} born", "the birthday of {who}"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """How the parts of a question are strung together."""

    opening: str
    joint: str
    """Between two parts."""
    last_joint: str
    """Before the last part."""
    close: str = "."

    def fill(self, parts: tuple[str, ...]) -> str:
        """One text of the parts; sentences begin with a capital.

        >>> Frame("first ", ", then ", ". Finally ").fill(("a", "b", "c"))
        'First a, then b. Finally c.'
        """
        text = self.opening + parts[0]
        for i, part in enumerate(parts[1:], start=2):
            text += (self.last_joint if i == len(parts) else self.joint) + part
        text += self.close
        return text[0].upper() + text[1:]


SINGLE = (Frame("", "", ""), Frame("please ", "", ""))
"""The frames of a question of one part, common to all splits."""

FRAMES: dict[Split, tuple[Frame, ...]] = {
    "train": (
        Frame("", ", then ", ", then "),
        Frame("first ", ". Then ", ". Finally "),
        Frame("please ", ", then ", ". Finally "),
    ),
    "validation": (Frame("first ", ", then ", ", then ", ", please."),),
    "test": (
        Frame("", ". Then ", ". Then "),
        Frame("please first ", ", then ", ". Finally "),
    ),
}
"""The frames of questions of two and more parts."""
