import csv
import json

import pytest

from partbook.errors import ConfigError
from partbook.tasks.own import load_own, read_tests
from partbook.tasks.programs import Case, CaseTests, SourceTests
from tests.tasks.own_rows import write_jsonl


def load(tmp_path, rows, judge=None):
    return load_own(write_jsonl(tmp_path / "mine.jsonl", rows), judge)


def refusal(tmp_path, rows, judge=None):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, rows, judge)
    return str(caught.value)


def test_a_question_and_an_answer_are_enough(tmp_path):
    task = load(tmp_path, [{"question": "The capital of Peru?", "answer": "Lima"}])

    (problem,) = task.split("test")
    assert (problem.id, problem.task, problem.judge) == ("1", "mine", "short")
    assert (problem.question, problem.reference) == ("The capital of Peru?", "Lima")
    assert task.notes == ("judge: short (the default; for mathematics say --judge maths)",)


@pytest.mark.parametrize(
    ("row", "judge"),
    [
        ({"answer": "A", "choices": ["x", "y"]}, "choice"),
        ({"answer": "ab", "pattern": "a+b"}, "pattern"),
        ({"answer": "1/2", "judge": "maths"}, "maths"),
        ({"answer": "yes", "judge": "exact"}, "exact"),
    ],
)
def test_the_judge_is_named_or_follows_from_the_columns(tmp_path, row, judge):
    assert load(tmp_path, [{"question": "q", **row}]).judge == judge


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "B.", "Venus"])
def test_a_choice_is_named_by_its_letter_or_by_its_text(tmp_path, answer):
    task = load(tmp_path, [{"question": "q", "choices": ["Mars", "Venus"], "answer": answer}])

    assert task.split("test")[0].reference == "B"


def test_choices_in_a_csv_field_are_a_list_or_separated_by_bars(tmp_path):
    path = tmp_path / "mine.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "choices", "answer"])
        writer.writerow(["one", "Mars | Venus", "A"])
        writer.writerow(["two", '["Mars", "Venus | Earth"]', "B"])

    problems = load_own(path).split("test")

    assert [problem.choices for problem in problems] == [
        ("Mars", "Venus"),
        ("Mars", "Venus | Earth"),
    ]


def test_rows_go_into_the_splits_that_they_name(tmp_path):
    rows = [
        {"question": "a", "answer": "1", "split": "train"},
        {"question": "b", "answer": "2"},
        {"question": "c", "answer": "3", "split": "train"},
    ]

    task = load(tmp_path, rows)

    assert [problem.question for problem in task.split("train")] == ["a", "c"]
    assert [problem.question for problem in task.split("test")] == ["b"]
    assert len(task.split("all")) == 3


def test_columns_that_are_not_read_are_named(tmp_path):
    task = load(tmp_path, [{"question": "q", "answer": "a", "source": "me"}])

    assert task.notes[1] == "columns that are not read: source"


def test_all_wrong_rows_are_listed_by_reason_and_nothing_is_loaded(tmp_path):
    message = refusal(
        tmp_path,
        [
            {"question": "fine", "answer": "B", "choices": ["x", "y"], "id": "7"},
            {"question": "empty", "answer": " ", "choices": ["x", "y"]},
            {"question": "range", "answer": "C", "choices": ["x", "y"]},
            {"question": "twice", "answer": "A", "choices": ["x", "y"], "id": "7"},
            {"question": "", "answer": "A", "choices": ["x", "y"]},
            {"question": "also empty", "answer": "", "choices": ["x", "y"]},
            {"question": "same", "answer": "x", "choices": ["x", "x"]},
            {"question": "one", "answer": "A", "choices": ["x"]},
        ],
    )

    assert message == (
        f"{tmp_path}/mine.jsonl: 7 of 8 rows cannot be used, so none was:\n"
        "  lines 2, 6: `answer` is empty\n"
        "  line 3: `answer` 'C' is no letter A to B and no choice\n"
        "  line 4: the id '7' is already that of line 1\n"
        "  line 5: `question` is empty\n"
        "  line 7: `choices` holds the same choice twice\n"
        "  line 8: 2 to 10 choices were expected, found 1"
    )


def test_a_missing_column_is_told_once_with_the_nearest_name(tmp_path):
    message = refusal(tmp_path, [{"question": "q", "anwser": "a"}] * 40)

    assert message.splitlines()[1:] == [
        "  lines 1, 2, 3, 4, 5, 6, 7, 8 and 32 more: column `answer` is missing; "
        "did you mean `anwser`?"
    ]


def test_the_list_of_reasons_is_bounded(tmp_path):
    rows = [{"question": "q", "answer": f"no {i}", "choices": ["x", "y"]} for i in range(30)]

    lines = refusal(tmp_path, rows).splitlines()

    assert len(lines) == 22
    assert lines[-1] == "  and 10 more reasons"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"answer": "a", "split": "exam"}, "`split` must be one of"),
        ({"answer": ["a"]}, "`answer` must be text, found a list"),
        ({"answer": "..."}, "a short answer needs a reference with words"),
        ({"answer": "a", "pattern": "("}, "is no regular expression"),
        ({"answer": "x", "choices": "x"}, "2 to 10 choices were expected, found 1"),
        ({"answer": "A", "choices": ["x", "A"]}, "one choice's letter and another's text"),
        ({"answer": "a", "judge": "oracle"}, "no judge 'oracle' (named in the file)"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(tmp_path, row, reason):
    assert reason in refusal(tmp_path, [{"question": "q", **row}])


def test_rows_with_different_judges_are_refused(tmp_path):
    rows = [{"question": "q", "answer": "1", "judge": "maths"}, {"question": "r", "answer": "2"}]

    assert "found (none), maths" in refusal(tmp_path, rows)


def test_a_judge_that_is_no_name_is_told_with_its_row(tmp_path):
    rows = [{"question": "q", "answer": "1"}, {"question": "r", "answer": "2", "judge": ["maths"]}]

    assert refusal(tmp_path, rows).endswith("line 2: `judge` must be text, found a list")


def test_an_empty_file_has_no_problems(tmp_path):
    assert "there are no problems in it" in refusal(tmp_path, [])


@pytest.mark.parametrize(
    ("tests", "read"),
    [
        ("assert f(1) == 2", SourceTests("assert f(1) == 2")),
        (
            ["assert f(1) == 2", "assert f(2) == 3"],
            SourceTests("assert f(1) == 2\nassert f(2) == 3"),
        ),
        ('["assert f(1) == 2"]', SourceTests("assert f(1) == 2")),
    ],
)
def test_asserts_are_source_or_a_list(tests, read):
    assert read_tests({"tests": tests}) == read


def test_cases_belong_to_a_program_or_to_a_function():
    rows = [{"input": "1", "output": "2"}]

    program = read_tests({"tests": rows})
    function = read_tests({"tests": json.dumps(rows), "function": "f"})

    assert isinstance(program, CaseTests)
    assert program.cases() == function.cases() == (Case("1", "2"),)
    assert (program.function, function.function) == ("", "f")


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("assert f(1) ==", "the tests are not Python: invalid syntax (line 1)"),
        ("(" * 5_000, "the tests are not Python"),
        ("assert '\0'", "the tests are not Python"),
        ([{"input": "1"}], "test 0 must be an object with `input` and `output`, both text"),
        ('[{"input": ', "`tests` starts as a list but is not JSON"),
        ([1], "`tests` must be Python, a list of asserts, or a list of input and output"),
    ],
)
def test_tests_that_do_not_parse_are_refused(tests, reason):
    with pytest.raises(ConfigError) as caught:
        read_tests({"tests": tests})

    assert reason in str(caught.value)


def test_a_rubric_is_loaded_without_the_model_that_will_judge_by_it(tmp_path):
    row = {"question": "Write a greeting.", "rubric": "is polite"}

    task = load(tmp_path, [row, {**row, "answer": "Good morning!"}])

    assert task.judge == "rubric"
    assert [(one.rubric, one.reference) for one in task.split("test")] == [
        ("is polite", ""),
        ("is polite", "Good morning!"),
    ]


def test_a_rubric_that_is_missing_or_empty_is_refused(tmp_path):
    rows = [{"question": "q", "rubric": "is polite"}, {"question": "q", "rubric": ""}]

    assert refusal(tmp_path, rows).endswith("line 2: `rubric` is empty")
    assert "column `rubric` is missing" in refusal(tmp_path, [{"question": "q"}], "rubric")
