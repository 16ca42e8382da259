import pytest

from partbook.tasks.judges.code_alike import same_value, unlike


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("3\n", "3", True),
        ("3", "3\n\n", True),
        ("  3  \n", "3\n", True),
        ("3\n4\n", "3\n4", True),
        ("3 4", "3\n4", False),
        ("3\n\n4", "3\n4", False),
        ("", "", True),
        ("", "0", False),
        ("0", "", False),
        ("YES", "yes", False),
        ("1000000007", "1000000008", False),
        ("123456789012345678901", "123456789012345678902", False),
        ("5.0", "5", True),
        ("5.0000001", "5", False),
        ("05", "5", False),
        ("-0", "0", False),
        ("5e0", "5", False),
        ("0.666667", "0.666666666667", True),
        ("0.66667", "0.666666666667", False),
        ("2", "2.0", True),
        ("1999999.0", "2000000.0", True),
        ("1999990.0", "2000000.0", False),
        ("1e-9", "0.0", True),
        ("nan", "0.5", False),
        ("inf", "1e400", False),
        ("1_0.5", "10.5", False),
        ("1  2.50", "1 2.5", True),
        ("Case #1: 0.33333333", "Case #1: 0.333333", True),
        ("Case #2: 0.333333", "Case #1: 0.333333", False),
        ("#  #", "# #", False),
        ("٣.5", "3.5", False),
    ],
)
def test_whole_numbers_are_exact_and_decimals_near(printed, expected, same):
    assert (unlike(printed, expected) is None) == same


@pytest.mark.parametrize(
    ("printed", "expected", "words"),
    [
        ("6", "5", "expected '5', printed '6'"),
        ("1\n6", "1\n5", "expected '5' in line 2, printed '6'"),
        ("", "5", "expected '5', printed nothing"),
        ("1", "1\n5", "expected '5', printed no more"),
        ("1\n2", "1", "expected 1 lines, and then came '2'"),
        ("x" * 1000, "5", f"expected '5', printed '{'x' * 37}...'"),
    ],
)
def test_the_first_difference_is_said_in_few_words(printed, expected, words):
    assert unlike(printed, expected) == words


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        (5, 5, True),
        (5.0, 5, True),
        (5.0000001, 5, False),
        (10**18, 10**18 + 1, False),
        (2.5000001, 2.5, True),
        (2.51, 2.5, False),
        (10**400, 1e308, False),
        (True, 1.0000001, False),
        (False, False, True),
        (None, None, True),
        (None, False, False),
        ("5", 5, False),
        ([1, [2.0000001]], [1, [2.5]], False),
        ([0.3333333333], [0.333333333333], True),
        ([1], [1, 2], False),
        ([], {}, False),
        ({"a": 0.1}, {"a": 0.1000000001}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        (float("nan"), 0.5, False),
    ],
)
def test_values_are_compared_by_the_type_of_the_expected_one(found, expected, same):
    assert same_value(found, expected) is same
