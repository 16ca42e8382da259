import json

import pytest

from partbook.errors import ConfigError
from partbook.tasks.catalogue import FAMILIES, load_task
from partbook.tasks.formats import reference_text, shown
from partbook.tasks.ground_truth import GroundTruth, ground_truth
from partbook.tasks.programs import Case, SourceTests
from tests.tasks.own_rows import OWN_ROWS, write_jsonl


def load(tmp_path, name, rows=None, split="all"):
    """A family's problems out of rows in its columns: all splits of one part, or those to test."""
    family = FAMILIES[name]
    one_part = len({share.part for share in family.splits.values()}) == 1
    splits = tuple(family.splits) if one_part else ("test",)
    path = write_jsonl(tmp_path / "mine.jsonl", OWN_ROWS[name] if rows is None else rows)
    return load_task(name, splits, data=path).split(split)


def one(tmp_path, name, **change):
    return load(tmp_path, name, [{**OWN_ROWS[name][0], **change}])[0]


def refusal(tmp_path, name, **change):
    with pytest.raises(ConfigError) as caught:
        one(tmp_path, name, **change)
    return str(caught.value)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_problem_knows_its_task_and_its_judge_and_shows_its_question(tmp_path, name):
    problem = load(tmp_path, name)[0]

    assert (problem.task, problem.judge) == (name, FAMILIES[name].judge)
    assert shown(problem).startswith(problem.question)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_file_of_other_columns_is_refused_with_every_row(tmp_path, name):
    with pytest.raises(ConfigError, match=r"lines 1, 2: column .* is missing"):
        load(tmp_path, name, [{"other": 1}, {"other": 2}])


@pytest.mark.parametrize("name", FAMILIES)
def test_a_revision_is_the_hash_of_a_commit(name):
    assert len(bytes.fromhex(FAMILIES[name].source.revision)) == 20


@pytest.mark.parametrize("name", ["math500", "aime25", "gsm8k", "mmlu", "gpqa", "rlpr"])
async def test_the_references_of_our_own_rows_pass_their_judges(tmp_path, name):
    problems = load(tmp_path, name)

    truth = await ground_truth(problems)

    assert truth == GroundTruth(len(problems), (), 0)


def test_math500_takes_level_and_subject(tmp_path):
    problem = one(tmp_path, "math500")

    assert (problem.id, problem.level) == ("ours/0.json", "1")
    assert problem.meta == {"subject": "Algebra"}


def test_aime_mends_lost_backslashes_and_leading_zeros(tmp_path):
    first, second = load(tmp_path, "aime25")

    assert (first.reference, second.reference) == ("20", "3")
    assert second.question == r"Find half of \frac{6}{1} in $\triangle ABC$."
    assert "0 to 999, found '1000'" in refusal(tmp_path, "aime25", answer="1000")
    assert "0 to 999, found '1/2'" in refusal(tmp_path, "aime26", answer="1/2")


def test_gsm8k_takes_the_number_after_the_mark(tmp_path):
    assert one(tmp_path, "gsm8k").reference == "3600"
    assert "must end in `#### `" in refusal(tmp_path, "gsm8k", answer="3600")


def test_mmlu_counts_from_0_and_leaves_rows_without_a_question_out(tmp_path):
    (problem,) = load(tmp_path, "mmlu")

    assert problem.reference == "B"
    assert shown(problem).startswith(
        "Which gas do plants take up from the air?\n\n"
        "A. Helium\nB. Carbon dioxide\nC. Argon\nD. Neon\n\nReason step by step"
    )
    assert one(tmp_path, "mmlu", answer="D").reference == "D"
    assert "must be 0 to 3, found 4" in refusal(tmp_path, "mmlu", answer=4)


def test_gpqa_orders_the_choices_by_the_record_and_the_same_every_time(tmp_path):
    problems = load(tmp_path, "gpqa")

    assert problems == load(tmp_path, "gpqa")
    assert len({problem.reference for problem in problems}) > 1
    for problem in problems:
        assert problem.choices["ABCD".index(problem.reference)] == "Mercury"
        assert sorted(problem.choices) == ["Mars", "Mercury", "Saturn", "Venus"]


def test_rlpr_keeps_short_answers_and_asks_what_the_user_asked(tmp_path):
    (problem,) = load(tmp_path, "rlpr")

    assert (problem.question, problem.reference) == ("What is the SI unit of force?", "newton")
    thirty = {"ground_truth": "x" * 30}
    assert one(tmp_path, "rlpr", reward_model=json.dumps(thirty)).reference == "x" * 30


def test_livecodebench_tells_programs_from_methods(tmp_path):
    program, method = load(tmp_path, "livecodebench")

    assert (program.format, method.format) == ("program", "method")
    assert program.tests.cases() == (Case("2", "4"), Case("5", "10"))
    assert method.tests.function == "total"
    assert "class Solution:\n    def total" in method.question
    assert "names no `func_name`" in refusal(tmp_path, "livecodebench", starter_code="class S: ...")
    assert "not JSON" in refusal(tmp_path, "livecodebench", public_test_cases="[")


@pytest.mark.parametrize(
    ("name", "style"), [("humaneval", "check"), ("bigcodebench", "unittest"), ("mbpp", "asserts")]
)
def test_a_reference_solution_and_its_tests_are_one_program(tmp_path, name, style):
    problem = load(tmp_path, name, split="test")[0]
    run = f"check({problem.tests.entry_point})" if style == "check" else ""
    space = {"__name__": "mine"}

    exec("\n".join([problem.tests.before, problem.reference, problem.tests.source, run]), space)

    assert problem.tests.style == style


def test_the_set_up_of_mbpp_runs_after_the_program(tmp_path):
    (problem,) = load_task(
        "mbpp", ("train",), data=write_jsonl(tmp_path / "mbpp.jsonl", OWN_ROWS["mbpp"])
    ).split("train")

    assert problem.id == "601"
    assert problem.tests == SourceTests("four = half(8)\nassert half(four) == 2")


def test_the_checked_part_of_mbpp_imports_before_the_program(tmp_path):
    problem = load(tmp_path, "mbpp-sanitized")[0]

    assert problem.tests == SourceTests("assert math.isclose(root(4), 2)", "import math")


def test_broken_tests_are_refused_with_their_row(tmp_path):
    assert "line 1: the tests are not Python" in refusal(tmp_path, "humaneval", test="def (")


def test_a_reference_program_is_shown_to_the_judge_as_a_block_of_code(tmp_path):
    problem = load(tmp_path, "mbpp", split="test")[0]

    assert reference_text(problem) == "```python\ndef double(x):\n    return 2 * x\n```"
