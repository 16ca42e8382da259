"""Fuzzes one target, guided by coverage, for some minutes: `python tests/fuzz/run.py parser 60`.

Needs `atheris`, which `make fuzz` puts into a folder of its own. Prints what libFuzzer prints: how
many inputs were tried (`number_of_executed_units`), how many ways through the code were found
(`cov`). What breaks a target is written to `bench/out/fuzz/TARGET/`; mended, it goes to
`tests/fuzz/found/`. An input that takes over ten seconds or 2 GB is a finding, too.
"""

import sys
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

with atheris.instrument_imports(include=["partbook"]):
    from tests.fuzz.seeds import seeds
    from tests.fuzz.targets import TARGETS

MOST_BYTES = 1 << 14


def main(target: str, minutes: float) -> None:
    folder = ROOT / "bench" / "out" / "fuzz" / target
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(seeds(target)):
        (corpus / f"seed-{i}").write_bytes(seed[:MOST_BYTES])
    options = [
        f"-max_total_time={round(60 * minutes)}",
        f"-artifact_prefix={folder}/",
        f"-max_len={MOST_BYTES}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 60)
