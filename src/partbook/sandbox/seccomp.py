"""The system calls that a program in the sandbox is refused, as a classic BPF filter.

It closes doors that the other limits leave open: memory that no limit counts (`memfd_create`,
System V objects), parts of the kernel that a Python program does not need and in which holes are
found most often (io_uring, bpf, key rings, ...), and sockets of families that no network namespace
keeps in: one of AF_VSOCK reaches the machine under a virtual machine. All else is left to the
namespaces. On a processor that is not listed here there is no filter.
"""

import platform
import struct

__all__ = ["FAMILIES", "REFUSED", "SOCKET", "seccomp_filter"]

REFUSED: dict[str, dict[str, int]] = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "ptrace": 101, "syslog": 103, "pivot_root": 155,
        "chroot": 161, "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169,
        "init_module": 175, "delete_module": 176, "kexec_load": 246, "add_key": 248,
        "request_key": 249, "keyctl": 250, "unshare": 272, "vmsplice": 278, "perf_event_open": 298,
        "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308,
        "process_vm_readv": 310, "process_vm_writev": 311, "finit_module": 313,
        "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
        "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
        "fsmount": 432, "fspick": 433, "mount_setattr": 442, "memfd_secret": 447,
    },
    "aarch64": {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "vmsplice": 75, "unshare": 97,
        "kexec_load": 104, "init_module": 105, "delete_module": 106, "syslog": 116, "ptrace": 117,
        "reboot": 142, "msgget": 186, "semget": 190, "shmget": 194, "add_key": 217,
        "request_key": 218, "keyctl": 219, "swapon": 224, "perf_event_open": 241,
        "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "finit_module": 273,
        "memfd_create": 279, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
        "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
        "fsmount": 432, "fspick": 433, "mount_setattr": 442, "memfd_secret": 447,
    },
}  # fmt: skip
"""Per processor, the numbers in the kernel's system call tables."""

SOCKET = {"x86_64": 41, "aarch64": 198}
"""The number of `socket`, whose first argument is looked at."""

FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
"""The families of sockets that a program may have: those that a network namespace keeps in."""

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000
"""x86-64 programs may also call by the x32 numbers, which start here; all of them are refused."""

# linux/bpf_common.h and linux/seccomp.h
_LOAD_WORD, _JUMP_EQ, _JUMP_GE, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _EPERM = 0x7FFF0000, 0x80000000, 0x00050001
_NUMBER_OFFSET, _ARCH_OFFSET = 0, 4
_ARGUMENT_OFFSET = 16
"""Of the lower half of the first argument: the processors listed here are little-endian."""


def seccomp_filter(machine: str = platform.machine()) -> bytes | None:
    """The filter for `bwrap --seccomp`, 8 bytes an instruction; None for an unlisted processor."""
    if machine not in REFUSED:
        return None
    numbers, families = sorted(REFUSED[machine].values()), sorted(FAMILIES.values())
    # A jump counts the instructions that it leaves out; the last two are where all of them lead.
    left = len(numbers) + len(families) + 2
    body = [(_JUMP_GE, left, 0, _X32_BIT)]
    body += [(_JUMP_EQ, left - 1 - i, 0, number) for i, number in enumerate(numbers)]
    body += [(_JUMP_EQ, 0, len(families) + 2, SOCKET[machine])]
    body += [(_LOAD_WORD, 0, 0, _ARGUMENT_OFFSET)]
    body += [(_JUMP_EQ, len(families) - i, 0, family) for i, family in enumerate(families)]
    code = [
        (_LOAD_WORD, 0, 0, _ARCH_OFFSET),
        (_JUMP_EQ, 1, 0, _AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD_WORD, 0, 0, _NUMBER_OFFSET),
        *body,
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
