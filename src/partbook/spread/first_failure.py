"""First failure: what a TaskGroup raises, as whoever began its tasks expects it.

The first failure cancels the others, so there is one that says what happened.
"""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["first_failure"]


@contextmanager
def first_failure() -> Iterator[None]:
    """Around a TaskGroup: raise its first failure as it is, and not within a group."""
    try:
        yield
    except ExceptionGroup as failures:
        raise _first(failures) from None


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, ExceptionGroup) else first
