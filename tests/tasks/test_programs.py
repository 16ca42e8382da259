import base64
import json
import pickle
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.errors import ConfigError
from partbook.tasks.programs import Case, CaseTests, SourceTests, pack_cases

CASES = [{"input": "1\n", "output": "2", "testtype": "stdin"}]


def packed(value):
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


class Harmful:
    def __reduce__(self):
        return print, ("run",)


@given(st.lists(st.builds(Case, st.text(), st.text()), min_size=1, max_size=4))
def test_cases_survive_packing(cases):
    assert pack_cases(cases).cases() == tuple(cases)


def test_hidden_cases_are_read_plain_and_packed_and_stand_after_the_public_ones():
    public = json.dumps([{"input": "0", "output": "0"}])

    plain = CaseTests(public, json.dumps(CASES)).cases()
    hidden = CaseTests(public, packed(json.dumps(CASES))).cases()

    assert plain == hidden == (Case("0", "0"), Case("1\n", "2"))


def test_a_pickle_that_names_code_is_refused_and_does_not_run(capfd):
    with pytest.raises(ConfigError, match="must unpack to text, found the code"):
        CaseTests(packed(Harmful())).cases()

    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("[]", "the tests are empty"),
        ("nonsense!", "cannot be unpacked"),
        (base64.b64encode(b"no zip").decode(), "cannot be unpacked"),
        (packed(json.dumps(CASES))[:40], "cut short|cannot be unpacked"),
        (packed(["a list"]), "must unpack to text, found the code EMPTY_LIST"),
        (packed('{"input": 1}'), "must be a list of cases, found dict"),
        ('[{"input": 1, "output": "x"}]', "test 0 must be an object"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_tests_that_are_none_are_refused(tests, reason):
    with pytest.raises(ConfigError, match=reason):
        CaseTests(tests).cases()


@given(st.binary(max_size=40))
def test_no_pickle_makes_the_reader_raise_anything_but_a_users_mistake(data):
    tests = CaseTests(base64.b64encode(zlib.compress(data)).decode())

    with pytest.raises(ConfigError):
        tests.cases()


def test_source_must_parse_and_an_odd_escape_in_it_does_no_harm():
    SourceTests(r"assert f('\d')")

    with pytest.raises(ConfigError, match=r"the tests are not Python: .* \(line 2\)"):
        SourceTests("x = 1\nassert f(")
    with pytest.raises(ConfigError, match="the tests are blank"):
        SourceTests(" ")
