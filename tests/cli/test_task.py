import asyncio
import json

import pytest
from typer.testing import CliRunner

from partbook.cli.task import task_app
from partbook.errors import ConfigError
from tests.models.scripted_server import ScriptedServer, completion, reply


def run(*arguments):
    return CliRunner().invoke(task_app, [str(argument) for argument in arguments])


@pytest.fixture
def file(tmp_path):
    def write(*rows):
        path = tmp_path / "planets.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


ASKED = {
    "id": "year",
    "question": "Which planet has the shortest year?",
    "choices": ["Venus", "Mercury"],
    "answer": "Mercury",
    "level": "easy",
}


def test_the_list_names_the_papers_tasks_their_judges_and_the_generated_ones():
    output = run("list").output

    for name in ("math500", "mmlu", "rlpr", "livecodebench", "aime25", "bigcodebench", "gpqa"):
        assert f"\n{name} " in output
    assert "gym/NAME" in output


def test_a_sound_file_is_checked_and_its_problems_are_shown_as_a_worker_sees_them(file):
    path = file(ASKED)

    result = run("check", path)

    assert result.exit_code == 0
    assert result.output == (
        f"{path}: 1 test; every row can be used\n"
        "note: judge: choice (because of the column `choices`; another: --judge)\n"
        "ground truth: 1 of 1 references pass their judge (1.000)\n"
        "\n"
        "--- 1 of 1: id year, judge choice, level easy\n"
        "Which planet has the shortest year?\n"
        "\n"
        "A. Venus\n"
        "B. Mercury\n"
        "\n"
        "Reason step by step first, and keep it short. Then write the letter of the right choice, "
        "and nothing else, between <answer> and </answer>.\n"
        "--- reference: B\n"
    )


def test_a_reference_that_does_not_pass_stops_the_check_with_status_1(file):
    path = file(
        {"id": "good", "question": "Spell b twice.", "answer": "bb", "pattern": "b+"},
        {"id": "bad", "question": "Spell a twice.", "answer": "aa", "pattern": "b+"},
    )

    result = run("check", path)

    assert result.exit_code == 1
    assert result.output.splitlines()[2:] == [
        "ground truth: 1 of 2 references pass their judge (0.500)",
        "  bad: wrong: the text does not match 'b+'",
        "      reference: aa",
        "stopped: a judge that refuses the reference would make every score wrong",
    ]


def test_a_wrong_file_is_a_users_mistake(file):
    result = run("check", file({"question": "q", "answer": "D", "choices": ["x", "y"]}))

    assert isinstance(result.exception, ConfigError)
    assert "line 1: `answer` 'D' is no letter A to B and no choice" in str(result.exception)


def test_a_judge_can_be_named(file):
    result = run("check", file({"question": "q", "answer": "Yes."}), "--judge", "exact")

    assert "note: judge: exact (as asked)" in result.output
    assert "Reply with the answer alone" in result.output


def test_no_more_problems_are_shown_than_asked_for(file):
    rows = [{"question": f"number {i}?", "answer": str(i)} for i in range(9)]

    default, two = run("check", file(*rows)).output, run("check", file(*rows), "-n", "2").output

    assert (default.count("--- reference"), two.count("--- reference")) == (5, 2)


def test_show_takes_a_level_and_says_which_there_are(file):
    path = file(ASKED, {**ASKED, "id": "other", "level": "hard"})

    shown, refused = run("show", path, "--level", "hard"), run("show", path, "--level", "odd")

    assert "id other, judge choice, level hard" in shown.output
    assert "id year" not in shown.output
    assert "no problem of level 'odd'; levels: easy, hard" in str(refused.exception)


def test_what_a_file_says_cannot_steer_the_terminal(file):
    result = run(
        "check", file({"question": "\x1b[2Jq[red]x", "answer": "a", "id": "\x1b]0;t\x07i"})
    )

    assert "\x1b" not in result.output
    assert "q[red]x" in result.output


def test_an_encoding_can_be_named(tmp_path):
    path = tmp_path / "k.csv"
    path.write_bytes("question,answer\n수도는?,서울\n".encode("cp949"))

    unnamed, named = run("check", path), run("check", path, "--encoding", "cp949")

    assert "--encoding cp949" in str(unnamed.exception)
    assert "수도는?" in named.output


GREETING = {"question": "Write a greeting.", "rubric": "is polite", "answer": "Good morning!"}


def pool_file(folder, url):
    path = folder / "mine.toml"
    path.write_text(
        f'name = "mine"\nabout = "one judge"\n[[workers]]\nname = "critic"\nkind = "http"\n'
        f'model = "m"\nendpoint = "{url}"\ncard = "grades"\nroles = ["check"]\n'
    )
    return path


async def test_a_rubrics_references_are_judged_by_a_worker_and_its_model_is_named(file, tmp_path):
    right = reply(completion("It is.\nVERDICT: right"))
    async with ScriptedServer(right, right) as server:
        pool = pool_file(tmp_path, server.url)
        result = await asyncio.to_thread(
            run, "check", file(GREETING), "--grader", "check", "--pool", pool
        )

    assert result.exit_code == 0
    assert (
        "ground truth: 1 of 1 references pass their judge (1.000) (judged by a model: m-1)\n"
    ) in result.output


async def test_a_model_that_refuses_the_reference_stops_the_check_and_is_named(file, tmp_path):
    wrong = reply(completion("It is not.\nVERDICT: wrong"))
    async with ScriptedServer(wrong, wrong) as server:
        pool = pool_file(tmp_path, server.url)
        result = await asyncio.to_thread(
            run, "check", file(GREETING), "--grader", "critic", "--pool", pool
        )

    assert result.exit_code == 1
    assert "  1: wrong (judged by a model: m-1): both orders agree: It is not.\n" in result.output


def test_a_rubric_whose_references_nobody_can_judge_is_a_users_mistake(file):
    path = file(GREETING, GREETING)

    unnamed = run("check", path)
    tool = run("check", path, "--grader", "calculator")
    unknown = run("check", path, "--grader", "nobody")

    assert "--grader WORKER --pool POOL" in str(unnamed.exception)
    assert "worker 'calculator' is a tool" in str(tool.exception)
    assert "no worker with the name or role 'nobody'" in str(unknown.exception)


def test_a_rubric_without_references_needs_no_model_to_be_checked(file):
    result = run("check", file({"question": "Write a greeting.", "rubric": "is polite"}))

    assert result.exit_code == 0
    assert "not checked: 1 problems have no reference answer" in result.output
