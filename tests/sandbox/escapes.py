"""Ways out of a sandbox for code: each a small program, with what must come of it.

`TRIES` are tried one after the other, each in a process of its own, in one start of the sandbox. A
try is the body of a function; it raises, or gives what it got hold of. What came of it is the name
of the error's number, else of the error, else `nothing`, or what it got. `BOUNDS` are programs that
take more than they may, each in a sandbox of its own.

Names that a try may use: `FACTS` about the host (see `test_escapes.py`), `call(number, ...)` for a
bare system call by its number in `NUMBERS`, `libc`, and the usual modules.
"""

from typing import NamedTuple

__all__ = ["BOUNDS", "FAILING", "NUMBERS", "RUNNER", "TRIES", "Bound", "Try"]


class Try(NamedTuple):
    """One way to get something from outside."""

    name: str
    source: str
    ends: tuple[str, ...]
    """What may come of it in the sandbox."""
    works_outside: bool = False
    """Whether it is also tried outside, where it must get something: it would notice a way out."""


class Bound(NamedTuple):
    """One way to take more than is allowed."""

    name: str
    source: str
    limit: str
    """Regular expression of the limit that ends it; `-` where it ends by itself."""
    prints: str
    """Regular expression of the end of what it prints, errors included."""
    wall_s: float = 20
    """Its time; short for those that nothing else ends."""


RUNNER = """\
import array, ctypes, errno, fcntl, json, mmap, os, resource, select, shutil, signal, socket
import stat, struct, subprocess, sys, termios, time
with open("facts.json") as file:
    FACTS = json.load(file)
NUMBERS = FACTS["numbers"]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def call(number, *arguments):
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    got = libc.syscall(ctypes.c_long(number), *words)
    if got < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return got

def connected(family, kind, address):
    with socket.socket(family, kind) as one:
        one.settimeout(3)
        one.connect(address)
        if kind == socket.SOCK_DGRAM:
            one.send(b"x")
        return "connected"

def carry_out(source, report):
    space = dict(globals())
    try:
        body = "".join("    " + line + "\\n" for line in source.splitlines())
        exec("def attempt():\\n" + body, space)
        got = space["attempt"]()
        words = ascii(got)[:60] if got else "nothing"
    except OSError as error:
        words = errno.errorcode.get(error.errno, type(error).__name__)
    except BaseException as error:
        words = type(error).__name__
    os.write(report, words.encode())
    os._exit(0)

for name, source in FACTS["tries"].items():
    reading, report = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        hush = os.open("/dev/null", os.O_WRONLY)
        os.dup2(hush, 1); os.dup2(hush, 2); os.close(hush)
        carry_out(source, report)
    os.close(report)
    ready, _, _ = select.select([reading], [], [], 20)
    words = os.read(reading, 200).decode() if ready else "no end"
    if not ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        words = f"signal {os.WTERMSIG(status)}"
    os.close(reading)
    print(json.dumps([name, words]), flush=True)
"""
"""Tries them all. Its folder has `facts.json`."""

NUMBERS = {
    "x86_64": {
        "clone": 56, "clone3": 435, "pidfd_open": 434, "clock_settime": 227, "mknodat": 259,
        "syslog": 103, "execveat": 322, "capget": 125, "delete_module": 176, "mq_open": 240,
        "kexec_load": 246, "acct": 163, "fsconfig": 431, "fspick": 433,
    },
    "aarch64": {
        "clone": 220, "clone3": 435, "pidfd_open": 434, "clock_settime": 112, "mknodat": 33,
        "syslog": 116, "execveat": 281, "capget": 90, "delete_module": 106, "mq_open": 180,
        "kexec_load": 104, "acct": 89, "fsconfig": 431, "fspick": 433,
    },
}  # fmt: skip
"""Numbers of system calls that the tries use, per processor."""

_GONE = ("ENOENT",)
_NO = ("EPERM",)
_NO_NET = ("ENETUNREACH",)

TRIES = (
    # Files of the host.
    Try("read a file by its path", "return open(FACTS['planted']).read()", _GONE, True),
    Try("read this checkout", "return open(FACTS['checkout']).read()", _GONE, True),
    Try("list the home folder", "return os.listdir(FACTS['home'])", _GONE, True),
    Try("read /etc/shadow", "return open('/etc/shadow').read()", _GONE),
    Try("read /etc/passwd", "return open('/etc/passwd').read()", _GONE, True),
    Try("climb out by ..", "return open('../' * 30 + FACTS['planted']).read()", _GONE, True),
    Try(
        "follow a symbolic link out",
        "os.symlink(FACTS['planted'], 'way')\nreturn open('way').read()",
        _GONE,
        True,
    ),
    Try(
        "swap a folder for a link while it is opened",
        "os.mkdir('race'); os.rmdir('race'); os.symlink('/', 'race')\n"
        "return open('race' + FACTS['planted']).read()",
        _GONE,
        True,
    ),
    Try(
        "make a hard link to a system file and change that",
        "os.link(sys.executable, 'hard')\nreturn open('hard', 'ab').write(b'x')",
        ("EXDEV", "EPERM"),
    ),
    Try("read through /proc/1/root", "return os.listdir('/proc/1/root/root')", _GONE),
    Try("find the root that was left behind", "return os.listdir('/oldroot')", _GONE),
    Try("list the disks' files in /sys", "return os.listdir('/sys/block')", _GONE),
    Try(
        "open a file by a handle that was made up (as shocker did)",
        "return call(NUMBERS['open_by_handle_at'], 3, ctypes.create_string_buffer(64), 0)",
        _NO,
    ),
    # Writing outside.
    Try(
        "write beside the system's libraries",
        "return open('/usr/lib/left', 'w').write('x')",
        ("EROFS", "EACCES"),
    ),
    Try(
        "replace the interpreter for the next program",
        "return open(os.path.realpath(sys.executable), 'ab').write(b'x')",
        ("EROFS", "EACCES"),
    ),
    Try(
        "overwrite the running program through /proc/self/exe",
        "return open('/proc/self/exe', 'ab').write(b'x')",
        _GONE,
    ),
    Try(
        "leave a module that the next interpreter would load",
        "import sysconfig\n"
        "place = sysconfig.get_path('purelib')\n"
        "return open(place + '/sitecustomize.py', 'w').write('x')",
        ("EROFS", "EACCES", "ENOENT"),
    ),
    Try(
        "poison compiled modules",
        "import json as module\nreturn open(module.__cached__, 'ab').write(b'x')",
        ("EROFS", "EACCES", "ENOENT"),
    ),
    Try(
        "have a library loaded into all programs",
        "return open('/etc/ld.so.preload', 'w').write('/tmp/x.so')",
        ("EROFS", "EACCES"),
    ),
    Try("change the program itself", "return open('main.py', 'a').write('x')", ("EROFS", "EACCES")),
    Try("move the program away", "os.rename('main.py', 'away')\nreturn 'moved'", ("EBUSY",)),
    # The network.
    Try(
        "a server on the host by IPv4",
        "return connected(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', FACTS['port4']))",
        ("ECONNREFUSED",),
        True,
    ),
    Try(
        "a server on the host by IPv6",
        "return connected(socket.AF_INET6, socket.SOCK_STREAM, ('::1', FACTS['port6']))",
        ("ECONNREFUSED", "EADDRNOTAVAIL", "ENETUNREACH"),
        True,
    ),
    Try(
        "the internet by IPv4",
        "return connected(socket.AF_INET, socket.SOCK_STREAM, ('192.0.2.1', 80))",
        _NO_NET,
    ),
    Try(
        "the internet by IPv6",
        "return connected(socket.AF_INET6, socket.SOCK_STREAM, ('2001:db8::1', 80))",
        ("ENETUNREACH", "EADDRNOTAVAIL"),
    ),
    Try(
        "a cloud's metadata address",
        "return connected(socket.AF_INET, socket.SOCK_STREAM, ('169.254.169.254', 80))",
        _NO_NET,
    ),
    Try("look a name up", "return socket.getaddrinfo('example.com', 80)", ("gaierror",)),
    Try(
        "smuggle in a datagram to port 53",
        "return connected(socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.1', 53))",
        _NO_NET,
    ),
    Try(
        "a socket in the host's files",
        "return connected(socket.AF_UNIX, socket.SOCK_STREAM, FACTS['unix'])",
        _GONE,
        True,
    ),
    Try(
        "a socket with an abstract name",
        "return connected(socket.AF_UNIX, socket.SOCK_STREAM, '\\0' + FACTS['abstract'])",
        ("ECONNREFUSED",),
        True,
    ),
    Try(
        "the container engine",
        "return connected(socket.AF_UNIX, socket.SOCK_STREAM, '/var/run/docker.sock')",
        _GONE,
    ),
    Try("raw packets", "return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", _NO),
    Try("every packet on the wire", "return socket.socket(socket.AF_PACKET, 3, 768)", _NO),
    Try(
        "the machine under this virtual machine",
        "return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
        _NO,
    ),
    Try(
        "the kernel's ciphers, with memory that no limit counts",
        "return socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)",
        _NO,
    ),
    Try(
        "give the loopback device another address",
        "with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:\n"
        "    wanted = struct.pack('16sH2s4s8s', b'lo', 2, b'', b'1111', b'')\n"
        "    return fcntl.ioctl(one, 0x8916, wanted)",
        _NO,
    ),
    # Other processes.
    Try("kill a process of the host", "os.kill(FACTS['pid'], 0)\nreturn 'there'", ("ESRCH",), True),
    Try("hold on to a process of the host", "return os.pidfd_open(FACTS['pid'])", ("ESRCH",), True),
    Try(
        "bound a process of the host",
        "return resource.prlimit(FACTS['pid'], resource.RLIMIT_NOFILE)",
        ("ESRCH",),
        True,
    ),
    Try("kill everything", "os.kill(-1, signal.SIGKILL)\nreturn 'killed'", ("ESRCH",)),
    Try(
        "stop the process that the host waits for",
        "os.kill(1, signal.SIGKILL); os.kill(1, signal.SIGSTOP)\nreturn os.getppid() != 1",
        ("nothing",),
    ),
    Try(
        "read what others were started with",
        "return open(f\"/proc/{FACTS['pid']}/cmdline\").read()",
        _GONE,
        True,
    ),
    Try(
        "read the keys in the environment of others",
        "return open(f\"/proc/{FACTS['pid']}/environ\").read()",
        _GONE,
        True,
    ),
    Try("list all processes", "return os.listdir('/proc')", _GONE, True),
    Try("trace process 1", "return call(NUMBERS['ptrace'], 16, 1, 0, 0)", _NO),
    Try(
        "read the memory of process 1",
        "return call(NUMBERS['process_vm_readv'], 1, 0, 0, 0, 0, 0)",
        _NO,
    ),
    Try("run before others", "return os.nice(-5) or 'faster'", ("EPERM", "EACCES")),
    Try(
        "run in real time",
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))\nreturn 'first'",
        _NO,
    ),
    # What was left lying about.
    Try("a key in the environment", "return os.environ.get('PLANTED_KEY')", ("nothing",), True),
    Try(
        "an open file of the host",
        "return os.pread(FACTS['descriptor'], 100, 0)",
        ("EBADF",),
        True,
    ),
    Try(
        "any further descriptor",
        "def is_open(n):\n"
        "    try:\n"
        "        os.fstat(n)\n"
        "    except OSError:\n"
        "        return False\n"
        "    return True\n"
        "return [n for n in range(3, 256) if n != report and is_open(n)]",
        ("nothing",),
    ),
    Try("write back into its own input", "return os.write(0, b'x')", ("EBADF",)),
    Try("type into the terminal", "return fcntl.ioctl(0, termios.TIOCSTI, b'x')", ("ENOTTY",)),
    Try("open the terminal", "return os.open('/dev/tty', os.O_RDWR)", _GONE),
    Try(
        "shared memory by its name",
        "return open('/dev/shm/' + FACTS['shared'], 'rb').read()",
        _GONE,
        True,
    ),
    Try("shared memory by its key", "return call(NUMBERS['shmget'], 7, 4096, 0)", _NO),
    Try("message queues", "return call(NUMBERS['msgget'], 7, 0o1600)", _NO),
    Try("the key ring", "return call(NUMBERS['keyctl'], 0, -3, 0)", _NO),
    Try(
        "what the kernel says to its owner",
        "return call(NUMBERS['syslog'], 3, ctypes.create_string_buffer(4096), 4096)",
        _NO,
    ),
    # Becoming somebody else.
    Try("become root", "os.setuid(0)\nreturn 'root'", ("EPERM", "EINVAL")),
    Try("join other groups", "os.setgroups([0, 6])\nreturn 'joined'", _NO),
    Try(
        "a program that runs as root",
        "shutil.copy('/bin/sh', 'sh'); os.chmod('sh', 0o6755)\n"
        "told = subprocess.run(['./sh', '-c', 'id -u'], capture_output=True).stdout\n"
        "return told.strip() == b'0'",
        ("nothing",),
    ),
    Try(
        "gain privileges by starting a program",
        "return libc.prctl(39, 0, 0, 0, 0) != 1",  # PR_GET_NO_NEW_PRIVS
        ("nothing",),
    ),
    Try(
        "capabilities that were left",
        "head = (ctypes.c_uint32 * 2)(0x20080522, 0)\n"
        "data = (ctypes.c_uint32 * 6)()\n"
        "call(NUMBERS['capget'], head, data)\n"
        "return any(data)",
        ("nothing",),
    ),
    # Namespaces, mounts and the kernel.
    Try("a user namespace of its own", "return call(NUMBERS['unshare'], 0x10000000)", _NO),
    Try(
        "a user namespace by clone",
        "child = call(NUMBERS['clone'], 0x10000000 | 17, 0, 0, 0, 0)\n"
        "os._exit(0) if child == 0 else os.waitpid(child, 0)\n"
        "return 'made'",
        ("ENOSPC", "EPERM"),
    ),
    Try(
        "a user namespace by clone3",
        "wanted = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17)\n"
        "child = call(NUMBERS['clone3'], wanted, 64)\n"
        "os._exit(0) if child == 0 else os.waitpid(child, 0)\n"
        "return 'made'",
        ("ENOSPC", "EPERM", "ENOSYS"),
    ),
    Try(
        "a sandbox in the sandbox",
        "told = subprocess.run(['bwrap', '--ro-bind', '/', '/', 'true'], capture_output=True)\n"
        "return told.returncode == 0",
        ("nothing", "ENOENT"),
    ),
    Try("enter another namespace", "return call(NUMBERS['setns'], 0, 0)", _NO),
    Try("mount", "return call(NUMBERS['mount'], b'x', b'/tmp', b'tmpfs', 0, 0)", _NO),
    Try("mount in the new way", "return call(NUMBERS['fsopen'], b'tmpfs', 0)", _NO),
    Try("unmount its own folder", "return call(NUMBERS['umount2'], b'/tmp', 2) or 'gone'", _NO),
    Try("another root", "os.chroot('/tmp')\nreturn 'moved'", _NO),
    Try("swap the root", "return call(NUMBERS['pivot_root'], b'/tmp', b'/tmp')", _NO),
    Try("a disk as a file", "os.mknod('disk', stat.S_IFBLK | 0o600, os.makedev(8, 0))", _NO),
    Try("the machine's memory", "return open('/dev/mem', 'rb')", _GONE),
    Try("a virtual machine", "return open('/dev/kvm', 'rb')", _GONE),
    Try("a control group", "return os.listdir('/sys/fs/cgroup')", _GONE),
    Try("the host's name", "socket.sethostname('mine')\nreturn 'named'", _NO),
    Try(
        "another time of day",
        "time.clock_settime(time.CLOCK_REALTIME, 0)\nreturn 'turned'",
        _NO,
    ),
    Try("restart the machine", "return call(NUMBERS['reboot'], 0, 0, 0, 0)", _NO),
    Try("load a module", "return call(NUMBERS['finit_module'], 0, b'', 0)", _NO),
    Try("remove a module", "return call(NUMBERS['delete_module'], b'none', 0)", _NO),
    Try("boot another kernel", "return call(NUMBERS['kexec_load'], 0, 0, 0, 0)", _NO),
    Try(
        "io_uring",
        "return call(NUMBERS['io_uring_setup'], 1, ctypes.create_string_buffer(256))",
        _NO,
    ),
    Try("userfaultfd", "return call(NUMBERS['userfaultfd'], 1)", _NO),
    Try("performance counters", "return call(NUMBERS['perf_event_open'], 0, 0, -1, -1, 0)", _NO),
    Try("bpf", "return call(NUMBERS['bpf'], 0, 0, 0)", _NO),
    Try("run what lies in memory alone", "return os.memfd_create('program')", _NO),
    Try("watch all files", "return call(NUMBERS['fanotify_init'], 0, 0)", _NO),
    Try("vmsplice", "return call(NUMBERS['vmsplice'], 1, 0, 0, 0)", _NO),
    # Round the filter and round Python.
    Try(
        "the same calls by the numbers of x32",
        "return call(0x40000000 + NUMBERS['memfd_create'], b'x', 0)",
        ("EPERM", "ENOSYS"),
    ),
    Try(
        "system calls of 32 bits",
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))\n"  # getpid by int 0x80
        "where = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "return ctypes.CFUNCTYPE(ctypes.c_int)(where)()",
        ("signal 31", "signal 11"),
    ),
    Try(
        "an interpreter inside the interpreter",
        "try:\n"
        "    import _interpreters as inside\n"
        "except ImportError:\n"
        "    import _xxsubinterpreters as inside\n"
        "other = inside.create()\n"
        "code = 'open(%r)' % FACTS['planted']\n"
        "try:\n"
        "    failed = inside.run_string(other, code)\n"
        "except Exception:\n"
        "    return None\n"
        "return failed is None",
        ("nothing",),
        True,
    ),
    Try(
        "a program in place of Python",
        "told = subprocess.run(['/bin/cat', FACTS['planted']], capture_output=True)\n"
        "return told.stdout",
        ("nothing",),
        True,
    ),
    # More than is allowed.
    Try(
        "raise a limit",
        "hard = FACTS['processes'] * 100\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (hard, hard))\n"
        "return 'raised'",
        ("ValueError", "EPERM"),
    ),
    Try(
        "leave a dump of memory",
        "resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))\nreturn 'raised'",
        ("ValueError", "EPERM"),
    ),
    Try(
        "more open files than allowed",
        "return len([os.open('/dev/null', 0) for _ in range(1000)])",
        ("EMFILE",),
    ),
)

FAILING = "NameError"
"""What a mistake in a try would come to; none may pass for a way that was stopped."""

_FORKS = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""

BOUNDS = (
    Bound("compute for ever", "while True: pass", "cpu|wall", "", 2),
    Bound("sleep for ever", "import time; time.sleep(600)", "wall", "", 2),
    Bound(
        "take no notice of signals",
        "import signal, time\n"
        "for n in range(1, 32):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except OSError: pass\n"
        "while True: time.sleep(1)",
        "wall",
        "",
        2,
    ),
    Bound("processes without end", _FORKS, "cpu|wall", "", 2),
    Bound(
        "threads without end",
        "import threading, time\n"
        "for _ in range(500): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
        "-",
        "RuntimeError: can't start new thread\n",
    ),
    Bound("memory of one process", "x = bytearray(1 << 40)", "-", "MemoryError\n"),
    Bound(
        "memory of many processes",
        "import os, time\n"
        "for _ in range(7):\n"
        "    if os.fork() == 0: break\n"
        "held = b'x' * 60_000_000\n"
        "time.sleep(600)",
        "memory",
        "",
    ),
    Bound(
        "one large file",
        "open('/tmp/large', 'wb').truncate(1 << 40)",
        "-",
        "File too large\n",
    ),
    Bound(
        "many files",
        "for i in range(1 << 20): open(f'/tmp/{i}', 'wb').write(b'x' * 65536)",
        "-",
        r"No space left on device(: .*)?\n",
    ),
    Bound(
        "a bomb in an archive",
        "import zlib\n"
        "packed = zlib.compress(bytes(5_000_000), 1)\n"
        "x = [zlib.decompress(packed) for _ in range(99)]",
        "memory|cpu|wall|-",
        "(MemoryError\n)?",
    ),
    Bound("output without end", "while True: print('x' * 999)", "output", "x\n?"),
    Bound(
        "errors without end", "import sys\nwhile True: sys.stderr.write('x' * 999)", "output", "x"
    ),
    Bound(
        "one line without end",
        "import sys\nwhile True: sys.stdout.write('x' * 65536)",
        "output",
        "x",
    ),
    Bound(
        "a daemon that outlives its program and holds its output",
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(3124)\n"
        "    os._exit(0)\n"
        "print('over')",
        "-",
        "over\n",
    ),
    Bound("recursion without end", "def f(): f()\nf()", "-", "RecursionError: .*\n"),
)
