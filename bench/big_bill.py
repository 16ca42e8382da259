"""Memory and time of `partbook savings` and `partbook audit` on a file of any length.

    python bench/big_bill.py 2000                 megabytes; every command and form in turn
    python bench/big_bill.py 2000 --only audit    one command
    python bench/big_bill.py 2000 --form csv      one form: csv, jsonl or array

Files are made from a fixed seed in a temporary folder and deleted. The command runs as a process of
its own; its peak memory and CPU seconds are what the kernel says of it (wait4), and the exit status
is 1 where one took more than the limit.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from audit_log import ONE, SEVERAL, SEVERAL_KO, TOPICS
from bills import FORMS
from bills import rows as bill_rows

LIMIT_MIB = 300


def prompt_rows(form: str) -> Iterator[str]:
    rng = random.Random(7)
    sentences = (*ONE, *SEVERAL, *SEVERAL_KO)
    if form == "csv":
        yield "prompt,model,cost\n"
    i = 0
    while True:
        topic = rng.choice(TOPICS)
        prompt = sentences[i % len(sentences)].replace("{t}", topic)
        prompt += f" Case {rng.getrandbits(48):x}." + " It concerns the usual matters." * (i % 40)
        cost = f"{rng.random() / 100:.5f}"
        if form == "csv":
            quoted = prompt.replace('"', '""')
            yield f'"{quoted}",m-{i % 5},{cost}\n'
        else:
            row = {"messages": [{"role": "user", "content": prompt}], "model": "m", "cost": cost}
            between = "" if form == "jsonl" else "," if i else "["
            yield between + json.dumps(row, ensure_ascii=False) + "\n"
        i += 1


ROWS: dict[str, Callable[[str], Iterator[str]]] = {"savings": bill_rows, "audit": prompt_rows}


def write(command: str, form: str, path: Path, megabytes: int) -> int:
    size = count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in ROWS[command](form):
            file.write(row)
            size += len(row.encode())
            count += 1
            if size >= megabytes * 1_000_000:
                break
        if form == "array":
            file.write("]")
    return count


def measured(command: str, form: str, path: Path, count: int) -> bool:
    """Run the command on the file, print what it took, and say whether that is within the limit."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "partbook", command, str(path), "--json"], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu_s = time.monotonic() - begun, usage.ru_utime + usage.ru_stime
    peak_mib = usage.ru_maxrss / 1024
    print(
        f"{command} {form}: {path.stat().st_size / 1e6:,.0f} MB, {count:,} rows, exit "
        f"{process.returncode}, peak {peak_mib:.0f} MiB, {cpu_s:.0f} CPU s, {seconds:.0f} s",
        flush=True,
    )
    return process.returncode == 0 and peak_mib < LIMIT_MIB


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("megabytes", type=int, nargs="?", default=50)
    parser.add_argument("--only", choices=tuple(ROWS))
    parser.add_argument("--form", choices=FORMS)
    given = parser.parse_args()
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        for command in [given.only] if given.only else ROWS:
            for form in [given.form] if given.form else FORMS:
                path = Path(folder) / f"{form}.txt"
                count = write(command, form, path, given.megabytes)
                fine = measured(command, form, path, count) and fine
                path.unlink()
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
