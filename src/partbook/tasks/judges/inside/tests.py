"""The tests' process: runs test source against a program that runs in another process.

The other process is made before a single test is read, shares no memory with this one, and holds
no descriptor but its two ends of the connection. This process cannot be traced and reads nothing
that the program can write but its answers, as data; so the report at the end is this process's
own. It is process 1 of its sandbox: signals from the program do not reach it.
"""

import ctypes
import json
import os
import signal
import sys

from partbook.tasks.judges.inside.checks import Failed, compiled, run_checks
from partbook.tasks.judges.inside.far import Broken, Link
from partbook.tasks.judges.inside.program import alone, serve
from partbook.tasks.judges.inside.together import together
from partbook.tasks.judges.inside.wire import receive

__all__ = ["main"]

PR_SET_DUMPABLE = 4
"""From `linux/prctl.h`."""


def main() -> None:
    """Read what to run from standard input, and report on standard output."""
    # A module that the program writes must not be imported here.
    del sys.path[0]
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all others do not reach process 1
    out = os.dup(1)
    os.write(out, b'"ready"\n')
    told = receive(0)
    assert isinstance(told, dict)
    start = together if told["together"] else serve
    (there, outbound), (inbound, back) = os.pipe(), os.pipe()
    if os.fork() == 0:
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            alone(there, back)
            start(there, back, told["before"], told["program"], told["entry"])
        finally:
            os._exit(0)
    os.close(there)
    os.close(back)
    tests = receive(0)
    assert isinstance(tests, dict)
    alone(out, inbound, outbound)
    link = Link(inbound, outbound)
    found = _unusable(told, tests) or (_together if told["together"] else _apart)(link, tests, told)
    os.write(out, json.dumps(found).encode() + b"\n")
    os._exit(0)  # and with process 1 all others end


def _unusable(told: dict[str, str], tests: dict[str, str]) -> dict[str, str] | None:
    # In a namespace of their own: what is wrong with the tests is not the program's doing.
    try:
        compiled(tests["source"])
        exec(compile(told["before"], "before.py", "exec"), {"__name__": "before"})
    except BaseException as error:  # noqa: BLE001 - somebody's source
        return {"unusable": f"{type(error).__name__}: {error}"[:300]}
    return None


def _apart(link: Link, tests: dict[str, str], told: dict[str, str]) -> dict[str, str]:
    space: dict[str, object] = {}
    try:
        exec(compile(told["before"], "before.py", "exec"), space)
        _bind(link, space, tests["names"], told["entry"])
        run_checks(compiled(tests["source"]), tests["source"], space, tests["style"], told["entry"])
    except (Failed, Broken) as failed:
        if link.unusable:
            return {"unusable": link.unusable}
        return {"failed": link.broken or str(failed)}
    if link.unusable:
        return {"unusable": link.unusable}
    if link.broken:
        return {"failed": link.broken}
    if not link.asked:
        return {"unusable": "the tests never use the program"}
    return {"passed": str(link.asked)}


def _bind(link: Link, space: dict[str, object], wanted: object, entry: str) -> None:
    """Give the tests the names of the program that they need, and no other.

    What the tests bring themselves stays theirs: a program could define its own `check` or `abs`.
    """
    reply = link.told(wanted)
    if "raise" in reply:
        error = link.error(reply["raise"])
        raise Failed(f"the program raised {type(error).__name__}: {error}"[:300])
    names = reply.get("names")
    assert isinstance(wanted, list)
    for name in wanted:
        about = names.get(name) if isinstance(names, dict) else None
        if not isinstance(about, dict) or (name in space and name != entry):
            continue
        if "value" in about:
            space[name] = link.value(about["value"])
        else:
            base = link.error({"types": about.get("error"), "args": ["list", []]})
            space[name] = link.errors[name] = type(name, (type(base),), {})


def _together(link: Link, tests: dict[str, str], told: dict[str, str]) -> dict[str, str]:
    nonce = os.urandom(16).hex()
    try:
        if "failed" not in (reply := link.told({})):
            reply = link.told(tests | {"nonce": nonce})
    except Broken as broken:
        return {"failed": str(broken)}
    if reply.get("passed") == nonce:
        return {"passed": "together"}
    return {"failed": str(reply.get("failed", "what the program said is no report"))}


if __name__ == "__main__":
    main()
