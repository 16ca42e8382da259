"""What tells two workers apart: all that their pool file says, and nothing else."""

from partbook.evaluate.running.identity import worker_words
from partbook.message import Sampling
from partbook.pool import WorkerSpec


def test_what_a_pool_file_does_not_say_is_not_part_of_a_worker():
    # The hash of {"model": "m", "sampling": {"max_tokens": 9}}: the name stands beside it, and it
    # does not depend on which other fields there are.
    spec = WorkerSpec("ann", "local", model="m", sampling=Sampling(9))

    assert worker_words(spec) == "local m (0421692e2945)"


def test_another_limit_makes_another_worker_and_another_queue_does_not():
    one = WorkerSpec("ann", "local", model="m", sampling=Sampling(9))
    other = WorkerSpec("ann", "local", model="m", sampling=Sampling(10))
    wider = WorkerSpec("ann", "local", model="m", sampling=Sampling(9), max_concurrency=3)

    assert worker_words(one) != worker_words(other)
    assert worker_words(one) == worker_words(wider)
