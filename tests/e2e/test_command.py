"""The command as a user meets it: processes, real exit statuses, no traceback."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

QUESTION = "Count the vowels in the word castle."


def write_pool(folder: Path, *workers: str, top: str = 'workflow = "single"') -> str:
    path = folder / "pool.toml"
    path.write_text(f'name = "mine"\n{top}\n' + "".join(f"[[workers]]\n{w}\n" for w in workers))
    return str(path)


def http_worker(endpoint: str, more: str = "") -> str:
    return (
        f'name = "far"\nkind = "http"\nmodel = "m"\nendpoint = "{endpoint}"\n'
        f'roles = ["general"]\n{more}'
    )


def test_piped_it_prints_the_answer_and_nothing_else(partbook):
    done = partbook.run("run", "--pool", "lab", QUESTION)

    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "Here is what I found. Answer: 2\n",
        "",
    )


def test_the_question_may_come_from_standard_input_or_a_file(partbook, tmp_path):
    file = tmp_path / "question.txt"
    file.write_text(QUESTION)

    piped = partbook.run("run", "--pool", "lab", stdin=QUESTION)
    read = partbook.run("run", "--pool", "lab", "--file", str(file))

    assert piped.stdout == read.stdout == "Here is what I found. Answer: 2\n"


def test_show_prints_workflow_steps_and_answer(partbook):
    done = partbook.run("run", "--pool", "lab", "--show", QUESTION)

    assert done.returncode == 0
    for text in ("fixed workflow single", "0 ▸ Answer the question.", "gus", "tokens, $", "answer"):
        assert text in done.stdout


def test_a_run_is_kept_and_can_be_shown_again(partbook):
    made = json.loads(partbook.run("run", "--pool", "lab", "--json", QUESTION).stdout)

    listed = json.loads(partbook.run("runs", "--json").stdout)
    shown = json.loads(partbook.run("show", made["run_id"], "--json").stdout)

    assert [row["run_id"] for row in listed] == [made["run_id"]]
    assert shown == made
    assert shown["answer"] == "Here is what I found. Answer: 2"


def test_an_output_that_cannot_hold_the_letters_is_no_fault(partbook):
    asked = ("run", "--pool", "lab", "한국어로 답해라")

    plain = partbook.run(*asked, "--show", PYTHONIOENCODING="latin-1")
    data = subprocess.run(
        [sys.executable, "-m", "partbook", *asked, "--json"],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
    )

    assert (plain.returncode, data.returncode) == (0, 0)
    assert json.loads(data.stdout)["question"] == "한국어로 답해라"


def test_a_run_is_kept_though_nobody_reads_what_it_prints(partbook):
    reading, writing = os.pipe()
    os.close(reading)

    unread = subprocess.run(
        [sys.executable, "-u", "-m", "partbook", "run", "--pool", "lab", "--json", QUESTION],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)

    assert (unread.returncode, unread.stderr) == (1, b"")
    assert [row["status"] for row in json.loads(partbook.run("runs", "--json").stdout)] == [
        "answered"
    ]


def test_a_limit_that_stops_the_run_is_exit_status_1_and_keeps_the_best_answer(partbook):
    done = partbook.run("run", "--pool", "lab", "-w", "chain", "--max-calls", "1", QUESTION)

    assert done.returncode == 1
    assert done.stdout == "Here is what I found. Answer: 2\n"
    assert done.stderr == "stopped: the limit of 1 calls is reached\n"


def test_plan_calls_nobody_and_prints_the_workflow(partbook):
    done = partbook.run("plan", "--pool", "lab", "-w", "chain", "--json", QUESTION)

    planned = json.loads(done.stdout)

    assert done.returncode == 0
    assert [step["access"] for step in planned["steps"]] == [[], [0], [0, 1]]
    assert [planned["workers"][step["worker"]] for step in planned["steps"]] == [
        "gus",
        "val",
        "gus",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", ""], "a question was expected, the text is blank"),
        (["run", "--file", "nowhere.txt"], "cannot read nowhere.txt: No such file"),
        (["run", "q", "--file", "nowhere.txt"], "as an argument or with --file, not both"),
        (["run", "q", "--pool", "embeded"], "no pool 'embeded'; did you mean 'embedded'?"),
        (["run", "q", "--pool", "lab", "-w", "sinlge"], "did you mean 'single'?"),
        (["run", "q", "--pool", "lab", "-c", "gusto"], "or a model (ada, bo, cy"),
        (["run", "q", "-w", "single", "-c", "coder"], "exclude each other"),
        (["run", "q", "--pool", "lab", "--max-usd", "cheap"], "an amount like 0.25 was expected"),
        (["run", "q", "--pool", "lab", "--max-usd=-1"], "an amount of 0 or more was expected"),
        (["run", "q", "--pool", "frontier", "-w", "single"], "environment variable GEMINI_API_KEY"),
        (["run", "q", "--pool", "lab", "-w", "code-then-run"], "no worker with the name or role"),
        (["show", "nosuchrun"], "no run begins with 'nosuchrun'"),
    ],
)
def test_a_users_mistake_is_one_sentence_and_exit_status_2(partbook, arguments, message):
    done = partbook.run(*arguments, GEMINI_API_KEY="")

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_that_was_not_pulled_is_named_with_what_to_do(partbook, tmp_path):
    done = partbook.run("run", "q", PARTBOOK_CACHE=str(tmp_path))

    assert done.returncode == 2
    assert "partbook models pull qwen2.5-coder-0.5b" in done.stderr


def test_a_question_that_is_not_utf8_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "partbook", "run", "--pool", "lab"],
        input=b"caf\xe9",
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (
        2,
        b"error: standard input: UTF-8 was expected, byte 3 is not\n",
    )


def test_a_worker_that_cannot_be_reached_is_exit_status_1_and_says_why(partbook, tmp_path):
    pool = write_pool(tmp_path, http_worker("http://127.0.0.1:9/v1"))

    done = partbook.run("run", "--pool", pool, "q")

    assert done.returncode == 1
    assert done.stderr.startswith("failed: worker 'far': m at 127.0.0.1:9: no connection")


def test_a_limit_in_dollars_with_an_unknown_price_is_refused_before_any_call(partbook, tmp_path):
    pool = write_pool(tmp_path, http_worker("http://127.0.0.1:9/v1"))

    done = partbook.run("run", "--pool", pool, "--max-usd", "1", "q")

    assert done.returncode == 2
    assert "--max-usd needs the price of every worker; unknown: far;" in done.stderr


def test_a_store_that_cannot_be_written_is_said_before_anybody_is_called(
    partbook, tmp_path, slow_server
):
    pool = write_pool(tmp_path, http_worker(slow_server.url))

    done = partbook.run("run", "--pool", pool, "q", PARTBOOK_STORE=str(tmp_path))

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: the store {tmp_path}")
    assert not slow_server.asked.is_set()


def test_ctrl_c_says_what_was_kept_and_leaves_no_traceback(partbook, tmp_path, slow_server):
    pool = write_pool(tmp_path, http_worker(slow_server.url))
    running = subprocess.Popen(
        [sys.executable, "-m", "partbook", "run", "--pool", pool, "q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    slow_server.wait_until_asked()

    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    (kept,) = json.loads(partbook.run("runs", "--json").stdout)

    assert (running.returncode, out) == (130, "")
    assert err == (
        f"run {kept['run_id']} is kept as far as it came; `partbook resume {kept['run_id']}` "
        "goes on\n"
    )
    assert (kept["status"], kept["reason"]) == ("stopped", "interrupted")


def test_pool_check_tells_who_can_be_reached(partbook, tmp_path):
    pool = write_pool(
        tmp_path,
        'name = "sums"\nkind = "calculator"',
        http_worker("http://127.0.0.1:9/v1"),
    )

    done = partbook.run("pool", "check", pool, "--json")
    found = {row["worker"]: row for row in json.loads(done.stdout)}

    assert done.returncode == 1
    assert found["sums"]["reachable"] is True
    assert found["sums"]["price"] == "0 / 0"
    assert found["far"]["reachable"] is False
    assert found["far"]["price"] is None


@pytest.mark.parametrize("name", ["embedded", "embedded-large", "frontier", "open", "lab"])
def test_every_pool_can_be_shown(partbook, name):
    done = partbook.run("pool", "show", name)

    assert done.returncode == 0
    assert done.stdout.count("\n") >= 5


def test_help_is_quick():
    code = (
        "import resource, runpy, sys; sys.argv = ['partbook', '--help']\n"
        "try: runpy.run_module('partbook', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print('CPU', used.ru_utime + used.ru_stime)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert float(done.stdout.rsplit("CPU", 1)[1]) < 1.0  # 0.28 on an idle core; room for a busy one
