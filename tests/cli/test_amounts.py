from decimal import Decimal

import pytest

from partbook.cli.amounts import amount, number, pair, price_of_tokens, share, whole_numbers
from partbook.errors import ConfigError
from partbook.price import Price


def test_amounts_are_read_with_or_without_their_sign():
    assert amount("--usd", "$0.25") == amount("--usd", "0.25") == Decimal("0.25")
    assert amount("--usd", None) is None


@pytest.mark.parametrize("text", ["much", "", "nan", "-1", "inf", "1e12", "1e999999"])
def test_what_is_no_amount_that_can_be_computed_with_is_refused(text):
    with pytest.raises(ConfigError, match=r"--usd: an amount .* was expected, found"):
        amount("--usd", text)
    with pytest.raises(ConfigError, match="--n: a number of 0 or more was expected, found"):
        number("--n", text)


@pytest.mark.parametrize(("text", "part"), [("40%", "0.4"), (" 40 % ", "0.4"), ("0.4", "0.4")])
def test_a_share_may_be_in_per_cent(text, part):
    assert share("--fewer", text) == Decimal(part)


def test_one_number_stands_for_both_of_a_pair_only_where_it_may():
    assert pair("--p", "2/10", "seconds like 2/10") == (Decimal(2), Decimal(10))
    assert pair("--p", "2", "seconds like 2/10", may_be_one=True) == (Decimal(2), Decimal(2))
    with pytest.raises(ConfigError, match="--p: seconds like 2/10 were expected, found '2'"):
        pair("--p", "2", "seconds like 2/10")


def test_a_price_is_dollars_per_million_tokens_read_and_written():
    assert price_of_tokens("--price", "$1.25/10") == Price(Decimal("1.25"), Decimal(10))


def test_whole_numbers_are_taken_once_each():
    assert whole_numbers("--seeds", "0,2,0") == [0, 2]
    with pytest.raises(ConfigError, match="--seeds: expected numbers like 0,1,2; found 'a'"):
        whole_numbers("--seeds", "a")
