import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partbook.message import Completion, Message, Sampling, Usage
from partbook.models.calculator import Calculator


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str) -> Message:
    return Message("assistant", text)


async def calculated(subtask: str) -> Completion:
    return await Calculator().chat([user(subtask)], Sampling())


@pytest.mark.parametrize(
    ("subtask", "answer"),
    [
        ("What is 387 × 46?", "17802"),
        ("Compute 387 x 46 - give only the number.", "17802"),
        ("- 387 * 46", "17802"),
        ("**387 × 46** is what we need", "17802"),
        ("1. 387*46 = ?", "17802"),
        ("print(387 * 46)", "17802"),
        ("Calculate -3 + 4", "1"),
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2(3+4)", "14"),
        ("-2 ** 2", "-4"),
        ("2 ^ 3 ^ 2", "512"),
        ("2**-3", "0.125"),
        ("3² + 4²", "25"),
        ("12 ÷ 4 − 1", "2"),
        ("2 · 3", "6"),
        ("1,234 + 5,678.5", "6912.5"),
        ("$1,000 * 3", "3000"),
        ("0.1 + 0.2", "0.3"),
        ("10/3", "10/3 (about 3.333333333)"),
        ("(3.299-3.568+(6.427/4.231))/3.409", "0.366684140491"),
        ("1/123456789", "8.10000007371E-9"),
        ("1/8 - 2", "-1.875"),
        ("-17 // 5", "-4"),
        ("-17 mod 5", "3"),
        ("17 % 5", "2"),
        ("15% of 240", "36"),
        ("20 percent of $80", "16"),
        ("3/4 of 120", "90"),
        ("7 plus 8 times 2", "23"),
        ("100 divided by 8", "12.5"),
        ("5! / 3!", "20"),
        ("3 * 1e5", "300000"),
        (r"Find $\frac{3}{4} \times 8$.", "6"),
        ("√144", "12"),
        ("sqrt(2)", "about 1.414213562"),
        ("8**(1/3)", "about 2"),
        ("(9/4)**0.5", "1.5"),
        ("gcd(12,345)", "3"),
        ("lcm(4, 6, 10)", "60"),
        ("factorial(20)", "2432902008176640000"),
        ("comb(52, 5)", "2598960"),
        ("abs(3 - 10)", "7"),
        ("max(3, 7, 5) - min(3, 7, 5)", "4"),
        ("round(2.5)", "3"),
        ("round(-10/3, 2)", "-3.33"),
        ("floor(7/2) + ceil(7/2)", "7"),
    ],
)
async def test_arithmetic_in_prose_is_computed_exactly(subtask: str, answer: str):
    completion = await calculated(subtask)

    assert completion == Completion(answer, Usage(), "calculator", "stop")


@pytest.mark.parametrize(
    ("subtask", "answer"),
    [
        ("Add 3+4 and then compute 12 * 12.", "144"),
        ("On step 2 of 5, compute (1 + 2) * (3 + 4); 9 + 9 does not matter.", "21"),
    ],
)
async def test_of_several_expressions_the_longest_is_computed(subtask: str, answer: str):
    assert (await calculated(subtask)).text == answer


@pytest.mark.parametrize(
    "subtask",
    [
        "The answer is Paris.",
        "5 km",
        "-5",
        "3x + 4 + 5",
        "3 + 4 + x",
        "12 apples * 2 + 3",
        "2 + 3 * pears",
        "f(3 + 4)",
        "2 * (3 + 4",
        "1 + 2 + " + "(" * 60 + "3" + ")" * 60,
        "1 + 2 + " + "9" * 5000,
    ],
)
async def test_what_is_no_arithmetic_or_only_a_part_of_it_is_not_computed(subtask: str):
    completion = await calculated(subtask)

    assert completion.finish_reason == "error"
    assert completion.text == (
        "No arithmetic expression found in the subtask, the answers before it or the question."
    )


@pytest.mark.parametrize(
    ("subtask", "reason"),
    [
        ("9**9**9", "the result is too large, more than 4000 digits"),
        ("9**99999999999 + 1", "the result is too large, more than 4000 digits"),
        ("10**4000", "the result is too large, more than 4000 digits"),
        ("factorial(100000)", "the result is too large, more than 4000 digits"),
        ("comb(10**30, 10**20)", "the result is too large, more than 4000 digits"),
        ("1e999 * 1e999 * 1e999 * 1e999 * 1e999", "the result is too large, more than 4000 digits"),
        ("1/(3-3)", "division by zero"),
        ("0**-1", "division by zero"),
        ("7 mod 0", "division by zero"),
        ("sqrt(-4)", "the square root of a negative number has no real value"),
        ("gcd(1.5, 3)", "gcd needs whole numbers, not 1.5"),
    ],
)
async def test_what_has_no_bearable_result_is_answered_with_the_reason(subtask: str, reason: str):
    start = time.process_time()
    completion = await calculated(subtask)
    used_s = time.process_time() - start

    assert completion.text == f"{subtask} cannot be computed: {reason}."
    assert completion.finish_reason == "error"
    assert used_s < 0.05


@pytest.mark.parametrize(
    "subtask",
    [
        "(" * 16_000,
        "(1+" * 5_000,
        "-" * 16_000 + "1",
        "√" * 16_000,
        "2**" * 5_000 + "2",
    ],
)
async def test_hostile_text_costs_little_time(subtask: str):
    start = time.process_time()
    completion = await calculated(subtask)
    used_s = time.process_time() - start

    assert completion.finish_reason == "error"
    assert used_s < 1


@given(st.text(alphabet="0123456789+-*/%!()., ^²√xabgcdsqrtof\n", max_size=60))
async def test_no_text_makes_it_raise(text: str):
    completion = await calculated(text)

    assert completion.finish_reason in ("stop", "error")


@given(st.integers(-999, 999), st.integers(-999, 999), st.integers(1, 99))
async def test_it_agrees_with_python_on_whole_numbers(a: int, b: int, c: int):
    completion = await calculated(f"({a}) * ({b}) - ({a}) // {c} + ({b}) mod {c}")

    assert completion.text == str(a * b - a // c + b % c)


async def test_its_own_subtask_comes_first():
    heard = [user("1 + 1"), user("subtask"), assistant("2 + 2"), user("Compute 3 + 3")]

    completion = await Calculator().chat(heard, Sampling())

    assert completion.text == "6"


async def test_then_come_the_answers_it_may_read_with_the_latest_first():
    heard = [
        user("1 + 1"),
        user("a"),
        assistant("2 + 2"),
        user("b"),
        assistant("The sum is 3 + 3."),
    ]

    completion = await Calculator().chat([*heard, user("Work it out.")], Sampling())

    assert completion.text == "6"


async def test_an_earlier_subtask_is_not_computed():
    heard = [user("How many?"), user("Compute 2 + 2"), assistant("I cannot."), user("Work it out.")]

    completion = await Calculator().chat(heard, Sampling())

    assert completion.finish_reason == "error"


async def test_the_question_comes_last():
    heard = [user("What is 12 * 12?"), user("Solve it."), assistant("Hard."), user("Work it out.")]

    completion = await Calculator().chat(heard, Sampling())

    assert completion.text == "144"


async def test_a_listener_gets_the_whole_text_once():
    heard: list[str] = []

    await Calculator().chat([user("2 + 2")], Sampling(), heard.append)

    assert heard == ["4"]
