import pytest

from partbook.errors import ConfigError
from partbook.lab import lab_pool
from partbook.prompt import conductor_messages, prompt_style

POOL = lab_pool(0, ["cy", "ada"])


def test_a_bare_prompt_is_cards_and_question():
    (message,) = conductor_messages("Reverse the word plum.", POOL, 5, style="bare")

    assert message.text == "sorting, number bases (0)\nsums (1)\nQuestion: Reverse the word plum.\n"


def test_an_unknown_style_is_refused():
    with pytest.raises(ConfigError, match="paper, bare, cards; found 'short'"):
        prompt_style("short")
