"""Other people's clients against `partbook serve`, each plain and streamed.

    python bench/clients.py [FOLDER]

Installs them into FOLDER (a throw-away one by default; some 400 MB), Node's where there is `npm`,
starts a server on the lab's scripted workers, and lets each client ask. Prints a line for each and
ends with 1 where an answer is not the server's own. OpenAI's and Anthropic's SDKs for Python are in
`tests/server`.
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

from serving import free_port, ready, start

HERE = Path(__file__).parent / "clients"
QUESTION = "Add 1 and 2."
PYTHON = ("llm", "langchain-openai", "llama-index-llms-openai-like", "litellm")
NODE = ("openai", "ai", "@ai-sdk/openai-compatible")


def install(folder: Path) -> list[tuple[str, list[str]]]:
    """Name and command of each client; the server's URL and the question are still to be added."""
    bin_ = folder / "python" / "bin"
    if not bin_.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
        subprocess.run([bin_ / "pip", "install", "--quiet", *PYTHON], check=True)
    script = str(HERE / "ask.py")
    commands = [
        (name, [str(bin_ / "python"), script, name])
        for name in ("langchain", "llama-index", "litellm", "llm")
    ]
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
        return text


def main(folder: Path) -> int:
    commands = install(folder)
    url = f"http://127.0.0.1:{(port := free_port())}/v1"
    environment = os.environ | {"PARTBOOK_STORE": str(folder / "runs.db")}
    serve = ["serve", "--pool", "lab", "--no-log", "--port", str(port)]
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
            lines = asked.stdout.splitlines()
            is_good = asked.returncode == 0 and lines[-2:] == [text, text]
            faults += not is_good
            said = "plain and streamed" if is_good else f"FAILED\n{asked.stdout}{asked.stderr}"
            print(f"{name}: {said}", flush=True)
    finally:
        server.terminate()
        server.wait()
    return int(faults > 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1]).absolute()))
    with tempfile.TemporaryDirectory() as made:
        sys.exit(main(Path(made)))
