"""Ask a server through one client, plain and streamed; prints both answers.

python ask.py CLIENT URL QUESTION
"""

import os
import subprocess
import sys
from pathlib import Path


def langchain(url: str, question: str) -> None:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    model = ChatOpenAI(model="partbook", base_url=url, api_key="none", stream_usage=True)
    print(model.invoke(question).content)
    print("".join(str(chunk.content) for chunk in model.stream(question)))


def llama_index(url: str, question: str) -> None:
    from llama_index.llms.openai_like import OpenAILike  # noqa: PLC0415

    model = OpenAILike(
        model="partbook",
        api_base=url,
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=32000,
    )
    print(model.complete(question).text)
    print("".join(chunk.delta or "" for chunk in model.stream_complete(question)))


def litellm(url: str, question: str) -> None:
    from litellm import completion  # noqa: PLC0415

    asked = {
        "model": "openai/partbook",
        "api_base": url,
        "api_key": "none",
        "messages": [{"role": "user", "content": question}],
    }
    print(completion(**asked).choices[0].message.content)
    chunks = completion(**asked, stream=True)
    print("".join(chunk.choices[0].delta.content or "" for chunk in chunks))


def llm(url: str, question: str) -> None:
    """The command line tool; its folder is LLM_USER_PATH."""
    settings = f"- model_id: partbook\n  model_name: partbook\n  api_base: {url}\n"
    Path(os.environ["LLM_USER_PATH"], "extra-openai-models.yaml").write_text(settings)
    command = [sys.executable, "-m", "llm", "-m", "partbook", "--key", "none", question]
    for option in ("--no-stream", "--no-log"):
        asked = subprocess.run([*command, option], capture_output=True, text=True, check=True)
        print(asked.stdout.strip())


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    globals()[name.replace("-", "_")](*arguments)
