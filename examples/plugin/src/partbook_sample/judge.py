"""A judge: whether the last number of a text is the right count, in digits or as a word."""

import re
from collections.abc import Mapping

from partbook.plugin_api import ConfigError, JudgePlugin, Verdict

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(r"\d{1,9}|" + "|".join(_WORDS), re.IGNORECASE)


class CountJudge:
    """Judges answers to one problem."""

    def __init__(self, reference: int) -> None:
        self.reference = reference

    async def judge(self, text: str) -> Verdict:
        """Right, wrong, and what was read."""
        found = _NUMBER.findall(text[-10_000:])
        if not found:
            return Verdict("wrong", None, "there is no number in it")
        count = _value(found[-1])
        outcome = "right" if count == self.reference else "wrong"
        return Verdict(outcome, str(count), f"{self.reference} was expected, found {count}")


def made(fields: Mapping[str, object]) -> CountJudge:
    """From a problem's fields to its judge; a reference that is no number is refused here."""
    reference = str(fields.get("reference", ""))
    if not _NUMBER.fullmatch(reference):
        raise ConfigError(f"a count was expected as the reference, found {reference!r}")
    return CountJudge(_value(reference))


def _value(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS.index(text.lower())


PLUGIN = JudgePlugin(
    api=1,
    about="the last number, in digits or as a word",
    make=made,
    fields=("reference",),
    format="integer",
)
