"""Bills of every shape, in every encoding, and what is said of those that cannot be read."""

import codecs
import csv
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest

from partbook.economy.bill import total_of
from partbook.economy.read import Hints, read_bill
from partbook.errors import ConfigError

BILLS = Path(__file__).parent.parent.parent / "examples" / "bills"

PLAIN = "month,model,calls,prompt_tokens,completion_tokens,cost,currency\n"


def total(bill):
    """Calls, tokens read, tokens written, cost of all months."""
    whole = total_of(bill.of(bill.months))
    usage = whole.usage
    tokens = (None, None) if usage is None else (usage.prompt_tokens, usage.completion_tokens)
    return whole.calls, *tokens, whole.cost


def written(tmp_path: Path, text: str, name: str = "bill.csv", encoding: str = "utf-8") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def error(path: Path, **settings: object) -> str:
    with pytest.raises(ConfigError) as caught:
        read_bill([path], Hints(**settings))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "shape", "expected"),
    [
        ("openai-usage.csv", "OpenAI usage", (30780, 44_760_000, 9_990_000, None)),
        ("openai-costs.csv", "OpenAI costs", (None, 44_760_000, 9_990_000, "91.855")),
        ("openai-usage.json", "OpenAI usage", (30780, 44_760_000, 9_990_000, None)),
        ("openai-costs.json", "OpenAI costs", (None, None, None, "89.355")),
        ("anthropic-usage.csv", "Anthropic usage", (None, 8_190_000, 975_000, None)),
        ("anthropic-costs.csv", "Anthropic costs", (None, None, None, "25.99")),
        ("anthropic-usage.json", "Anthropic usage API", (None, 8_190_000, 975_000, None)),
        ("anthropic-costs.json", "Anthropic cost API", (None, None, None, "24.795")),
        ("google-reports.csv", "Google Cloud billing", (None, 12_750_000, 2_550_000, "11.6")),
        ("google-cost-table.csv", "Google Cloud billing", (None, 24_000_000, 4_100_000, "95360")),
        (
            "openrouter-activity.csv",
            "OpenRouter activity, by request",
            (24, 46_212, 10_236, "0.155457"),
        ),
        (
            "openrouter-days.csv",
            "OpenRouter activity, by day",
            (9045, 16_605_000, 3_330_000, "53.26875"),
        ),
        (
            "openrouter-activity.json",
            "OpenRouter activity, by day",
            (9045, 16_605_000, 3_330_000, "53.26875"),
        ),
        ("litellm-spend.jsonl", "LiteLLM spend logs", (24, 34_596, 8244, "0.033465")),
        ("litellm-spend.csv", "LiteLLM spend logs", (24, 34_596, 8244, "0.033465")),
        ("plain.csv", "table", (42_200, 83_100_000, 20_100_000, "315.13")),
        ("plain-ko-cp949.csv", "table", (42_200, 83_100_000, 20_100_000, "315.13")),
        ("plain-excel.csv", "table", (42_200, 83_100_000, 20_100_000, "315.13")),
    ],
)
def test_each_sample_bill_has_these_sums(name, shape, expected):
    bill = read_bill([BILLS / name])

    cost = None if expected[3] is None else Decimal(expected[3])
    assert total(bill) == (*expected[:3], cost)
    assert bill.sources == [f"{name} ({shape})"]


def test_cached_tokens_are_part_of_those_that_were_read():
    cells = read_bill([BILLS / "anthropic-usage.csv"]).of(["2026-10"])

    usage = cells[0].usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.cache_write_tokens) == (
        8_190_000,
        5_400_000,
        240_000,
    )


def test_what_a_usage_export_tells_is_joined_with_what_it_cost():
    bill = read_bill([BILLS / "openai-costs.csv", BILLS / "openai-usage.csv"])

    assert total(bill) == (30_780, 44_760_000, 9_990_000, Decimal("91.855"))
    assert "twice" not in [note.key for note in bill.notes]


def test_a_model_is_one_however_its_provider_spells_it():
    bill = read_bill([BILLS / "anthropic-costs.csv", BILLS / "anthropic-usage.csv"])

    assert [cell.name for cell in bill.of(bill.months) if cell.name] == [
        "claude-sonnet-4-5-20250929"
    ]


def test_the_same_costs_in_two_files_are_noted():
    bill = read_bill([BILLS / "plain.csv", BILLS / "plain-ko-cp949.csv"])

    assert [note.key for note in bill.notes if note.key == "twice"] == ["twice"]


def test_charges_without_a_model_stand_apart():
    cells = {cell.name: cell.charges for cell in read_bill([BILLS / "openai-costs.csv"]).of(
        ["2026-10"])}  # fmt: skip

    assert cells[""] == Decimal("2.50")


def test_a_credit_is_not_a_charge_below_0():
    cells = read_bill([BILLS / "google-cost-table.csv"]).of(["2026-10"])

    assert (cells[0].name, cells[0].charges, cells[0].credits) == (
        "gemini-2.5-pro",
        Decimal(98_690),
        Decimal(-12_000),
    )


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16", b""), ("utf-16-le", b""),
     ("utf-16-be", codecs.BOM_UTF16_BE), ("cp949", b"")],
)  # fmt: skip
def test_a_bill_is_read_in_any_encoding(tmp_path, encoding, mark):
    text = "월,모델,호출 수,입력 토큰,출력 토큰,비용\n2026-10,우리 모델,3,10,20,1.5\n"
    path = tmp_path / "bill.csv"
    path.write_bytes(mark + text.encode(encoding))

    cells = read_bill([path]).of(["2026-10"])

    assert (cells[0].name, cells[0].calls, cells[0].charges) == ("우리 모델", 3, Decimal("1.5"))


def test_korean_text_that_comes_late_is_read_too(tmp_path):
    head = PLAIN.replace("currency", "note")
    rows = f"2026-10,m,1,1,1,1,{'x' * 1000}\n" * 1100
    path = written(tmp_path, head + rows + "2026-10,모델,1,1,1,1,\n", encoding="cp949")

    assert [cell.name for cell in read_bill([path]).of(["2026-10"])] == ["m", "모델"]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_columns_may_stand_between_any_of_these(tmp_path, delimiter):
    text = (PLAIN + "2026-10,m,1,2,3,0.5,USD\n").replace(",", delimiter)

    assert total(read_bill([written(tmp_path, text)])) == (1, 2, 3, Decimal("0.5"))


def test_a_spreadsheet_may_say_its_delimiter_first(tmp_path):
    text = "sep=;\n" + (PLAIN + "2026-10,m,1,2,3,X,USD\n").replace(",", ";").replace("X", "1,50")

    assert total(read_bill([written(tmp_path, text)])) == (1, 2, 3, Decimal("1.50"))


def test_a_column_can_be_named(tmp_path):
    path = written(tmp_path, "Monat,Modell,Kosten\n2026-10,m,2.5\n")

    bill = read_bill([path], Hints(columns={"model": "Modell", "cost": "Kosten", "date": "Monat"}))

    assert total(bill) == (None, None, None, Decimal("2.5"))


def test_a_bill_without_dates_is_of_the_month_that_is_said(tmp_path):
    path = written(tmp_path, "model,cost\nm,2.5\n")

    assert read_bill([path], Hints(month="2026-10")).months == ["2026-10"]
    assert error(path).endswith("bill.csv, line 1: no column for the date; say which month the "
                                "bill is of: --month 2026-10")  # fmt: skip


def test_an_unknown_table_says_its_columns_and_what_is_missing(tmp_path):
    assert error(written(tmp_path, "a,b,c\n1,2,3\n")).endswith(
        "line 1: no known bill has the columns 'a', 'b', 'c'; a table of one's own needs a column "
        "for the model; say what a column is with --column, as --column model=NAME --column "
        "cost=NAME"
    )
    assert "for LiteLLM spend logs it lacks starttime" in error(
        written(tmp_path, "request_id,spend\n1,2\n")
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-10,m,1,2,3,much,USD", "line 3, column 'cost': a number was expected, found 'much'"),
        ("2026-10,m,-1,2,3,1,USD", "line 3, column 'calls': a number of 0 or more was expected; "
         "only costs can be credits, found '-1'"),
        ("2026-10,m,1,2.5,3,1,USD", "line 3, column 'prompt_tokens': a whole number was expected, "
         "found '2.5'"),
        (",m,1,2,3,1,USD", "line 3, column 'month': a date was expected, as 2026-10-31, or a "
         "month, as 2026-10, found ''"),
        ("2026-10,m,1,2,3,1,EUR", "line 3: the currency is EUR, and USD in line 2; a bill has one "
         "currency, or say what one EUR is worth in dollars: --rate EUR=..."),
    ],
)  # fmt: skip
def test_a_bad_cell_is_named_with_line_and_column(tmp_path, row, said):
    path = written(tmp_path, PLAIN + "2026-10,m,1,2,3,1,USD\n" + row + "\n")

    assert error(path) == f"{path}, {said}"


def test_several_currencies_become_dollars_at_given_rates(tmp_path):
    path = written(tmp_path, PLAIN + "2026-10,m,1,2,3,1,USD\n2026-10,m,1,2,3,1000,KRW\n")

    bill = read_bill([path], Hints(rates={"KRW": Decimal("0.00072")}))

    assert (bill.currency, total(bill)[3]) == ("USD", Decimal("1.72"))


def test_files_of_several_currencies_are_refused(tmp_path):
    other = written(tmp_path, PLAIN + "2026-10,m,1,2,3,1000,KRW\n")

    with pytest.raises(ConfigError, match="its money is KRW, that of the files before is USD"):
        read_bill([BILLS / "plain.csv", other])


def test_an_unknown_cost_is_counted_and_never_0(tmp_path):
    path = written(tmp_path, PLAIN + "2026-10,m,1,2,3,1,USD\n2026-10,m,1,2,3,,USD\n")

    cell = read_bill([path]).of(["2026-10"])[0]

    assert (cell.charges, cell.blank_cost) == (Decimal(1), 1)


def test_a_cost_of_0_for_tokens_is_noted():
    notes = {note.key: note.values for note in read_bill([BILLS / "litellm-spend.csv"]).notes}

    assert notes["free rows"]["count"] == "8"


def test_columns_of_ones_own_that_are_not_read_are_noted():
    notes = {note.key: note.values for note in read_bill([BILLS / "plain-ko-cp949.csv"]).notes}

    assert notes["unused"]["columns"] == "부서"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04rest", "is an Excel workbook or a ZIP file; save it as CSV, or unpack it"),
        (b"%PDF-1.7", "is a PDF file; export the usage as CSV instead"),
        (PLAIN.encode() + b"2026-10,\xff\xff\xff,1,1,1,1,USD\n", "line 2: this is text of none of"),
        (PLAIN.encode() + b'2026-10,"m,1,1,1,1,USD\n', "is a quotation mark not closed"),
        (PLAIN.encode() + b"2026-10,m,1,1\n", "line 2, column 'completion_tokens': a cell was"),
        (PLAIN.encode(), "has no row with a model, tokens or a cost"),
        (b'{"data": [{"x": 1}]}', "line 1, column '(keys)': an object of a known usage or cost"),
        (b'{"data": [', "line 1: this is no JSON: Expecting value"),
        (b'{"month":\n\n "x" y}', "line 3: this is no JSON: Expecting ',' delimiter"),
        (
            b'[{"model": "m", "cost": 1, "month": "2026-10"} nonsense',
            "an object or the end of the list was expected",
        ),
        (b"{nonsense}", "line 1: this is no JSON: Expecting property name"),
    ],
)
def test_a_file_that_is_no_bill_is_told_so(tmp_path, data, said):
    path = tmp_path / "bill"
    path.write_bytes(data)

    assert said in error(path)


def test_a_missing_file_is_told_so(tmp_path):
    assert error(tmp_path / "none.csv").endswith("none.csv: No such file or directory")


def test_a_name_holds_nothing_that_a_terminal_would_obey(tmp_path):
    path = written(tmp_path, PLAIN + '2026-10,"m\x1b[2J\nx",1,2,3,1,USD\n')

    assert [cell.name for cell in read_bill([path]).of(["2026-10"])] == ["m [2J x"]


def test_a_line_before_the_heading_may_be_longer_than_the_csv_module_reads_by_itself(tmp_path):
    path = written(tmp_path, "x" * 200_000 + "\n" + PLAIN + "2026-10,m,1,2,3,0.5,USD\n")

    assert total(read_bill([path])) == (1, 2, 3, Decimal("0.5"))


def test_a_column_of_ids_is_not_one_of_models(tmp_path):
    rows = "".join(f"2026-10,m{i},1,2,3,1,USD\n" for i in range(20_001))

    assert "line 20002: more than 20000 different months and models" in error(
        written(tmp_path, PLAIN + rows)
    )


def test_a_line_without_an_end_does_not_fill_memory(tmp_path):
    assert "line 1 has no end within 16,000,000 characters" in error(
        written(tmp_path, "a" * 16_000_001)
    )


def test_the_field_limit_of_the_process_is_left_as_it_was():
    before = csv.field_size_limit()

    read_bill([BILLS / "plain.csv"])

    assert csv.field_size_limit() == before


@pytest.mark.parametrize("form", ["csv", "jsonl", "array"])
def test_a_long_bill_takes_no_more_memory_than_a_short_one(tmp_path, form):
    """8 MB of rows; the whole file in memory would be at least that."""
    path = tmp_path / "bill"
    one = (
        '{"request_id": "r", "spend": 0.001, "startTime": "2026-10-01T00:00:00Z", "model": "m", '
        f'"prompt_tokens": 1, "completion_tokens": 2, "metadata": {{"a": "{"x" * 1000}"}}}}'
    )
    row = f'r,0.001,2026-10-01T00:00:00Z,m,1,2,"{"x" * 1000}"'
    head = "request_id,spend,startTime,model,prompt_tokens,completion_tokens,metadata\n"
    text = {
        "csv": head + f"{row}\n" * 7500,
        "jsonl": f"{one}\n" * 7500,
        "array": "[" + ",".join([one] * 7500) + "]",
    }[form]
    path.write_text(text)
    del text

    tracemalloc.start()
    bill = read_bill([path])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert total(bill) == (7500, 7500, 15_000, Decimal("7.5"))
    assert peak < 5_000_000
