"""The page, the CSV and the JSON, in both languages."""

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from string import Formatter

import pytest

from partbook.economy.answer import answer_of
from partbook.economy.measured import measure
from partbook.economy.page import as_page
from partbook.economy.read import read_bill
from partbook.economy.sheet import as_csv, as_data
from partbook.economy.wishes import Overhead, Wishes
from partbook.economy.words_en import ENGLISH
from partbook.economy.words_ko import KOREAN
from tests.evaluate.found import found

BILLS = Path(__file__).parent.parent.parent / "examples" / "bills"
WISHES = Wishes(overhead=Overhead(gpu_usd_per_hour=Decimal("0.05")))


def answer(path: Path = BILLS / "plain.csv", *, measured: bool = False):
    made = found({"worker:a": ["+-+-"], "conductor": ["+++-"]}, usd="0.03", proposed=True,
                 valid=True)  # fmt: skip
    bill = read_bill([path])
    return answer_of(bill, WISHES, lambda model: None, measure(made) if measured else None)


def test_both_languages_say_the_same_things_with_the_same_names():
    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert {key: names(text) for key, text in ENGLISH.items()} == {
        key: names(text) for key, text in KOREAN.items()
    }


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("measured", [False, True])
def test_the_page_asks_nobody_for_anything(language, measured):
    page = as_page(answer(measured=measured), WISHES, language)

    assert not re.search(r"(?:src=|href=|url\(|@import|<script)", page)
    assert "default-src 'none'" in page
    assert f'<html lang="{language}">' in page
    assert "size: A4" in page
    assert "prefers-color-scheme: dark" in page


def test_the_page_says_what_is_spent_and_what_would_be():
    page = as_page(answer(measured=True), WISHES, "en")

    for text in ("$120.60", "$72.36", "The month, done as conductor does it", "$398.30",
                 "What to do in the next two weeks", "B × f − (C / k × K + G)"):  # fmt: skip
        assert text in page


def test_what_a_bill_calls_a_model_is_text_on_the_page(tmp_path):
    path = tmp_path / "bill.csv"
    path.write_text("month,model,cost\n2026-10,<script>alert(1)</script>,1\n")

    page = as_page(answer(path), WISHES, "ko")

    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_csv_has_every_figure_with_formula_inputs_and_range():
    rows = list(csv.DictReader(io.StringIO(as_csv(answer(measured=True), WISHES, "en"))))

    fewer = next(row for row in rows if row["key"] == "fewer.cost")
    assert fewer == {
        "key": "fewer.cost",
        "kind": "estimated",
        "figure": "The month with 40 % fewer calls",
        "value": "72.36",
        "unit": "USD",
        "low": "23.94",
        "high": "115.056",
        "range": "models",
        "formula": "B × (1 − f) + X + V",
        "inputs": "B = 120.6, X = 0, V = 0, f = 0.4",
        "unknown": "",
    }
    assert {row["kind"] for row in rows} == {"bill", "estimated", "measured"}


def test_no_cell_of_the_csv_is_a_formula_of_a_spreadsheet(tmp_path):
    path = tmp_path / "bill.csv"
    path.write_text("month,model,cost\n2026-10,=HYPERLINK(1),1\n")
    text = as_csv(answer(path), WISHES, "en")

    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]

    assert not [cell for cell in cells if re.match(r"[=+@\t]|-[^\d]", cell)]


def test_the_json_has_exact_numbers_as_texts():
    data = json.loads(json.dumps(as_data(answer(), WISHES, "ko")))

    by = {figure["key"]: figure for figure in data["figures"]}
    assert (data["month"], data["currency"]) == ("2026-10", "USD")
    assert by["spend"]["value"] == "120.6"
    assert by["fewer.net"]["inputs"]["G"] == "36.5"
    assert by["listed"]["value"] is None
    assert "정가가 없거나" in by["listed"]["unknown"]
    assert data["models"][0] == {
        "model": "gpt-5",
        "calls": 9000,
        "prompt_tokens": 21_600_000,
        "cached_tokens": 0,
        "completion_tokens": 5_400_000,
        "charges": "81",
        "credits": "0",
    }
