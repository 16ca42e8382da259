"""Which problems the embedded Conductor is trained on and which it is examined on; prints it.

Families of reasoning-gym whose questions are short and ask for something that a short program or a
sentence can answer were listed by their questions alone; a draw with a fixed seed put them on one
side. Word problems are on the examination's side by hand. Of a held-out family nothing but
the text of single questions, from which the list was made, was looked at before the examination.
"""

import json
import random

from partbook.tasks.gym import load_gym
from partbook.tasks.problem import Problem

__all__ = ["HELD_OUT", "OTHERS", "TRAINED", "WORD_PROBLEMS", "exam", "known", "others", "training"]

_FAMILIES = [
    "base_conversion",
    "basic_arithmetic",
    "bitwise_arithmetic",
    "caesar_cipher",
    "calendar_arithmetic",
    "chain_sum",
    "coin_flip",
    "complex_arithmetic",
    "count_bits",
    "count_primes",
    "course_schedule",
    "decimal_arithmetic",
    "decimal_chain_sum",
    "dice",
    "family_relationships",
    "fraction_simplification",
    "gcd",
    "lcm",
    "leg_counting",
    "letter_counting",
    "number_filtering",
    "number_format",
    "number_sequence",
    "number_sorting",
    "palindrome_generation",
    "pool_matrix",
    "power_function",
    "prime_factorization",
    "products",
    "rotate_matrix",
    "simple_equations",
    "simple_geometry",
    "spell_backward",
    "syllogism",
    "time_intervals",
    "word_sequence_reversal",
    "word_sorting",
]

OTHERS = (
    "ab",
    "advanced_geometry",
    "binary_alternation",
    "color_cube_rotation",
    "countdown",
    "cryptarithm",
    "graph_color",
    "group_anagrams",
    "jugs",
    "knights_knaves",
    "largest_island",
    "letter_jumble",
    "list_functions",
    "maze",
    "palindrome_partitioning",
    "propositional_logic",
    "quantum_lock",
    "self_reference",
    "sentence_reordering",
    "string_manipulation",
    "tower_of_hanoi",
    "word_ladder",
)
"""Neither examined nor measured: their questions stand for all that nobody knows a plan for."""

WORD_PROBLEMS = ("gsm_symbolic", "aiw")
"""Held out; `own_questions.py` has a dozen templates of word problems in words of our own."""

_MIXED = random.Random(7).sample(_FAMILIES, len(_FAMILIES))

HELD_OUT = tuple(sorted(_MIXED[:10]))
TRAINED = tuple(sorted(_MIXED[10:]))

SEED = 5
"""Of all series."""


def training(each: int, start: int = 0) -> list[Problem]:
    """Problems to train on, the families in turn."""
    return _mixed(TRAINED, "train", start, each)


def others(each: int) -> list[Problem]:
    """Problems of further families."""
    return _mixed(OTHERS, "train", 0, each)


def exam(each: int = 8, words: int = 12) -> list[Problem]:
    """Held-out problems: `each` of every held-out family, `words` of every kind of word problem."""
    return _mixed(HELD_OUT, "test", 0, each) + _mixed(WORD_PROBLEMS, "test", 0, words)


def known(each: int = 4) -> list[Problem]:
    """New problems of the families that were trained on."""
    return training(each, start=100)


def _mixed(families: tuple[str, ...], split: str, start: int, each: int) -> list[Problem]:
    series = [
        load_gym(name, (split,), seed=SEED, size=start + each).split(split)[start:]
        for name in families
    ]
    return [problem for group in zip(*series, strict=True) for problem in group]


def _facts() -> dict[str, object]:
    return {
        "generator": "reasoning-gym 0.1.25, default level",
        "seed": SEED,
        "trained": {"families": TRAINED, "series": "train"},
        "trained_without_measurement": {"families": OTHERS, "series": "train"},
        "examined": {
            "families": HELD_OUT,
            "word_problems": WORD_PROBLEMS,
            "series": "test",
            "each_family": 8,
            "each_kind_of_word_problem": 12,
            "problems": len(exam()),
        },
    }


if __name__ == "__main__":
    print(json.dumps(_facts(), indent=2))
