"""What a checker's module may do to its process; run by the tests of `killable`."""

import os
import sys
import tempfile
import time
from collections.abc import Callable

from partbook.tasks.judges.checker import serve


def answer(question: object, say: Callable[[object], None]) -> object:
    say("heard")
    if isinstance(question, str) and question.startswith("touch "):
        open(question.removeprefix("touch "), "wb").close()
        time.sleep(3600)
    match question:
        case "spin":
            while True:
                pass
        case "sleep":
            time.sleep(3600)
        case "eat":
            return len(bytearray(1 << 40))
        case "dig":
            return answer_deeper(0)
        case "die":
            os._exit(7)
        case "print":
            sys.stdout.write("not part of the conversation\n")
            sys.stdout.flush()
        case "write":
            try:
                with tempfile.TemporaryFile(buffering=0) as file:
                    file.write(b"x")
            except OSError:
                return "refused"
        case "raise":
            raise LookupError
        case "environment":
            return sorted(os.environ)
        case "pid":
            return os.getpid()
        case "modules":
            return "sympy" in sys.modules
    return question


def answer_deeper(depth: int) -> int:
    return answer_deeper(depth + 1)


if __name__ == "__main__":
    serve(answer)
