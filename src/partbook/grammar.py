"""A GBNF grammar that keeps a Conductor's text to the workflow format, for llama.cpp.

It lets through a bounded line of prose and then the three lists, of equal length, with workers of
the pool and access to earlier steps only: a small model cannot write anything else. It says nothing
about whether the workflow is any good.
"""

from functools import lru_cache

__all__ = ["workflow_grammar"]

_THOUGHT_CHARS = 400
_SUBTASK_CHARS = 300


@lru_cache(maxsize=64)
def workflow_grammar(workers: int, max_steps: int, *, later: bool = False) -> str:
    """The grammar for a pool of this size.

    Args:
        workers: size of the pool, at least 1.
        max_steps: the most steps, at least 1.
        later: whether there is an answer of a round before: three empty lists keep it, and a step
            with access to "all" reads it.
    """
    lengths = " | ".join(f"plan{n}" for n in range(0 if later else 1, max_steps + 1))
    rules = [
        f"root ::= thought ({lengths})",
        f'thought ::= [^\\n=\\[\\]]{{1,{_THOUGHT_CHARS}}} "\\n"',
        "worker ::= " + " | ".join(f'"{i}"' for i in range(workers)),
        f'subtask ::= "\\"" [^"\\\\\\n]{{1,{_SUBTASK_CHARS}}} "\\""',
    ]
    if later:
        rules.append('plan0 ::= "model_id = []\\nsubtasks = []\\naccess_list = []"')
    for n in range(1, max_steps + 1):
        ids = ' ", " '.join(["worker"] * n)
        subtasks = ' ", " '.join(["subtask"] * n)
        access = ' ", " '.join(f"access{i}" for i in range(n))
        rules.append(
            f'plan{n} ::= "model_id = [" {ids} "]\\nsubtasks = [" {subtasks} '
            f'"]\\naccess_list = [" {access} "]"'
        )
    everything = ' | "[\\"all\\"]"' if later else ""
    rules += [f"access{i} ::= {_access(i)}{everything}" for i in range(max_steps)]
    return "\n".join(rules) + "\n"


def _access(step: int) -> str:
    """Ascending lists of steps before this one: none, or some first step and any later ones."""
    options = ['"[]"']
    for first in range(step):
        rest = "".join(f' (", {j}")?' for j in range(first + 1, step))
        options.append(f'"[{first}"{rest} "]"')
    return " | ".join(options)
