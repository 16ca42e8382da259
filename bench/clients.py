"""Other people's clients against `partbook serve`, each plain, streamed and with a tool.

    python bench/clients.py [FOLDER]

Installs them into FOLDER (a throw-away one by default; some 400 MB), Node's where there is `npm`,
starts a server in front of a scripted worker (`tool_worker.py`), and lets each client ask. Prints a
line for each with its version, and ends with 1 where an answer is not the server's own or not what
the tool said. OpenAI's and Anthropic's SDKs for Python are in `tests/server`.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from serving import POOL, free_port, ready, start

HERE = Path(__file__).parent / "clients"
QUESTION = "What is the weather in Seoul?"
TOLD = "The tool said: rain in Seoul"
PYTHON = {
    "langchain": "langchain-openai",
    "llama-index": "llama-index-llms-openai-like",
    "litellm": "litellm",
    "llm": "llm",
}
"""Client and package; each has an environment of its own, since they want different versions of
OpenAI's SDK."""
NODE = ("openai", "ai", "@ai-sdk/openai-compatible")


def version_of(client: str, folder: Path) -> str:
    """What is installed."""
    if client not in PYTHON:
        package = "openai" if client == "openai for node" else "ai"
        told = folder / "node" / "node_modules" / package / "package.json"
        return f"{package} {json.loads(told.read_text())['version']}"
    code = f"from importlib.metadata import version; print(version({PYTHON[client]!r}))"
    command = [folder / client / "bin" / "python", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"{PYTHON[client]} {found.stdout.strip()}"


def install(folder: Path) -> list[tuple[str, list[str]]]:
    """Name and command of each client; the server's URL and the question are still to be added."""
    script = str(HERE / "ask.py")
    commands = []
    for name, package in PYTHON.items():
        bin_ = folder / name / "bin"
        if not bin_.exists():
            subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
            subprocess.run([bin_ / "pip", "install", "--quiet", package], check=True)
        commands.append((name, [str(bin_ / "python"), script, name]))
    if shutil.which("npm") is not None:
        subprocess.run(
            ["npm", "install", "--silent", "--prefix", folder / "node", *NODE], check=True
        )
        # Node looks for packages from where a script is.
        script = shutil.copy(HERE / "ask.mjs", folder / "node")
        commands += [(name, ["node", script, name]) for name in ("openai for node", "ai sdk")]
    return commands


def expected(url: str) -> str:
    """What the server answers when it is asked without any client."""
    body = {"model": "partbook", "messages": [{"role": "user", "content": QUESTION}]}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=60) as reply:
        text: str = json.load(reply)["choices"][0]["message"]["content"]
        return text.strip()


def main(folder: Path) -> int:
    commands = install(folder)
    worker_port, port = free_port(), free_port()
    url = f"http://127.0.0.1:{port}/v1"
    pool = folder / "pool.toml"
    pool.write_text(POOL.format(url=f"http://127.0.0.1:{worker_port}/v1"))
    environment = os.environ | {"PARTBOOK_STORE": str(folder / "runs.db")}
    serve = ["serve", "--pool", str(pool), "--no-log", "--port", str(port)]
    scripted = [sys.executable, str(HERE.parent / "tool_worker.py"), str(worker_port)]
    worker = start(scripted, dict(os.environ))
    server = start([sys.executable, "-m", "partbook", *serve], environment)
    faults = 0
    try:
        asyncio.run(ready(f"{url}/models"))
        text = expected(url)
        for name, command in commands:
            environment = os.environ | {"LLM_USER_PATH": str(folder)}
            asked = subprocess.run(
                [*command, url, QUESTION], env=environment, capture_output=True, text=True
            )
            lines = [line.strip() for line in asked.stdout.splitlines()]
            is_good = asked.returncode == 0 and lines[-4:] == [text, text, TOLD, TOLD]
            faults += not is_good
            good = "plain, streamed, with a tool, with a tool and streamed"
            said = good if is_good else f"FAILED\n{asked.stdout}{asked.stderr}"
            print(f"{name} ({version_of(name, folder)}): {said}", flush=True)
    finally:
        for process in (server, worker):
            process.terminate()
        for process in (server, worker):
            process.wait()
    return int(faults > 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]).absolute()))
    with tempfile.TemporaryDirectory() as made:
        sys.exit(main(Path(made)))
