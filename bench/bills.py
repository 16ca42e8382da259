"""What reading a long bill takes: rows per CPU second, and how far memory grows.

    python bench/bills.py 40            megabytes; csv, jsonl and one JSON array in turn

The rows are drawn from a fixed seed. Each form is read in a process of its own.
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from partbook.economy.read import read_bill

FORMS = ("csv", "jsonl", "array")
HEAD = (
    "generation_id,created_at,cost_total,byok_usage_inference,tokens_prompt,tokens_completion,"
    "tokens_cached,model_permaslug,provider_name\n"
)


def rows(form: str) -> Iterator[str]:
    rng = random.Random(7)
    if form == "csv":
        yield HEAD
    i = 0
    while True:
        day, usd = 1 + i % 28, rng.random() / 100
        if form == "csv":
            yield (
                f"gen-{1790000000 + i}-{rng.getrandbits(64):x},2026-10-{day:02} 09:{i % 60:02}:57,"
                f"{usd:.6f},0,{rng.randrange(10, 9000)},{rng.randrange(10, 900)},0,"
                f"openai/gpt-5-{i % 5},OpenAI\n"
            )
        else:
            between = "" if form == "jsonl" else "," if i else "["
            yield (
                f'{between}{{"request_id":"r-{i}","spend":{usd:.6f},"prompt_tokens":490,'
                f'"completion_tokens":10,"startTime":"2026-10-{day:02}T08:{i % 60:02}:00Z",'
                f'"model":"m-{i % 5}","metadata":{{"a":"{"x" * 40}"}}}}\n'
            )
        i += 1


def write(form: str, path: Path, megabytes: int) -> None:
    size = 0
    with path.open("w") as file:
        for row in rows(form):
            file.write(row)
            size += len(row)
            if size >= megabytes * 1_000_000:
                break
        if form == "array":
            file.write("]")


def read(path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    bill = read_bill([path])
    seconds = time.process_time() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    count = sum(cell.rows for cell in bill.cells.values())
    print(f"{path.stem}: {count:,} rows, {seconds:.1f} CPU s, memory grew by {grown:.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("megabytes", type=int, nargs="?", default=40)
    parser.add_argument("--read", type=Path)
    given = parser.parse_args()
    if given.read is not None:
        read(given.read)
        return
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            path = Path(folder) / f"{form}.txt"
            write(form, path, given.megabytes)
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)
            path.unlink()


if __name__ == "__main__":
    main()
