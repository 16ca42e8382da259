"""Ten questions to the embedded pool, each in a process of its own: the table of the README.

    python bench/questions.py
    python bench/questions.py --workflow code-then-run

What follows is passed on to `partbook run`. Seconds are those of the whole command, the loading of
the models included.
"""

import re
import subprocess
import sys
import time

QUESTIONS = {
    "How many primes are there below 200?": r"\b46\b",
    "What is 387 × 46?": r"\b17802\b",
    "Write the word 'lantern' backwards.": r"\bnretnal\b",
    "How many times does the letter r occur in 'strawberry'?": r"\b3\b",
    "What day of the week was 14 July 1989?": r"\bFriday\b",
    "Tom is 3 times as old as Ann. Together they are 48. How old is Tom?": r"\b36\b",
    "What is the sum of the digits of 2^50?": r"\b76\b",
    "What is the capital of Australia?": r"\bCanberra\b",
    "Which is larger, 9.9 or 9.11?": r"^9\.9\b(?!.*9\.11)",
    "Sort these words by length: violin, oboe, harp, clarinet, tuba.": (
        r"oboe\W+harp\W+tuba\W+violin\W+clarinet"
    ),
}


def main() -> None:
    print("| question | answer | right | seconds |\n|---|---|---|---|")
    for question, wanted in QUESTIONS.items():
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "partbook", "run", *sys.argv[1:], question],
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.perf_counter() - begun
        answer = " ".join(done.stdout.split())
        right = "yes" if done.returncode == 0 and re.search(wanted, answer) else "no"
        print(f"| {question} | {answer[:120]} | {right} | {took:.1f} |", flush=True)


main()
