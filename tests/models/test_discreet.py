from dataclasses import dataclass

from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.discreet import Discreet
from partbook.secret import Secret
from tests.fakes import Echo

KEY = "sk-0123456789abcdefghij"
ASK = [Message("user", "q")]


@dataclass
class Telltale:
    """Answers in these pieces, whole and streamed."""

    pieces: tuple[str, ...]

    async def chat(self, messages, sampling, on_text=None):
        if on_text is not None:
            for piece in self.pieces:
                on_text(piece)
        return Completion("".join(self.pieces), Usage(1, 1), f"m-{KEY}")


async def test_an_answer_that_holds_the_key_is_passed_on_without_it():
    answer = await Discreet(Telltale((f"It is {KEY}.",)), Secret(KEY)).chat(ASK, Sampling())

    assert answer == Completion("It is [key].", Usage(1, 1), "m-[key]")


async def test_the_pieces_of_a_stream_joined_are_the_text_without_the_key():
    heard: list[str] = []
    model = Discreet(Telltale(("It is sk-01234", "56789abcdefg", "hij, or sk-0", "1")), Secret(KEY))

    answer = await model.chat(ASK, Sampling(), heard.append)

    assert heard == ["It is ", "[key], or ", "sk-01"]
    assert answer.text == "It is [key], or sk-01"


async def test_an_ordinary_completion_is_passed_on_as_it_is():
    kept = Completion("4", Usage(1, 1), "m")

    class Same(Echo):
        async def chat(self, messages, sampling, on_text=None):
            return kept

    assert await Discreet(Same("a"), Secret(KEY)).chat(ASK, Sampling()) is kept
