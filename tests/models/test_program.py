from dataclasses import dataclass, field

import pytest

from partbook.errors import ConfigError, WorkerError
from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.program import PythonRunner
from partbook.models.program_text import find_program, with_result_printed
from partbook.sandbox import SandboxLimits, SandboxResult, run_program


@dataclass
class ScriptedRun:
    """Runs nothing; answers as told and keeps the programs."""

    results: list[SandboxResult]
    programs: list[str] = field(default_factory=list)

    async def __call__(self, source: str) -> SandboxResult:
        self.programs.append(source)
        return self.results.pop(0)


def printed(text: str) -> SandboxResult:
    return SandboxResult(0, text, "", None, 0.1)


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str) -> Message:
    return Message("assistant", text)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("```python\nprint(1)\n```", "print(1)\n"),
        ("Wrong:\n```python\nprint(1)\n```\nBetter:\n```python\nprint(2)\n```\n", "print(2)\n"),
        ("```python\nprint(1)\n```\nIt prints:\n```\n1\n```", "print(1)\n"),
        ("```python\nprint(1)\n```\nor in a shell:\n```bash\nls\n```", "print(1)\n"),
        ("```python\nprint(1)\n```\n```python\nprint(\n```", "print(1)\n"),
        ("```\nx = 1\nprint(x)\n```", "x = 1\nprint(x)\n"),
        ("1. Do this:\n   ```py\n   if True:\n       print(1)\n   ```", "if True:\n    print(1)\n"),
        ("~~~python\nprint('```')\n~~~", "print('```')\n"),
        ("````python\nprint('''\n```\n''')\n````", "print('''\n```\n''')\n"),
        ("```python\r\nprint(1)\r\n```", "print(1)\n"),
        ("Here:\n```python\ndef inc(x):\n    return x + 1\n", "def inc(x):\n    return x + 1\n\n"),
        ("def double(x):\n    return 2 * x\n```", "def double(x):\n    return 2 * x"),
        ("total = sum(range(10))\nprint(total)", "total = sum(range(10))\nprint(total)"),
        ("17 * 3", "17 * 3"),
        ("```python\n2 ** 10\n```", "2 ** 10\n"),
    ],
)
def test_the_last_program_that_can_be_compiled_is_found(text: str, program: str):
    assert find_program(text) == program


@pytest.mark.parametrize(
    "text",
    [
        "Done",
        "well-known",
        "this is not that",
        "The answer is 42.",
        "42",
        "```\n42\n```",
        "```text\nprint(1)\n```",
        "```python\nprint(\n```",
        "```python\n```",
        "print('\ud800')",
        "x = '\0'",
        "(" * 5000,
        "-" * 50_000 + "1",
        "print(1)\n" * 20_000,
    ],
)
def test_prose_other_languages_and_broken_code_are_no_program(text: str):
    assert find_program(text) is None


def test_a_program_with_an_odd_escape_is_found_without_a_warning():
    assert find_program("```python\nprint('\\d')\n```") == "print('\\d')\n"


@pytest.mark.parametrize(
    ("program", "printing"),
    [
        ("x = 2\nx + 1  # three\n", "x = 2\n_result = (x + 1)\n"),
        ("a = 'é'; a * 2", "a = 'é'; _result = (a * 2)\n"),
        ("sum(\n    [1, 2],\n)\n", "_result = (sum(\n    [1, 2],\n))\n"),
        ("def main():\n    return 5\n", "def main():\n    return 5\n\n_result = (main())\n"),
        (
            "def add(a):\n    return a + 1\ndef go(n=2):\n    return add(n)\n",
            "def add(a):\n    return a + 1\ndef go(n=2):\n    return add(n)\n\n_result = (go())\n",
        ),
    ],
)
def test_a_silent_program_gets_its_result_printed(program: str, printing: str):
    assert with_result_printed(program) == f"{printing}if _result is not None: print(_result)\n"


@pytest.mark.parametrize(
    "program",
    [
        "x = 1\n",
        "def add(a, b):\n    return a + b\n",
        "def add(*, b):\n    return b\n",
        "def one():\n    return 1\ndef two():\n    return 2\n",
        "def one():\n    return 1\nx = one()\n",
    ],
)
def test_a_program_without_a_clear_result_is_left_as_it_is(program: str):
    assert with_result_printed(program) is None


async def test_the_answer_is_what_the_latest_program_printed():
    run = ScriptedRun([printed("  17802\n")])
    heard = [user("q"), user("a"), assistant("```python\nprint(1)\n```"), user("b")]
    texts: list[str] = []

    completion = await PythonRunner(run).chat(
        [*heard, assistant("```python\nprint(2)\n```"), user("Run it: print(3)")],
        Sampling(),
        texts.append,
    )

    assert completion == Completion("17802", Usage(), "python", "stop")
    assert run.programs == ["print(2)\n"]
    assert texts == ["17802"]


async def test_an_answer_without_a_program_is_passed_over():
    run = ScriptedRun([printed("1")])
    heard = [user("q"), user("a"), assistant("```python\nprint(1)\n```"), user("b")]

    await PythonRunner(run).chat([*heard, assistant("It looks right."), user("Run it")], Sampling())

    assert run.programs == ["print(1)\n"]


async def test_the_subtask_may_hold_the_program():
    run = ScriptedRun([printed("1")])

    await PythonRunner(run).chat([user("q"), user("```python\nprint(1)\n```")], Sampling())

    assert run.programs == ["print(1)\n"]


async def test_without_a_program_nothing_is_run():
    run = ScriptedRun([])

    completion = await PythonRunner(run).chat([user("print(1)"), user("Run it")], Sampling())

    assert completion.finish_reason == "error"
    assert completion.text == (
        "No program found in the answers before this step or in the subtask."
    )


async def test_a_program_that_prints_something_is_run_once():
    run = ScriptedRun([printed("1")])

    completion = await PythonRunner(run).chat([user("```python\nprint(1)\n2\n```")], Sampling())

    assert completion.text == "1"
    assert len(run.programs) == 1


async def test_a_long_answer_is_cut():
    run = ScriptedRun([printed("x" * 9_000)])

    completion = await PythonRunner(run).chat([user("print('x' * 9000)")], Sampling())

    assert completion.text == "x" * 8_000 + "\n... (1000 more characters)"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (SandboxResult(None, "", "", "wall", 10), "The program failed: it ran too long."),
        (
            SandboxResult(None, "", "", "output", 1),
            "The program failed: it printed too much.",
        ),
        (SandboxResult(3, "half", "", None, 1), "The program failed: exit status 3."),
    ],
)
async def test_a_failure_is_answered_with_its_reason(result: SandboxResult, text: str):
    completion = await PythonRunner(ScriptedRun([result])).chat([user("print(1)")], Sampling())

    assert completion == Completion(text, Usage(), "python", "error")


@pytest.mark.parametrize("error", [ConfigError("no sandbox"), WorkerError("the sandbox failed")])
async def test_a_missing_or_failing_sandbox_is_no_answer(error: Exception):
    async def run(source: str) -> SandboxResult:
        raise error

    with pytest.raises(type(error)):
        await PythonRunner(run).chat([user("print(1)")], Sampling())


@pytest.mark.sandbox
class TestInTheSandbox:
    @pytest.mark.parametrize(
        ("program", "answer"),
        [
            ("print(387 * 46)", "17802"),
            ("a = 387\na * 46", "17802"),
            ("def solve():\n    return 387 * 46", "17802"),
            ("import math\nmath.comb(52, 5)", "2598960"),
        ],
    )
    async def test_the_result_is_printed_also_where_the_program_forgot_to(
        self, program: str, answer: str
    ):
        heard = [user("q"), user("a"), assistant(f"```python\n{program}\n```"), user("Run it.")]

        completion = await PythonRunner(run_program).chat(heard, Sampling())

        assert completion == Completion(answer, Usage(), "python", "stop")

    async def test_an_exception_is_answered_with_its_last_lines(self):
        completion = await PythonRunner(run_program).chat(
            [user("```python\nvalues = [1]\nprint(values[1])\n```")], Sampling()
        )

        assert completion.finish_reason == "error"
        assert completion.text == (
            'The program failed: File "/tmp/main.py", line 2, in <module>\n'
            "    print(values[1])\n"
            "IndexError: list index out of range"
        )

    async def test_a_program_that_prints_and_returns_nothing_says_so(self):
        completion = await PythonRunner(run_program).chat([user("x = 1")], Sampling())

        assert completion.text == "The program printed nothing."
        assert completion.finish_reason == "error"

    async def test_a_limit_of_the_sandbox_holds(self):
        async def run(source: str) -> SandboxResult:
            return await run_program(source, limits=SandboxLimits(wall_s=0.5))

        completion = await PythonRunner(run).chat([user("while True: pass\nprint()")], Sampling())

        assert completion.text == "The program failed: it ran too long."
