"""The user's own tools: read from a request, passed to the worker of the last step, never called.

A reply that asks for a tool ends the turn. The next request brings the result, and goes to the
worker that asked, with the history as it is: nobody else knows why the tool was wanted. Who asked
for which call is remembered by the call's id, for the latest `MOST_REMEMBERED` calls.
"""

import json
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from partbook.message import Message
from partbook.server.fields import Fields
from partbook.server.messages import MOST_ID_CHARS
from partbook.server.refusal import bad_request

__all__ = ["Callers", "is_call_demanded", "read_tools"]

MOST_TOOLS = 128
MOST_TOOLS_CHARS = 500_000
MOST_REMEMBERED = 20_000


def read_tools(fields: Fields) -> str | None:
    """Take the fields about tools; JSON of them, None: there are none.

    Raises:
        Refusal: one of them is not what it should be, or is of a kind that cannot be passed on.
    """
    tools, choice = fields.raw("tools"), fields.raw("tool_choice")
    parallel = fields.flag("parallel_tool_calls")
    if tools is None or tools == []:
        if choice not in (None, "none", "auto"):
            raise bad_request("tool_choice: there are no tools to choose from", "tool_choice")
        return None
    if not isinstance(tools, list) or len(tools) > MOST_TOOLS:
        raise bad_request(f"tools: a list of at most {MOST_TOOLS} was expected", "tools")
    names = [_name(tool, f"tools[{i}]") for i, tool in enumerate(tools)]
    wanted: dict[str, Any] = {"tools": tools}
    if choice is not None:
        _check_choice(choice, names)
        wanted["tool_choice"] = choice
    if parallel is not None:
        wanted["parallel_tool_calls"] = parallel
    text = json.dumps(wanted, separators=(",", ":"))
    if len(text) > MOST_TOOLS_CHARS:
        raise bad_request(f"tools: at most {MOST_TOOLS_CHARS} characters were expected", "tools")
    return text


def is_call_demanded(tools: str) -> bool:
    """Whether a reply without a call would not be what was asked for."""
    choice = json.loads(tools).get("tool_choice", "auto")
    return choice not in ("none", "auto")


def _name(tool: object, where: str) -> str:
    if not isinstance(tool, dict):
        raise bad_request(f"{where}: an object was expected", where)
    if tool.get("type") != "function":
        raise bad_request(
            f"{where}.type: only functions can be passed on", f"{where}.type", "unsupported"
        )
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name:
        raise bad_request(f"{where}.function.name: a text was expected", f"{where}.function.name")
    return name


def _check_choice(choice: object, names: Sequence[str]) -> None:
    if choice in ("none", "auto", "required"):
        return
    kind = choice.get("type") if isinstance(choice, dict) else None
    function = choice.get("function") if isinstance(choice, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if kind != "function" or name not in names:
        raise bad_request(
            "tool_choice: expected none, auto, required or a function of tools", "tool_choice"
        )


class Callers:
    """Which worker asked for which call; of each key by itself, since ids need not be unique."""

    def __init__(self) -> None:
        self._workers: OrderedDict[tuple[str, str], str] = OrderedDict()

    def remember(self, key_id: str, calls: str, worker: str) -> None:
        """Take the calls of a reply to a key, as JSON text."""
        for call in json.loads(calls):
            if len(call["id"]) <= MOST_ID_CHARS:  # no longer one can come back
                self._workers[key_id, call["id"]] = worker
                self._workers.move_to_end((key_id, call["id"]))
        while len(self._workers) > MOST_REMEMBERED:
            self._workers.popitem(last=False)

    def asked(self, key_id: str, messages: Sequence[Message]) -> str | None:
        """The worker that waits for the result with which a history ends; None: nobody known."""
        last = messages[-1]
        return self._workers.get((key_id, last.tool_call_id)) if last.role == "tool" else None
