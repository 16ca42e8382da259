import struct

import pytest

from partbook.sandbox.seccomp import FAMILIES, REFUSED, SOCKET, seccomp_filter


def run_filter(program: bytes, machine: str, number: int, argument: int = 2) -> int:
    """What a classic BPF filter returns for a system call; just what such a filter uses."""
    architecture = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}.get(machine, 0)
    code = list(struct.iter_unpack("=HBBI", program))
    at, value = 0, 0
    while True:
        what, yes, no, k = code[at]
        if what == 0x06:
            return k
        if what == 0x20:
            value = {0: number, 4: architecture, 16: argument}[k]
            at += 1
            continue
        holds = value == k if what == 0x15 else value >= k
        at += 1 + (yes if holds else no)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_filter_refuses_every_listed_call_and_no_other(machine: str):
    program = seccomp_filter(machine)

    assert program is not None
    refused = {n for n in range(600) if run_filter(program, machine, n) == 0x00050001}
    assert refused == set(REFUSED[machine].values())
    assert run_filter(program, machine, 0x40000001) == 0x00050001
    assert run_filter(program, "another", 1) == 0x80000000


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_socket_may_be_of_a_family_that_a_network_namespace_keeps_in(machine: str):
    program = seccomp_filter(machine)

    assert program is not None
    allowed = {
        family
        for family in range(50)
        if run_filter(program, machine, SOCKET[machine], family) == 0x7FFF0000
    }
    assert allowed == set(FAMILIES.values()) == {1, 2, 10, 16}


def test_no_filter_is_made_for_a_processor_that_is_not_listed():
    assert seccomp_filter("riscv64") is None
