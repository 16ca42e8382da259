"""What servers on one store count together: rates of keys, calls in flight, calls of a minute."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from partbook.store import ApiKeys
from partbook.store.counting import Gate
from tests.store.elsewhere import ask, change

PATIENT_S = 60.0
SERVERS = 4


@pytest.fixture
def keys(any_store):
    with ApiKeys.open(any_store, PATIENT_S) as opened:
        yield opened


def at_once(any_store, work) -> list:
    """What `work` gives for each of some servers, which have connections of their own."""

    def one(_: int) -> object:
        with ApiKeys.open(any_store, PATIENT_S) as keys:
            return work(keys.counting)

    with ThreadPoolExecutor(SERVERS) as threads:
        return list(threads.map(one, range(SERVERS)))


def test_servers_that_take_at_once_take_exactly_what_a_minute_has(any_store, keys):
    kept, _ = keys.create("ann")
    found = at_once(any_store, lambda c: [c.take(kept.key_id, 6)[0] for _ in range(5)])

    assert sum(map(sum, found)) == 6


def test_a_bucket_in_the_store_fills_evenly(any_store, keys):
    kept, _ = keys.create("ann")
    took = [keys.counting.take(kept.key_id, 3) for _ in range(4)]
    change(any_store, "UPDATE key_rates SET full_at = full_at - 20")  # as if 20 seconds had passed
    later = [keys.counting.take(kept.key_id, 3) for _ in range(2)]

    assert [each[0] for each in took] == [True, True, True, False]
    assert [each[0] for each in later] == [True, False]
    assert took[0][1] == pytest.approx(20, abs=5)
    assert took[3][1] == pytest.approx(60, abs=5)


def test_a_bucket_that_was_full_for_long_holds_no_more_than_a_minute(any_store, keys):
    kept, _ = keys.create("ann")
    keys.counting.take(kept.key_id, 2)
    change(any_store, "UPDATE key_rates SET full_at = full_at - 3600")

    assert [keys.counting.take(kept.key_id, 2)[0] for _ in range(3)] == [True, True, False]


def test_no_more_calls_are_in_flight_than_a_gate_allows_whoever_lets_them_in(any_store, keys):
    gate = Gate("g", 3)
    inside, most, lock, is_full = 0, 0, threading.Lock(), threading.Event()

    def call(counting) -> None:
        nonlocal inside, most
        for _ in range(5):
            while not (let_in := counting.enter(gate).call_ids):
                time.sleep(0.01)
            with lock:
                inside += 1
                most = max(most, inside)
            if most == 3:
                is_full.set()
            is_full.wait(30)
            with lock:
                inside -= 1
            counting.leave(gate, let_in)

    at_once(any_store, call)

    assert most == 3
    assert ask(any_store, "SELECT count(*) FROM gate_calls") == 0


def later(any_store, seconds: int) -> None:
    """Have it be so much later for the calls at all gates."""
    change(any_store, "UPDATE gate_calls SET until = until - :seconds", seconds=seconds)


def test_a_call_that_is_not_renewed_counts_no_longer(any_store, keys):
    gate = Gate("g", 1, counts_s=60)
    first = keys.counting.enter(gate)
    later(any_store, 40)
    keys.counting.renew(gate, first.call_ids)
    later(any_store, 40)
    full = keys.counting.enter(gate)
    later(any_store, 40)
    second = keys.counting.enter(gate)
    keys.counting.renew(gate, first.call_ids)  # it was in flight after all
    later(any_store, 40)

    assert (len(first.call_ids), full.call_ids, len(second.call_ids)) == (1, (), 1)
    assert 0 < full.wait_s <= 20
    assert keys.counting.enter(gate).call_ids == ()
    later(any_store, 40)
    assert keys.counting.enter(gate).call_ids


def test_gates_of_other_names_do_not_count(keys):
    assert all(keys.counting.enter(Gate(name, 1)).call_ids for name in ("a", "b"))


def test_tokens_of_a_minute_are_the_worst_case_until_a_call_is_over(keys):
    gate = Gate("g", None, tokens=100, counts_s=60)
    large = keys.counting.enter(gate, [90])
    refused = keys.counting.enter(gate, [20])
    keys.counting.settle(gate, {large.call_ids[0]: 40})
    fits = keys.counting.enter(gate, [60])

    assert refused.call_ids == ()
    assert fits.call_ids
    assert keys.counting.enter(gate, [1]).call_ids == ()


def test_of_those_that_come_together_the_first_ones_are_let_in(keys):
    gate = Gate("g", 3, tokens=100, counts_s=60)

    assert len(keys.counting.enter(gate, [50, 40, 20, 5]).call_ids) == 2
    assert len(keys.counting.enter(gate, [10, 0]).call_ids) == 1


def test_a_call_that_is_larger_than_a_minute_goes_alone(keys):
    gate = Gate("g", None, tokens=100, counts_s=60)

    assert keys.counting.enter(gate, [500]).call_ids
    assert keys.counting.enter(gate, [1]).call_ids == ()


KILLED = """
import sys, time
from partbook.store import ApiKeys
from partbook.store.counting import Gate
keys = ApiKeys.open(sys.argv[1])
print(keys.counting.enter(Gate("g", 1)).call_ids[0], flush=True)
time.sleep(60)
"""


def test_a_server_that_is_killed_gives_back_its_share_when_its_lease_ends(any_store, keys):
    gate = Gate("g", 1)
    command = [sys.executable, "-c", KILLED, any_store]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout is not None
        held = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    at_first = keys.counting.enter(gate)
    later(any_store, 30)

    assert len(held) == 16
    assert at_first.call_ids == ()
    assert keys.counting.enter(gate).call_ids
