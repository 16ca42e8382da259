"""Questions of our own, as users of a small pool ask them, with who is to answer them.

Generated problems have a narrow style. These keep the Conductor from sending every text to the
coder, and show it word problems in a few templates of ours. Nobody judged them: which workflow they
get is a rule.
"""

import random
from collections.abc import Iterator, Mapping

__all__ = ["own_questions"]

_TEXT = """
What is the capital of {place}?
Who wrote the novel {book}?
Explain in two sentences what {thing} is.
Write a short poem about {thing}.
Translate into {tongue}: I would like a cup of tea.
Name three advantages of {thing}.
Write a friendly letter that declines an invitation to {place}.
Summarise in one sentence: The meeting about {thing} was moved, because half of the team is ill.
Give me a title for an article about {thing}.
Is this review positive or negative? "The book about {thing} was dull from start to end."
What is the opposite of {word}?
Which language is spoken in {place}?
Rewrite politely: Send me the papers about {thing} now.
Tell me a joke about {thing}.
""".strip().splitlines()

_WORDED = """
{name} has {a} apples and buys {b} bags with {c} apples each. How many apples does {name} have now?
A ticket costs {a} dollars. {name} buys {b} tickets and pays with {d} dollars. How much does {name} get back?
A train goes {a} kilometres an hour. How far does it get in {b} hours?
{name} reads {a} pages on Monday and {c} times as many on Tuesday. How many pages is that in all?
A box holds {a} pens. A shop has {d} pens. How many full boxes is that, and how many pens are left over? Give the number of full boxes.
{name} earns {a} dollars an hour and works {b} hours a day for {c} days. How much is that in all?
A shirt costs {d} dollars. It gets {a} percent cheaper. What does it cost now?
{name} is {a} years old, and {other} is {b} years younger. How old are they together?
A farmer has {d} eggs. {name} buys {a} of them, and {other} buys half of what is left. How many are left?
{name} runs {b} laps of {d} metres. How many kilometres is that?
A tank holds {d} litres. {c} pumps take out {a} litres an hour each. After {b} hours, how many litres have been pumped?
""".strip().splitlines()  # noqa: E501

_CODE = """
What is the sum of all even numbers from {a} to {d}?
How many numbers between {a} and {d} are divisible by {c}?
What is the {b}th Fibonacci number?
What is the sum of the digits of {c} to the power of {a}?
Which numbers below {d} are perfect squares?
How many seconds are there in {b} hours and {a} minutes?
How many vowels are in the word {word}?
Write {d} in binary.
How many different ways are there to order {b} books on a shelf?
What is the largest prime factor of {d}{a}?
""".strip().splitlines()

_CALC = """
What is {d} * {a}?
{d} + {a} * {b}
How much is ({d} - {a}) / {c}?
Compute {a} ** {c}.
What is {a} % of {d}?
{d} - {a} + {b} =
""".strip().splitlines()

_VALUES = {
    "place": ["Portugal", "Kenya", "Norway", "Chile", "Vietnam", "Egypt", "Canada", "Hungary"],
    "book": ["War and Peace", "Emma", "Moby Dick", "Dracula"],
    "thing": ["rain", "a solar panel", "bicycles", "inflation", "a lighthouse", "bread", "tea"],
    "tongue": ["French", "Spanish", "German", "Italian"],
    "word": ["generous", "ancient", "brittle", "lantern", "umbrella", "queue"],
    "name": ["Nora", "Tom", "Aisha", "Ivan", "Mei", "Paul"],
    "other": ["Lena", "Omar", "Ruth", "Jan"],
}


def own_questions(seed: int, times: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """(kind, question), every template of a kind so many times; the kinds are the keys."""
    rng = random.Random(seed)
    kinds = (("reader", _TEXT), ("steps", _WORDED), ("form", _CODE), ("calc", _CALC))
    for kind, templates in kinds:
        for template in templates * times[kind]:
            words = {key: rng.choice(values) for key, values in _VALUES.items()}
            numbers = {
                "a": rng.randint(11, 60),
                "b": rng.randint(10, 19),
                "c": rng.randint(2, 9),
                "d": rng.randint(100, 999),
            }
            yield kind, template.format(**words, **numbers)
