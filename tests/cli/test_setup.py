import json
from decimal import Decimal
from pathlib import Path

import pytest

from partbook.budget import Limits
from partbook.cli.selecting import Selection
from partbook.cli.setup import Setup
from partbook.errors import ConfigError
from partbook.price import Price
from partbook.rounds import StopRule

ONE = '[[workers]]\nname = "one"\nkind = "calculator"\n'
TWO = '[[workers]]\nname = "two"\nkind = "python"\n'
TOP = 'name = "mine"\nworkflow = "single"\n'


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.toml"
    path.write_text(TOP + ONE + TWO)
    return path


def setup_of(pool: Path | str, **more) -> Setup:
    usual = {"workflow": None, "conductor": None, "limits": Limits(), "prices": None}
    return Setup.of(str(pool), **(usual | {"record": None, "replay": None} | more))


def test_what_is_written_is_read_back(pool, tmp_path):
    setup = setup_of(
        pool,
        workflow="chain",
        limits=Limits(Decimal("0.10"), 3, 9000, 1.5, Price(Decimal(5), Decimal(25))),
        selection=Selection(("two",), "local"),
        prices=tmp_path / "prices.toml",
        replay=tmp_path / "rec",
    )

    assert Setup.from_json(setup.to_json()) == setup


def test_rounds_are_kept_with_the_run(pool):
    pool.write_text(TOP + ONE + TWO + '[[workers]]\nname = "m"\nkind = "local"\nmodel = "x.gguf"\n')

    setup = setup_of(
        pool, conductor="m", limits=Limits(rounds=3), stop=StopRule("checker", "m"),
        selection=Selection(("one",)),
    )  # fmt: skip

    assert Setup.from_json(setup.to_json()) == setup
    assert [spec.name for spec in setup.config.workers] == ["two", "m"]


def test_a_run_of_an_earlier_version_has_one_round_and_everybody(pool):
    data = json.loads(setup_of(pool).to_json())
    del data["selection"], data["stop"], data["limits"]["rounds"]

    assert Setup.from_json(json.dumps(data)) == setup_of(pool)


def test_it_can_be_read_from_any_directory(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    setup = setup_of("pool.toml", record=Path("rec"))

    assert (setup.pool, setup.record) == (str(pool), tmp_path / "rec")
    assert setup_of("lab", workflow="single").pool == "lab"


def test_a_pool_that_says_the_same_in_other_words_is_unchanged(pool):
    setup = setup_of(pool)
    pool.write_text('about = "new"\n# a remark\n' + TOP + ONE + "max_concurrency = 8\n" + TWO)

    setup.check_unchanged()


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (TOP + ONE, "worker 'two' is gone;"),
        (TOP + ONE + TWO + ONE.replace("one", "three"), "worker 'three' is new;"),
        (TOP + ONE + 'card = "sums"\n' + TWO, "worker 'one' has changed;"),
        (TOP + TWO + ONE, "the workers stand in another order;"),
        (TOP + 'fallback = "chain"\n' + ONE + TWO, "what stands above the workers has changed;"),
        (TOP + TWO + 'card = "x"\n', "worker 'one' is gone, worker 'two' has changed;"),
    ],
)
def test_a_change_of_the_pool_is_named(pool, text, changes):
    setup = Setup.from_json(setup_of(pool).to_json())
    pool.write_text(text)

    with pytest.raises(ConfigError, match="is not what it was when the run began") as refused:
        setup.check_unchanged()

    assert changes in str(refused.value)


@pytest.mark.parametrize("text", ["null", "[]", "{}", '"x"', '{"setup":1}'])
def test_a_run_that_was_begun_otherwise_is_refused(text):
    with pytest.raises(ConfigError, match="was not begun by `partbook run`"):
        Setup.from_json(text)


def test_a_newer_one_is_refused(pool):
    newer = json.dumps(json.loads(setup_of(pool).to_json()) | {"setup": 2})

    with pytest.raises(ConfigError, match="begun by a newer Partbook"):
        Setup.from_json(newer)
