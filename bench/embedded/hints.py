"""Instructions for the coder, written by hand for families that are trained on.

A teacher's knowledge of how such a question becomes a short program. The Conductor learns to write
such an instruction from the question; whether it finds a fitting one for questions of another kind
is what the examination shows. Only those are demonstrated that were right more often than the
words of `code-then-run`.
"""

__all__ = ["HINTS"]

_HINTS = {
    "base_conversion": "reads the number with int(text, base) and writes it in the other base with "
    "divmod in a loop, with the digits 0-9 and a-z. Print only the result.",
    "bitwise_arithmetic": "puts the expression of the question into a variable and prints "
    "hex(value).",
    "complex_arithmetic": "puts the expression of the question into a variable z, with j in place "
    "of i, for example z = (1.0 + 2.0j) * (3.0 - 4.0j), and prints "
    "f'{z.real} + {z.imag}i'.",
    "dice": "goes through all rolls of itertools.product(range(1, a + 1), range(1, b + 1), ...), "
    "with the sides of each die, counts all rolls and those whose sum is large enough, and prints "
    "fractions.Fraction(fitting, all).",
    "number_format": "puts the candidates into a list of strings, without commas, and prints only "
    "the one that is asked for: min(candidates, key=float) for the smallest, "
    "max(candidates, key=float) for the largest.",
    "number_sequence": "puts the sequence into a list, looks at the differences and ratios of "
    "neighbours, and prints the next number.",
    "number_sorting": "puts the numbers between 'order:' and 'Please' into a list of strings, "
    "sorts it with key=float, and with reverse=True if the order is descending, and prints the "
    "list.",
    "palindrome_generation": "writes the letters as one text without commas, letters = '...', and "
    "counts = collections.Counter(letters). Then half = ''.join(c * (n // 2) for c, n in "
    "counts.items()), middle = ''.join(c for c, n in counts.items() if n % 2), and it prints half "
    "+ middle + half[::-1].",
    "power_function": "computes the power and prints f'{value:.2e}'.",
    "prime_factorization": "divides the number by 2, 3, 4, ... as often as it goes, collects the "
    "factors, and prints ' × '.join(map(str, factors)).",
    "rotate_matrix": "puts the matrix into a list of rows, repeats rows = list(zip(*rows[::-1])) "
    "once for every 90 degrees of the turn (range(degrees // 90)), and prints every row with "
    "print(*row).",
    "simple_equations": "tries all whole numbers from -1000 to 1000 for the unknown and prints the "
    "one for which both sides are equal.",
    "simple_geometry": "computes the sum of all angles, (n - 2) * 180, subtracts the given ones, "
    "and prints the rest with f'{rest:g}'.",
    "time_intervals": "reads both times with datetime.strptime, subtracts them, and prints the "
    "difference in the form that the question asks for.",
    "word_sequence_reversal": "puts the words of the question into a list named words and prints "
    "', '.join(words[::-1]).",
    "word_sorting": "puts the words of the question into a list and sorts it: with sorted(words) "
    "if ascending order is asked for, with sorted(words, reverse=True) if descending order is "
    "asked for. Print ', '.join of it.",
}

# Within the lists of a workflow a text stands in double quotes, so a hint has single ones.
HINTS = {family: f"Write a Python program that {hint}" for family, hint in _HINTS.items()} | {
    "family_relationships": "Answer the question with a single word.",
    "syllogism": "Say whether it follows: answer with Yes or No and nothing else.",
}
