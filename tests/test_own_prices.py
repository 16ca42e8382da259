from decimal import Decimal
from pathlib import Path

import pytest

from partbook.config import load_pool
from partbook.errors import ConfigError
from partbook.own_prices import OwnPrice, own_price_of, read_own_prices
from partbook.price import Price, Tier

FULL = """
[[prices]]
model = "my-*"
endpoint = "http://127.0.0.1:8000/v1"
input_usd = 1.25
output_usd = 10
cached_usd = 0.125
cache_write_usd = 1.5625
cache_write_1h_usd = 2.5
tiers = [{ above_tokens = 200000, input_usd = 2.5, output_usd = 15, cached_usd = 0.25 }]

[[prices]]
model = "gpt-5"
input_usd = 0.1
output_usd = 0.2
"""


def usd(*prices: str) -> list[Decimal]:
    return [Decimal(price) for price in prices]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_prices_are_read_exactly_as_they_stand_in_the_file(tmp_path):
    own = read_own_prices(write(tmp_path / "p.toml", FULL))

    long = Price(*usd("2.5", "15", "0.25"))
    first = Price(*usd("1.25", "10", "0.125", "1.5625", "2.5"), (Tier(200_000, long),))
    assert own == (
        OwnPrice("my-*", "http://127.0.0.1:8000/v1", first),
        OwnPrice("gpt-5", "", Price(*usd("0.1", "0.2"))),
    )


@pytest.mark.parametrize(
    ("model", "endpoint", "expected"),
    [
        ("my-model", "http://127.0.0.1:8000/v1", 0),
        ("my-model", "http://127.0.0.1:9000/v1", None),
        ("my", "http://127.0.0.1:8000/v1", None),
        ("gpt-5", "", 1),
        ("gpt-5", "https://api.openai.com/v1", 1),
        ("gpt-5-mini", "", None),
    ],
)
def test_the_first_entry_that_fits_counts(tmp_path, model, endpoint, expected):
    own = read_own_prices(write(tmp_path / "p.toml", FULL))

    found = own_price_of(own, model, endpoint)

    assert found == (None if expected is None else own[expected].price)


def test_the_environment_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTBOOK_PRICES", str(write(tmp_path / "p.toml", FULL)))

    assert len(read_own_prices()) == 2


def test_the_usual_file_need_not_be_there_but_counts_where_it_is(tmp_path, monkeypatch):
    monkeypatch.delenv("PARTBOOK_PRICES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert read_own_prices() == ()

    (tmp_path / "partbook").mkdir()
    write(tmp_path / "partbook" / "prices.toml", FULL)

    assert len(read_own_prices()) == 2


def test_a_folder_of_settings_that_cannot_be_reached_is_said(monkeypatch):
    monkeypatch.delenv("PARTBOOK_PRICES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/" + "x" * 300)

    with pytest.raises(ConfigError, match=r"cannot read .*prices\.toml: File name too long"):
        read_own_prices()


def test_a_home_of_nobody_leads_to_no_prices(monkeypatch):
    monkeypatch.setenv("PARTBOOK_PRICES", "~nobody-at-all/prices.toml")

    with pytest.raises(ConfigError, match="cannot read ~nobody-at-all"):
        read_own_prices()


def test_a_file_that_is_named_must_be_there(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*none\.toml"):
        read_own_prices(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[prices]]\nmodel = "m"\ninput_usd = 1', r"prices\[0\]: `output_usd` is missing"),
        (
            '[[prices]]\nmodel = "m"\ninput_usd = 1\noutput_usd = 1\ncache_usd = 1',
            r"unknown key `cache_usd`; did you mean `cached_usd`\?",
        ),
        (
            '[[prices]]\nmodel = "m"\ninput_usd = -1\noutput_usd = 1',
            r"prices\[0\]: a price of 0 or more was expected, found -1",
        ),
        (
            '[[prices]]\nmodel = "m"\ninput_usd = nan\noutput_usd = 1',
            r"prices\[0\]: a price of 0 or more was expected, found NaN",
        ),
        (
            '[[prices]]\nmodel = "m"\ninput_usd = "1"\noutput_usd = 1',
            r"prices\[0\]: `input_usd` must be a number, found '1'",
        ),
        (
            '[[prices]]\nmodel = "m"\ninput_usd = 1\noutput_usd = 1\n'
            "tiers = [{ above_tokens = 9, input_usd = 1 }]",
            r"prices\[0\]: tiers\[0\]: `output_usd` is missing",
        ),
        (
            '[[prices]]\nmodel = "m"\ninput_usd = 1\noutput_usd = 1\ntiers = [\n'
            "{ above_tokens = 9, input_usd = 1, output_usd = 1 },\n"
            "{ above_tokens = 8, input_usd = 1, output_usd = 1 }]",
            r"prices\[0\]: tiers must begin above ascending token counts, found \[9, 8\]",
        ),
        (
            '[[prices]]\nmodel = " "\ninput_usd = 1\noutput_usd = 1',
            r"prices\[0\]: `model` is blank",
        ),
        ("[[price]]", r"unknown key `price`; did you mean `prices`\?"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        read_own_prices(write(tmp_path / "p.toml", text))


def test_a_pool_file_s_price_may_have_tiers_and_prices_of_its_cache(tmp_path):
    pool = write(
        tmp_path / "pool.toml",
        """
        name = "p"
        [[workers]]
        name = "w"
        kind = "http"
        endpoint = "openai"
        model = "m"
        [workers.price]
        input_usd = 3
        output_usd = 15
        cache_write_usd = 3.75
        tiers = [{ above_tokens = 200000, input_usd = 6, output_usd = 22.5 }]
        """,
    )

    price = load_pool(str(pool)).workers[0].price

    assert price == Price(
        *usd("3", "15"),
        cache_write_usd=Decimal("3.75"),
        tiers=(Tier(200_000, Price(*usd("6", "22.5"))),),
    )
