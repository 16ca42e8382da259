"""What the code judge runs inside the sandbox, beside the program that is judged.

    cases.py     runs a program once for each case, or calls its function; compares nothing
    tests.py     runs test source; the program is in another process, or in the same one (together)
    program.py   the other process: runs the program and does with its objects as it is told
    wire.py      values between the two processes
    far.py       what an object of the program looks like to the tests
    checks.py    asserts, `check(candidate)` and test cases, against a namespace
    together.py  tests that only work in the program's own process

The modules are sent into the sandbox as source and run on its interpreter, so they import only the
standard library and each other. `code_files.py` puts them together.
"""
