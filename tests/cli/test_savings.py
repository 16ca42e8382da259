"""The command, as a team lead types it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from partbook.cli.savings import savings_command
from partbook.errors import ConfigError
from partbook.store import Store
from tests.traces import a_trace

BILLS = Path(__file__).parent.parent.parent / "examples" / "bills"

app = typer.Typer()
app.command("savings")(savings_command)


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})
    if result.exception is not None:
        raise result.exception
    return result.stdout


def figures(*arguments: str) -> dict[str, dict[str, str]]:
    return {one["key"]: one for one in json.loads(output(*arguments, "--json"))["figures"]}


def test_the_plain_example_is_one_command():
    """40 % fewer calls, from last month's bill: $120.60 becomes $72.36."""
    text = output(str(BILLS / "plain.csv"))

    assert "$120.60" in text
    assert "$72.36" in text
    assert "orchestration can cost more than one call" in " ".join(text.split())


def test_it_speaks_korean():
    text = output(str(BILLS / "plain-ko-cp949.csv"), "--lang", "ko")

    assert "호출이 40 % 줄어든 경우의 한 달" in text


@pytest.mark.parametrize("path", sorted(BILLS.glob("*.*")), ids=lambda path: path.name)
def test_every_sample_bill_has_an_answer(path):
    if path.suffix == ".md":
        return
    assert figures(str(path))["fewer.cost"]["value"]


@pytest.mark.parametrize("share", ["20%", "0.2"])
def test_a_share_may_be_in_per_cent(share):
    assert figures(str(BILLS / "plain.csv"), "--fewer", share)["fewer.cost"]["value"] == "96.48"


def test_a_pool_is_priced_by_its_workers(tmp_path):
    pool = tmp_path / "pool.toml"
    pool.write_text(
        'name = "mine"\n'
        '[[workers]]\nname = "w"\nkind = "http"\nendpoint = "http://127.0.0.1:1/v1"\n'
        'model = "x"\nprice = { input_usd = 0.25, output_usd = 2 }\n'
        '[[workers]]\nname = "here"\nkind = "local"\nmodel = "smollm2-135m"\n'
    )
    found = json.loads(output(str(BILLS / "plain.csv"), "--pool", str(pool), "--json"))

    priced = {
        one["about"]["worker"]: one["value"]
        for one in found["figures"]
        if one["key"] == "pool.worker"
    }
    assert priced == {"w": "26.88", "here": None}


def test_the_conductor_is_paid():
    found = figures(
        str(BILLS / "plain.csv"), "--conductor-price", "0.25/2", "--conductor-tokens", "1500/300",
    )  # fmt: skip

    assert found["fewer.net"]["value"] == "43.7355"


def test_the_runs_that_are_kept_are_a_bill(tmp_path):
    with pytest.raises(ConfigError, match="the store has no run with a call"):
        output("--store")
    with Store.open(tmp_path / "runs.db") as store:
        store.save(a_trace())

    found = json.loads(output("--store", "--json"))

    assert found["sources"] == ["store"]
    assert found["month"] == "2025-11"
    assert sum(model["calls"] for model in found["models"]) > 0


def test_a_file_that_cannot_be_read_ends_with_status_2(tmp_path):
    bill = tmp_path / "bill.csv"
    bill.write_text("month,model,cost\n2026-10,m,1\n2026-10,m,much\n")

    done = subprocess.run(
        [sys.executable, "-m", "partbook", "savings", str(bill)], capture_output=True, text=True
    )

    said = f"error: {bill}, line 3, column 'cost': a number was expected, found 'much'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_the_page_is_written(tmp_path):
    page = tmp_path / "savings.html"

    output(str(BILLS / "plain.csv"), "--html", str(page), "--csv")

    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "which bill"),
        (["--csv", "--json"], "give one of them"),
        (["--system", "x"], "are for --measured"),
        (["--fewer", "most"], "--fewer: a number of 0 or more was expected, found 'most'"),
        (["--conductor-price", "1/2"], "belong together"),
        (["--conductor-price", "1", "--conductor-tokens", "1/2"], "read/written like 5/25 were"),
        (["--column", "price=X"], "'price' is none of date, model"),
        (["--column", "model"], "something like model=Modell was expected"),
        (["--rate", "KRW=x"], "--rate: a number"),
        (["--month", "soon"], "--month: a date was expected"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, said):
    bill = [] if said == "which bill" else [str(BILLS / "plain.csv")]

    with pytest.raises(ConfigError, match=said.replace("(", r"\(")):
        output(*bill, *arguments)
