"""Ask a server through one client: plain and streamed, then with a tool, plain and streamed.

    python ask.py CLIENT URL QUESTION

Prints the four answers, a line each. The tool is called by the client, as its users would let it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def weather(city: str) -> str:
    """What the weather is like in a city."""
    return f"rain in {city}"


SPELT = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": weather.__doc__,
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def langchain(url: str, question: str) -> None:
    from langchain_core.messages import HumanMessage  # noqa: PLC0415
    from langchain_core.tools import tool  # noqa: PLC0415
    from langchain_openai import ChatOpenAI  # noqa: PLC0415

    model = ChatOpenAI(model="partbook", base_url=url, api_key="none", stream_usage=True)
    print(model.invoke(question).content)
    print("".join(str(chunk.content) for chunk in model.stream(question)))
    told = tool(weather)
    bound = model.bind_tools([told])
    for ask in (bound.invoke, lambda messages: sum_of(list(bound.stream(messages)))):
        history: list[Any] = [HumanMessage(question)]
        history.append(asking := ask(history))
        history += [told.invoke(call) for call in asking.tool_calls]
        print(ask(history).content)


def sum_of(chunks: list[Any]) -> Any:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    return whole


def llama_index(url: str, question: str) -> None:
    from llama_index.core.llms import ChatMessage  # noqa: PLC0415
    from llama_index.core.tools import FunctionTool  # noqa: PLC0415
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
    tools = [FunctionTool.from_defaults(weather)]

    def streamed(history: list[ChatMessage]) -> Any:
        return list(model.stream_chat_with_tools(tools, chat_history=history))[-1]

    def plain(history: list[ChatMessage]) -> Any:
        return model.chat_with_tools(tools, chat_history=history)

    for ask in (plain, streamed):
        history = [ChatMessage(role="user", content=question)]
        asking = ask(history)
        history.append(asking.message)
        for call in model.get_tool_calls_from_response(asking):
            said = {"tool_call_id": call.tool_id}
            output = str(tools[0](**call.tool_kwargs))
            history.append(ChatMessage(role="tool", content=output, additional_kwargs=said))
        print(ask(history).message.content)


def litellm(url: str, question: str) -> None:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch one
    import litellm as package  # noqa: PLC0415
    from litellm import completion, stream_chunk_builder  # noqa: PLC0415

    package.suppress_debug_info = True  # it prints among the answers
    first = [{"role": "user", "content": question}]
    asked = {"model": "openai/partbook", "api_base": url, "api_key": "none"}
    print(completion(**asked, messages=first).choices[0].message.content)
    chunks = completion(**asked, messages=first, stream=True)
    print("".join(chunk.choices[0].delta.content or "" for chunk in chunks))

    def plain(history: list[Any]) -> Any:
        return completion(**asked, messages=history, tools=[SPELT]).choices[0].message

    def streamed(history: list[Any]) -> Any:
        chunks = list(completion(**asked, messages=history, tools=[SPELT], stream=True))
        return stream_chunk_builder(chunks).choices[0].message

    for ask in (plain, streamed):
        history: list[Any] = list(first)
        history.append(asking := ask(history))
        for call in asking.tool_calls:
            said = weather(**json.loads(call.function.arguments))
            history.append({"role": "tool", "tool_call_id": call.id, "content": said})
        print(ask(history).content)


def llm(url: str, question: str) -> None:
    """The command line tool; its folder is LLM_USER_PATH."""
    settings = (
        f"- model_id: partbook\n  model_name: partbook\n  api_base: {url}\n  supports_tools: true\n"
    )
    Path(os.environ["LLM_USER_PATH"], "extra-openai-models.yaml").write_text(settings)
    command = [sys.executable, "-m", "llm", "-m", "partbook", "--key", "none", question]
    function = "def weather(city: str) -> str:\n    return f'rain in {city}'\n"
    for tools in ([], ["--functions", function]):
        for option in ("--no-stream", "--no-log"):
            whole = [*command, option, *tools]
            asked = subprocess.run(whole, capture_output=True, text=True, check=True)
            print(asked.stdout.strip())


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    globals()[name.replace("-", "_")](*arguments)
