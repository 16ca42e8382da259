"""Which prompts ask for several stages. Figures on a log of 500: python bench/audit.py."""

import pytest

from partbook.economy.stages import stages_of


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Search for articles, judge them and write a note.", "gather → judge → write"),
        ("1. Collect the facts\n2. Compare the options\n3. Recommend one",
         "gather → analyse → judge"),
        ("Please find the clause, and then tell me what it means.", "gather → write"),
        ("You should classify each ticket and draft an answer.", "analyse → write"),
        ("Calculate the total; check it against the invoice.", "compute → check"),
        ("자료를 검색하고 믿을 만한 것을 골라 주세요.", "gather → judge"),
        ("수치를 추출한 뒤 추세를 분석해서 보고서를 작성해 주세요.", "extract → analyse → write"),
    ],
)  # fmt: skip
def test_stages_are_found_in_their_order(prompt, expected):
    stages = stages_of(prompt)

    assert stages.name == expected
    assert stages.several


@pytest.mark.parametrize(
    "prompt",
    [
        "Write a memo on how to search, compare and rank vendors.",
        "Write a function to parse and validate dates.",
        "Summarize the following text: the team will search, then decide.",
        'Translate to Korean: "First search for the file, then check it and write a report."',
        "The report is late. Write an apology.",
        "What is the capital of France?",
        "분석 보고서의 제목을 추천해 주세요.",
        "다음 문장을 번역해 주세요: 파일을 찾고, 확인한 뒤 보고서를 작성하라.",
        "",
    ],
)
def test_what_is_told_quoted_or_asked_is_no_stage(prompt):
    assert not stages_of(prompt).several


def test_a_long_prompt_is_read_in_time_that_does_not_matter():
    text = "Search for x. " + "and to, " * 100_000 + " Then write a report."

    assert stages_of(text).kinds[0] == "gather"
    assert stages_of(text).kinds[-1] == "write"
