import base64
import pickle
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.secret import Hider, Secret

KEY = "sk-Q7/x+2vB9k=Lm3&Zr8"  # 21 characters, some of which URLs and base64 spell otherwise
SPELLINGS = [
    KEY,
    quote(KEY, safe=""),
    quote(KEY),
    "sk-Q7%2fx%2b2vB9k%3dLm3%26Zr8",
    KEY.replace("/", "\\/"),
    base64.b64encode(KEY.encode()).decode(),
    base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
]


@pytest.mark.parametrize("shown", [repr, str, "{}".format, "{!r}".format, "%s".__mod__])
def test_a_key_is_never_shown_by_accident(shown):
    assert shown(Secret(KEY)) == "Secret([key])"


def test_a_key_cannot_be_written_anywhere():
    with pytest.raises(TypeError, match="not to be written"):
        pickle.dumps(Secret(KEY))


@pytest.mark.parametrize("key", ["", KEY + "\n", f"Bearer {KEY}", KEY + "–"])
def test_what_cannot_stand_in_a_header_is_refused_without_being_quoted(key):
    with pytest.raises(ConfigError) as raised:
        Secret(key)

    assert KEY not in str(raised.value)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_key_is_hidden_in_each_of_its_spellings(spelling):
    hidden = Secret(KEY).hide(f"You sent {spelling}, twice: {spelling}")

    assert hidden.replace("=", "") == "You sent [key], twice: [key]"


def test_a_placeholder_for_a_key_may_stand_in_an_answer_but_not_in_an_error():
    secret = Secret("ollama")

    assert secret.hide("Run ollama.") == "Run ollama."
    assert secret.hide_in_error("bad key ollama") == "bad key [key]"


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("length", [8, 12, 19])
def test_a_key_at_which_an_error_was_cut_is_hidden_as_far_as_it_goes(spelling, length):
    assert Secret(KEY).hide_in_error(f"bad key {spelling[:length]}…") == "bad key […".replace(
        "[", "[key]"
    )


def test_ordinary_text_is_the_same_object_as_before():
    text = "sk- is how keys begin"

    assert Secret(KEY).hide(text) is text


_PARTS = st.sampled_from([*SPELLINGS, KEY[:5], KEY[:-1], "s", "sk-", "plain text ", "[key]"])


@given(parts=st.lists(_PARTS, max_size=6), cuts=st.lists(st.integers(0, 200), max_size=12))
def test_however_a_text_is_cut_into_pieces_the_key_is_hidden_as_in_the_whole(parts, cuts):
    text, hider = "".join(parts), Hider(Secret(KEY))
    ends = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]

    pieces = [hider.feed(text[a:b]) for a, b in pairwise(ends)]
    shown = "".join(pieces) + hider.close()

    assert shown == Secret(KEY).hide(text)
    assert KEY not in shown
    assert not any(spelling.rstrip("=") in shown for spelling in SPELLINGS)


def test_ordinary_pieces_pass_at_once():
    hider = Hider(Secret(KEY))

    assert [hider.feed(piece) for piece in ["The sum", " is 4", "."]] == ["The sum", " is 4", "."]
