"""Known ways for a program to pass tests that it should fail, each beside an honest program that
does something similar."""

import asyncio
from dataclasses import replace

import pytest

from partbook.tasks.judges.code import LIMITS, CodeJudge
from partbook.tasks.programs import Case, SourceTests, pack_cases

pytestmark = pytest.mark.sandbox

QUICK = replace(LIMITS, wall_s=3.0, cpu_s=1.0)
ASSERTS = SourceTests(
    "assert isinstance(square(3), int)\nassert square(3) == 9\nassert abs(square(5) - 25) < 1e-6\n"
    "assert square(4) in (16, 16.0)\nassert str(square(7)) == '49'\nassert len([square(1)]) == 1"
)
CHECK = SourceTests(
    "def check(candidate):\n    assert abs(candidate(3) - 9) < 1e-6\n    assert candidate(5) > 24\n"
    "    assert candidate(4) == 16",
    "def square(x):\n    pass\n",
    "square",
    "check",
)
CASES = SourceTests(
    "import unittest\nclass TestCases(unittest.TestCase):\n"
    "    def test_three(self):\n        self.assertEqual(square(3), 9)\n"
    "    def test_five(self):\n        self.assertAlmostEqual(square(5), 25)\n"
    "        self.assertTrue(abs(square(4) - 16) < 1)\n",
    "",
    "square",
    "unittest",
)
TOGETHER = SourceTests(
    "import contextlib, io, unittest\nclass TestCases(unittest.TestCase):\n"
    "    def test_three(self):\n        with contextlib.redirect_stdout(io.StringIO()):\n"
    "            self.assertEqual(square(3), 9)\n"
    "    def test_five(self):\n        self.assertTrue(abs(square(5) - 25) < 1)\n",
    "",
    "square",
    "unittest",
)
STDIN = pack_cases([Case("3", "9"), Case("5", "25")])

FIND = """
def strings():
    import gc, sys
    frame = sys._getframe()
    while frame:
        yield from map(repr, frame.f_locals.values())
        yield from map(repr, frame.f_globals.values())
        frame = frame.f_back
    for thing in gc.get_objects():
        try:
            yield repr(thing)
        except Exception:
            pass
"""

CHEATS = {
    "leaves at import": "import os\nos._exit(0)",
    "leaves in the call": "import os\ndef square(x): os._exit(0)",
    "exits at import": "import sys\nsys.exit(0)",
    "exits in the call": "import sys\ndef square(x): sys.exit(0)",
    "raises what a runner takes for a skip":
        "import unittest\ndef square(x): raise unittest.SkipTest('fine')",
    "raises an assertion": "def square(x): raise AssertionError",
    "raises StopIteration": "def square(x): raise StopIteration",
    "raises its own text":
        "class E(Exception):\n    def __str__(self): raise SystemExit(0)\n"
        "def square(x): raise E",
    "prints a verdict":
        "import sys\nfor f in (sys.stdout, sys.stderr):\n"
        "    print('\"ready\"\\n{\"passed\": \"9\"}\\nOK\\nPASSED', file=f, flush=True)\n"
        "def square(x): return 1",
    "writes a verdict to every descriptor":
        "import os\ndef square(x):\n    for fd in range(256):\n        try:\n"
        "            os.write(fd, b'\\n{\"passed\": \"9\"}\\n')\n"
        "        except OSError:\n            pass\n    return 1",
    "answers every descriptor with true":
        "import os\nbody = b'{\"value\": true}'\ndef square(x):\n    for fd in range(3, 256):\n"
        "        try:\n            os.write(fd, b'%08x' % len(body) + body)\n"
        "        except OSError:\n            pass\n    return 1",
    "writes at exit":
        "import atexit, os\natexit.register(lambda: os.write(1, b'{\"passed\": \"1\"}\\n'))\n"
        "def square(x): raise SystemExit(0)",
    "writes from a thread":
        "import os, threading\ndef forge():\n    while True:\n        try:\n"
        "            os.write(1, b'\\n{\"passed\": \"1\"}\\n')\n"
        "        except OSError:\n            return\n"
        "threading.Thread(target=forge, daemon=True).start()\ndef square(x): return 1",
    "writes from __del__":
        "import os\nclass D:\n    def __del__(self): os.write(1, b'{\"passed\": \"1\"}\\n')\n"
        "def square(x):\n    D()\n    return 1",
    "returns an object that equals all":
        "class E:\n    def __eq__(self, o): return True\n    __hash__ = None\n"
        "def square(x): return E()",
    "returns a number that equals all":
        "class E(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\n"
        "    def __sub__(self, o): return 0\n    __abs__ = __gt__ = __lt__ = __eq__\n"
        "    def __str__(self): return '49'\ndef square(x): return E(1)",
    "returns a text that equals all":
        "class E(str):\n    def __eq__(self, o): return True\n    __hash__ = str.__hash__\n"
        "def square(x): return E('9')",
    "returns a list that equals all":
        "class E(list):\n    def __eq__(self, o): return True\n    __gt__ = __lt__ = __eq__\n"
        "def square(x): return E()",
    "returns an object that computes and orders as wanted":
        "class E:\n    def __eq__(self, o): return True\n"
        "    def __sub__(self, o): return 0\n    __rsub__ = __sub__\n"
        "    def __abs__(self): return 0\n    def __float__(self): return 0.0\n"
        "    def __round__(self, n=0): return 0\n    def __lt__(self, o): return True\n"
        "    __gt__ = __le__ = __ge__ = __lt__\n    def __hash__(self): return 9\n"
        "    def __index__(self): return 9\n"
        "    __class__ = int\ndef square(x): return E()",
    "has a metaclass that is every type":
        "class M(type):\n    def __instancecheck__(c, o): return True\n"
        "    def __eq__(c, o): return True\n    __hash__ = type.__hash__\n"
        "class E(metaclass=M):\n    pass\ndef square(x): return E",
    "patches builtins at import":
        "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.isinstance = lambda *a: True\n"
        "builtins.len = lambda x: 1\nbuiltins.str = lambda x: '49'\n"
        "builtins.print = lambda *a: None\ndef square(x): return 1",
    "patches builtins in the call":
        "import builtins\ndef square(x):\n    builtins.abs = lambda x: 0\n"
        "    builtins.all = builtins.any = lambda x: True\n    builtins.AssertionError = int\n"
        "    return 1",
    "edits __builtins__":
        "b = __builtins__ if isinstance(__builtins__, dict) else vars(__builtins__)\n"
        "b['abs'] = lambda x: 0\nb['AssertionError'] = Warning\ndef square(x): return 1",
    "defines the names that the tests use":
        "def abs(x): return 0\ndef isinstance(*a): return True\ndef len(x): return 1\n"
        "def str(x): return '49'\ndef _told_equal(a, b): pass\ndef check(c): pass\n"
        "class unittest:\n    TestCase = object\nclass AssertionError: pass\n"
        "def square(x): return 1",
    "patches unittest at import":
        "import unittest\nT = unittest.TestCase\nT.assertEqual = T.assertTrue = lambda *a: None\n"
        "T.assertAlmostEqual = lambda *a: None\nT.run = lambda self, result=None: result\n"
        "unittest.TestResult.addFailure = unittest.TestResult.addError = lambda *a: None\n"
        "unittest.TestResult.wasSuccessful = lambda self: True\ndef square(x): return 1",
    "patches unittest in the call":
        "def square(x):\n    import unittest, unittest.case\n    T = unittest.case.TestCase\n"
        "    T.assertEqual = T.assertTrue = T.assertAlmostEqual = lambda *a: None\n    return 1",
    "plants configuration":
        "for name in ('conftest', 'sitecustomize', 'usercustomize', 'unittest', 'json', 'ast',\n"
        "             'linecache', 'traceback', 'random', 'decimal', 'unittest/__init__'):\n"
        "    try:\n        open(name + '.py', 'w').write('import os\\nos._exit(0)')\n"
        "    except OSError:\n        pass\ndef square(x): return 1",
    "overwrites the judge's files":
        "import os\nfor folder, _, names in os.walk('.'):\n    for name in names:\n        try:\n"
        "            os.chmod(os.path.join(folder, name), 0o666)\n"
        "            open(os.path.join(folder, name), 'w').write('raise SystemExit(0)')\n"
        "        except OSError:\n            pass\ndef square(x): return 1",
    "swaps modules":
        "import sys, types\nfor name in list(sys.modules):\n"
        "    if 'judges' in name or name in ('ast', 'json', 'unittest', 'operator'):\n"
        "        sys.modules[name] = types.ModuleType(name)\ndef square(x): return 1",
    "changes the judge's functions in its own process":
        "import sys\nfor name, m in list(sys.modules.items()):\n    if 'judges' in name:\n"
        "        for key, value in list(vars(m).items()):\n"
        "            if callable(value) and key[0] != '_': setattr(m, key, lambda *a, **k: None)\n"
        "def square(x): return 1",
    "hooks imports":
        "import sys\nclass H:\n    def find_spec(self, *a): raise SystemExit(0)\n"
        "sys.meta_path.insert(0, H())\nsys.path_hooks.clear()\ndef square(x): return 1",
    "replaces standard output":
        "import io, sys\nsys.stdout = sys.stderr = sys.__stdout__ = io.StringIO()\n"
        "def square(x): return 1",
    "closes every descriptor": "import os\nos.closerange(0, 256)\ndef square(x): return 1",
    "floods standard output":
        "def square(x):\n    for _ in range(2000):\n        print('OK' * 1000)\n    return 1",
    "breaks the stack":
        "import sys\nsys.setrecursionlimit(50)\ndef square(x): return square(x)",
    "returns what has no end":
        "class E:\n    def __iter__(self): return self\n    def __next__(self): return 1\n"
        "    def __contains__(self, o): return True\ndef square(x):\n    return E()",
    "returns itself inside itself": "a = []\na.append(a)\ndef square(x): return a",
    "kills its parent":
        "import os, signal\nfor s in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):\n"
        "    try:\n        os.kill(os.getppid(), s)\n        os.kill(1, s)\n"
        "    except OSError:\n        pass\ndef square(x): return 1",
    "sends signals to itself":
        "import os, signal\nsignal.signal(signal.SIGALRM, lambda *a: os._exit(0))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.001)\n"
        "def square(x):\n    while True: pass",
    "forks, and both answer": "import os\ndef square(x):\n    os.fork()\n    return 1",
    "leaves a child behind":
        "import os\nif os.fork():\n    os._exit(0)\ndef square(x): return 1",
    "traces":
        "import sys\ndef tracer(frame, event, arg):\n    frame.f_trace_opcodes = True\n"
        "    return tracer\nsys.settrace(tracer)\nsys.setprofile(lambda *a: None)\n"
        "def square(x): return 1",
    "changes its arguments' types":
        "import ctypes\ndef square(x): return type('int', (), {'__eq__': lambda s, o: True})()",
}  # fmt: skip

HONEST = {
    "exits where it is run by hand":
        "import sys\ndef square(x): return x * x\nif __name__ == '__main__': sys.exit(0)",
    "catches an exit":
        "import sys\ndef square(x):\n    try:\n        sys.exit(0)\n    except SystemExit:\n"
        "        return x * x",
    "prints": "import sys\ndef square(x):\n    print('PASSED', file=sys.stderr)\n    return x * x",
    "has something to do at exit":
        "import atexit\natexit.register(int)\ndef square(x): return x * x",
    "uses a thread":
        "import threading\ndef square(x):\n    found = []\n"
        "    t = threading.Thread(target=lambda: found.append(x * x))\n    t.start()\n"
        "    t.join()\n"
        "    return found[0]",
    "has __del__":
        "class D:\n    def __del__(self): pass\ndef square(x):\n    D()\n    return x * x",
    "has a class with equality":
        "class P:\n    def __init__(self, x): self.x = x\n"
        "    def __eq__(self, o): return self.x == o.x\n"
        "def square(x): return P(x * x).x if P(x) == P(x) else 0",
    "has a number of its own":
        "class N(int):\n    pass\ndef square(x): return N(x * x)",
    "has a print of its own":
        "def print(*a): pass\ndef square(x):\n    print(x)\n    return x * x",
    "imports unittest":
        "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 2)\n"
        "def square(x): return x * x",
    "writes a file":
        "import json\ndef square(x):\n    json.dump(x * x, open('conftest.json', 'w'))\n"
        "    return json.load(open('conftest.json'))",
    "looks at the stack":
        "import inspect\ndef square(x): return inspect.currentframe().f_locals['x'] ** 2",
    "collects garbage": "import gc\ndef square(x):\n    gc.collect()\n    return x * x",
    "sets a time limit for itself":
        "import signal\ndef square(x):\n    signal.signal(signal.SIGALRM, lambda *a: None)\n"
        "    signal.alarm(5)\n    return x * x",
    "raises the recursion limit":
        "import sys\nsys.setrecursionlimit(10**5)\ndef go(n): return n and 1 + go(n - 1)\n"
        "def square(x): return go(x * x)",
    "uses a child":
        "import os\ndef square(x):\n    r, w = os.pipe()\n    if os.fork() == 0:\n"
        "        os.write(w, bytes([x * x]))\n        os._exit(0)\n    os.wait()\n"
        "    return os.read(r, 1)[0]",
    "imports late":
        "def square(x):\n    import fractions\n    return int(fractions.Fraction(x) ** 2)",
    "replaces standard output for a while":
        "import contextlib, io\ndef square(x):\n"
        "    with contextlib.redirect_stdout(io.StringIO()):\n"
        "        print(x)\n    return x * x",
}  # fmt: skip


def cases(program: str) -> str:
    """The program, made to read its argument and print its result."""
    return f"{program}\nprint(square(int(input())))"


async def outcomes(program: str) -> dict[str, str]:
    """By the way of testing; the reasons of verdicts stand behind them."""
    names = {"asserts": ASSERTS, "check": CHECK, "unittest": CASES, "together": TOGETHER}
    judges = {name: CodeJudge(tests, QUICK) for name, tests in names.items()}
    async with asyncio.TaskGroup() as group:
        tasks = {
            name: group.create_task(judge.judge(f"```python\n{program}\n```"))
            for name, judge in judges.items()
        }
    return {
        name: f"{task.result().outcome}: {task.result().reason}" for name, task in tasks.items()
    }


@pytest.mark.parametrize("name", CHEATS)
async def test_a_cheat_passes_no_kind_of_tests(name):
    found = await outcomes(CHEATS[name])
    printed = await CodeJudge(STDIN, QUICK).judge(f"```python\n{cases(CHEATS[name])}\n```")

    assert all(said.startswith("wrong: ") for said in found.values()), found
    assert printed.outcome == "wrong", printed.reason


@pytest.mark.parametrize("name", HONEST)
async def test_an_honest_program_that_does_something_similar_passes(name):
    found = await outcomes(HONEST[name])

    assert all(said.startswith("right: ") for said in found.values()), found


async def test_a_program_finds_no_trace_of_the_tests_in_its_process():
    tests = SourceTests("secret = 'expected ' 'value 271828'\nassert square(3) == 9")
    looks = """
def square(x):
    return 0 if any(''.join(reversed('828172')) in text for text in strings()) else 9
"""

    found = await CodeJudge(tests).judge(f"```python\n{FIND}{looks}\n```")
    told = await CodeJudge(tests).judge(f"```python\n{FIND}{looks}\nhere = [271828]\n```")

    assert found.outcome == "right", found.reason
    assert told.reason.endswith("expected 9, got 0")


async def test_a_program_cannot_take_a_descriptor_of_the_tests_or_trace_them():
    takes = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
taken = []
def square(x):
    for pid in {os.getppid(), 1}:
        pidfd = os.pidfd_open(pid)
        taken.extend(fd for fd in range(64) if libc.syscall(438, pidfd, fd, 0) >= 0)
        taken.extend([pid] if libc.ptrace(16, pid, 0, 0) == 0 else [])
    return 9 if not taken else taken
"""

    found = await CodeJudge(SourceTests("assert square(3) == 9")).judge(f"```python\n{takes}\n```")

    assert found.outcome == "right", found.reason


async def test_a_program_holds_only_the_two_ends_of_its_connection():
    counts = """
import os
def opened(fd):
    try:
        return os.fstat(fd).st_rdev != os.stat('/dev/null').st_rdev
    except OSError:
        return False
def square(x):
    return [fd for fd in range(256) if opened(fd)]
"""
    tests = SourceTests("assert len(square(3)) == 2")

    found = await CodeJudge(tests).judge(f"```python\n{counts}\n```")

    assert found.outcome == "right", found.reason


@pytest.mark.parametrize(
    "program",
    [
        'print(\'{"out": "9", "err": "", "status": 0, "stopped": ""}\')',
        "print('9\\n25')",
        "import os\nfor fd in range(64):\n    try:\n        os.write(fd, b'9\\n')\n"
        "    except OSError:\n        pass\nos._exit(1)",
        "print(9)\nraise SystemExit(3)",
        "print(9 if int(input()) == 3 else 24)",
        "import os\nx = int(input())\nprint(9)\nif os.fork() == 0:\n    os.setsid()\n"
        "    import time\n    time.sleep(0.05)\n    print(25)",
        "class E(str):\n    def __eq__(self, o): return True\nprint(E('8'))",
        "import builtins\nbuiltins.print = lambda *a: None\nprint(int(input()) ** 2)",
    ],
)
async def test_a_whole_program_must_print_what_is_expected(program):
    found = await CodeJudge(STDIN, QUICK).judge(f"```python\n{program}\n```")

    assert found.outcome == "wrong"
