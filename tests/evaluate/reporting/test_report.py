"""The report in all its forms, from results made by hand."""

import csv
import io
import json
import re
from dataclasses import replace
from decimal import Decimal

import pytest

from partbook.evaluate.reporting.markup import Markup, join, tag
from partbook.evaluate.reporting.page import as_page
from partbook.evaluate.reporting.published import published_rows
from partbook.evaluate.reporting.report import as_csv, as_json, as_markdown
from partbook.evaluate.reporting.summary import summarise
from partbook.evaluate.running.protocol import Published
from tests.evaluate.found import found

MARKS = {"worker:a": ["--+-+-"], "worker:b": ["+-----"], "conductor": ["+++++-"]}
CONDUCTED = {"workers": ("a", "b"), "proposed": True, "valid": True}
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)"> & "quotes" \u202e'
PUBLISHED = [Published("GPT-5", "M500", 99.0, "a paper, Table 1", 1.5, "worker:a", "t")]


def summary(**settings):
    return summarise(found(MARKS, **(CONDUCTED | settings)))


def test_json_has_everything_as_numbers():
    data = json.loads(as_json(summary()))

    conductor = data["systems"][2]
    assert conductor["system"] == "conductor"
    assert conductor["accuracy"] == pytest.approx(5 / 6)
    assert conductor["valid"] == 1.0
    assert conductor["calls"] == 3.0
    assert conductor["usd"] == "0.01"
    assert data["rival"] == "worker:a"
    assert data["comparisons"][0]["other"] == "worker:a"


def test_csv_is_a_row_for_each_system_and_no_formula():
    results = found({"=cmd()": ["+"], "b": ["-"]})

    rows = list(csv.DictReader(io.StringIO(as_csv(summarise(results)))))

    assert [row["system"] for row in rows] == ["'=cmd()", "b"]
    assert [row["accuracy"] for row in rows] == ["1.0", "0.0"]


def test_markdown_escapes_what_it_would_obey():
    text = as_markdown(summarise(found({"a|b<i>*x*": ["+"], "c": ["-"]})))

    assert "| a\\|b&lt;i>\\*x\\* | 100.0 % |" in text
    assert "<i>" not in text


def test_published_figures_are_marked_and_beside_ours():
    text = as_markdown(summary(), PUBLISHED)

    assert "## Published and measured" in text
    assert "| GPT-5 | 99 ± 1.5 \\| 33.33 |" in text
    assert "99" not in text.split("## Published")[0]


def test_a_published_row_without_one_of_ours_has_a_dash():
    there = Published("Gemini", "M500", 96.0, "a paper")

    assert published_rows([there], summary())[1] == ("Gemini", "96 | –")


def test_the_page_is_whole_and_asks_nobody_for_anything():
    page = as_page(summary(), PUBLISHED)

    assert page.startswith("<!doctype html>")
    assert "Content-Security-Policy" in page
    assert not re.search(r"(?:src|href)\s*=|url\(|@import|https?://", page)
    assert "<script" not in page


@pytest.mark.parametrize("where", ["question", "answer"])
def test_what_a_model_or_a_data_set_says_is_text_on_the_page(where):
    if where == "question":
        results = found(MARKS, HOSTILE, **CONDUCTED)
    else:
        results = found(MARKS, **(CONDUCTED | {"said": HOSTILE}))

    page = as_page(summarise(results))

    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_names_of_systems_and_workers_are_text_on_the_page():
    marks = {"worker:<b>x": ["+-+-"], "conductor <i>": ["-++-"]}
    results = found(marks, workers=("<u>w", "b"), proposed=True, valid=True)

    page = as_page(summarise(results))

    assert not re.search(r"<b>x|<u>w|conductor <i>", page)
    assert "conductor &lt;i&gt;" in page


def test_the_page_shows_the_workflow_of_a_win():
    page = as_page(summary())

    assert "conductor is right, worker:a is wrong" in page
    assert "step 1" in page


@pytest.mark.parametrize("usd", [None, Decimal(0)])
def test_a_page_can_be_made_where_prices_are_unknown_or_all_is_free(usd):
    results = found(MARKS, **CONDUCTED)
    for key, cell in results.cells.items():
        results.cells[key] = replace(cell, spent=replace(cell.spent, cost_usd=usd))

    assert "tokens per problem" in as_page(summarise(results))


def test_a_page_can_be_made_of_one_system_and_one_problem():
    page = as_page(summarise(found({"worker:a": ["+"]})))

    assert "1 system on 1 problem of t" in page


def test_only_what_was_made_as_markup_is_taken_as_it_is():
    assert tag("p", "<b>", Markup("<i></i>"), class_='"x"') == (
        '<p class="&quot;x&quot;">&lt;b&gt;<i></i></p>'
    )
    assert join("&", tag("b")) == "&amp;<b></b>"
