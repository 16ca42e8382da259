"""From a log of prompts to kinds of work, and the masks."""

import json
from decimal import Decimal

import pytest

from partbook.economy.audit import audit
from partbook.economy.mask import mask
from partbook.economy.prompts import Prompt, prompts_in
from partbook.errors import ConfigError


def read(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "log"
    path.write_bytes(text.encode(encoding))
    return list(prompts_in(path))


def test_the_prompt_is_what_the_user_said_last(tmp_path):
    chat = {
        "model": "m",
        "cost": 0.25,
        "messages": [
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "answer"},
            {"role": "user", "content": [{"type": "text", "text": "last"}]},
        ],
    }
    batch = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": chat}

    found = read(tmp_path, json.dumps(chat) + "\n" + json.dumps(batch) + '\n{"prompt": "p"}\n{}\n')

    assert found == [
        Prompt("last", "m", Decimal("0.25")),
        Prompt("last", "m", Decimal("0.25")),
        Prompt("p"),
    ]


def test_a_table_may_hold_prompts_in_korean(tmp_path):
    found = read(tmp_path, "질문;모델;비용\n검색해 주세요;m;0.5\n;m;1\n", "cp949")

    assert found == [Prompt("검색해 주세요", "m", Decimal("0.5"))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "line 1: a column prompt, question, input was expected, found 'a', 'b'"),
        ('{"prompt": "p", "cost": "much"}', "line 1, cost: a number was expected, found 'much'"),
        ("prompt,cost\np,much\n", "line 2: a number was expected"),
    ],
)
def test_a_log_that_cannot_be_read_is_told_so(tmp_path, text, said):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)

    assert said in str(caught.value)


def test_kinds_of_work_are_ranked_by_what_they_cost():
    found = audit(
        [
            Prompt("Search for x, then judge it.", cost_usd=Decimal(1)),
            Prompt("Extract a, analyse b, write c.", cost_usd=Decimal(2)),
            Prompt("Extract the figures, analyse them, write it up.", cost_usd=Decimal(3)),
            Prompt("Find y and decide.", cost_usd=None),
            Prompt("Hello", cost_usd=Decimal(9)),
        ]
    )

    first, second = found.candidates
    assert (found.prompts, found.several, found.known_usd, found.unknown_costs) == (5, 4, 15, 1)
    assert (first.name, first.prompts, first.known_usd) == ("extract → analyse → write", 2, 5)
    assert (first.calls_split, first.split_usd, first.workflow) == (6, 15, "extract-analyse-draft")
    assert first.example == "Extract a, analyse b, write c."
    assert (second.name, second.unknown_costs, second.workflow) == ("gather → judge", 1, "panel")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail kim@example.co.kr now", "mail [email] now"),
        ("call 010-1234-5678", "call [phone]"),
        ("call +82 (0)10 1234 5678", "call [phone]"),
        ("900101-1234567", "[person number]"),
        ("card 4111 1111 1111 1111", "card [card]"),
        ("from 192.168.0.1", "from [ip]"),
        ("sk-abcdefghijklmnopqrstuvwx", "[key]"),
        ("on 2026-10-31 we had 1,234,567 calls", "on 2026-10-31 we had 1,234,567 calls"),
    ],
)
def test_personal_data_of_a_form_of_its_own_is_masked(text, expected):
    assert mask(text) == expected


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("sep=;\r\nprompt;cost\r\nSearch it;0,5\r\n", "utf-8-sig"),
        ("Export of October\n\nprompt,cost\nSearch it,0.5\n", "utf-8"),
        ("질문\t비용\r\nSearch it\t0.5\r\n", "utf-16"),
        ("질문,비용,통화\nSearch it,500,KRW\n", "cp949"),
        ("prompt,cost_krw\nSearch it,500\n", "utf-8"),
    ],
)
def test_a_table_is_read_as_spreadsheets_write_it(tmp_path, text, encoding):
    path = tmp_path / "log.csv"
    path.write_bytes(text.encode(encoding))

    assert list(prompts_in(path, {"KRW": Decimal("0.001")})) == [
        Prompt("Search it", cost_usd=Decimal("0.5"))
    ]


def test_a_heading_may_be_longer_than_the_csv_module_reads_by_itself(tmp_path):
    found = read(tmp_path, f"{'x' * 200_000}\nprompt,{'y' * 200_000}\nSearch it,z\n")

    assert found == [Prompt("Search it")]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"prompt": "x", "cost": -1}, "line 1, cost: a cost of 0 or more"),
        ({"prompt": "x", "cost": "5 EUR"}, "the currency is EUR.*--rate EUR="),
        ({"prompt": "x", "cost": 5, "currency": "krw"}, "the currency is KRW"),
    ],
)
def test_a_cost_that_is_no_amount_of_dollars_is_refused(tmp_path, row, said):
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, json.dumps(row))
