"""Schemathesis against `partbook serve`, by the server's own OpenAPI document, with all its checks.

    python bench/schema_fuzz.py SCHEMATHESIS [MINUTES] [OPTION ...]     default: 10

SCHEMATHESIS is its command, from an environment of its own
(`python -m venv DIR && DIR/bin/pip install schemathesis`). The server stands in front of the mock
server that answers at once, has a key, and keeps its runs. First every boundary that the document
names is tried once, however long that takes; what is left of the minutes, and one at least, goes
to random requests and chains of them. Ends with 0 where nothing was found.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from serving import HERE, POOL, free_port, ready, start

RULES = HERE / "schema_fuzz"
"""What Schemathesis is told."""


def fuzz(command: list[str], minutes: float, environment: dict[str, str], folder: str) -> int:
    """Both stages; 0 where neither found anything."""
    begun = time.monotonic()
    first = [*command, "--phases", "examples,coverage"]
    found = subprocess.run(first, env=environment, cwd=folder, check=False).returncode
    left_s = max(60, round(minutes * 60 - (time.monotonic() - begun)))
    second = [*command, "--phases", "fuzzing,stateful", "--max-time", str(left_s)]
    return found or subprocess.run(second, env=environment, cwd=folder, check=False).returncode


def main(schemathesis: str, minutes: float, options: list[str]) -> int:
    mock_port, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        pool = Path(folder) / "pool.toml"
        pool.write_text(POOL.format(url=f"http://127.0.0.1:{mock_port}/v1"))
        environment = os.environ | {
            "PARTBOOK_STORE": f"{folder}/runs.db",
            "PYTHONPATH": str(RULES),
            "SCHEMATHESIS_HOOKS": "hooks",
        }
        partbook = [sys.executable, "-m", "partbook"]
        make = [*partbook, "keys", "create", "fuzz", "--traces"]
        made = subprocess.run(make, env=environment, check=True, capture_output=True, text=True)
        serve = ["serve", "--pool", str(pool), "--keep", "--no-log", "--port", str(port)]
        mock = start([sys.executable, str(HERE / "mock_server.py"), str(mock_port), "0"], {})
        server = start([*partbook, *serve], environment)
        try:
            asyncio.run(ready(f"http://127.0.0.1:{port}/healthz"))
            command = [
                *(schemathesis, "--config-file", str(RULES / "schemathesis.toml"), "run"),
                f"http://127.0.0.1:{port}/openapi.json",
                *("--header", f"Authorization: Bearer {made.stdout.strip()}"),
                *("--checks", "all", "--continue-on-failure", *options),
            ]
            return fuzz(command, minutes, environment, folder)
        finally:
            for process in (server, mock):
                process.terminate()
            for process in (server, mock):
                process.wait()


if __name__ == "__main__":
    command, *given = sys.argv[1:]
    minutes = float(given.pop(0)) if given and not given[0].startswith("-") else 10.0
    sys.exit(main(command, minutes, given))
