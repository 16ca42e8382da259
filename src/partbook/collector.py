"""How often Python looks for garbage in a process of Partbook's own.

Python looks each time 700 more objects were made than freed. With a thousand workflows at once that
is one or two of them, so nearly everything that is alive meanwhile is taken for old, and old things
are looked at again and again: a third of a workflow's CPU time with 1,000 at once
(`bench/growth.py`). Programs that import Partbook decide for themselves; what they lose is told in
`docs/speed.md`.
"""

import gc

__all__ = ["collect_seldom"]

YOUNG = 10_000
"""Objects more made than freed until those are looked at; nothing else happens meanwhile."""

TIMES = 50
"""How often a generation is looked at before the next older one is."""


def collect_seldom() -> None:
    """Have this process look for garbage less often; for its first lines."""
    gc.set_threshold(YOUNG, TIMES, TIMES)
