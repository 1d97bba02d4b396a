"""The system call filter of a child: about 45 calls, everything else refused.

Default EPERM, so that an honest mistake becomes a PermissionError. Calls no program has a reason to try kill the
process (SIGSYS). The names are those of every architecture; one that a machine lacks (aarch64: poll, select, time, fork,
vfork, iopl, ioperm, modify_ldt) is left out there. Emitted as a balanced decision tree: nine comparisons instead of a
hundred, and twice as fast to install as a list.
"""
import ctypes
import errno
import struct

from syscalls import machine

ALLOWED = """close poll munmap brk rt_sigaction rt_sigprocmask rt_sigreturn select sched_yield mremap nanosleep
getpid exit gettimeofday getrusage times getuid getgid geteuid getegid sigaltstack gettid time futex sched_getaffinity
restart_syscall clock_gettime clock_getres clock_nanosleep exit_group pselect6 ppoll set_robust_list getrandom
rseq""".split()

KILLED = """ptrace process_vm_readv process_vm_writev kcmp bpf io_uring_setup io_uring_enter io_uring_register userfaultfd
perf_event_open add_key request_key keyctl mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen
fsconfig fsmount fspick mount_setattr kexec_load kexec_file_load init_module finit_module delete_module reboot swapon
swapoff iopl ioperm modify_ldt open_by_handle_at name_to_handle_at pidfd_open pidfd_getfd pidfd_send_signal acct
quotactl settimeofday clock_settime adjtimex seccomp memfd_secret fanotify_init syslog personality move_pages
migrate_pages mbind set_mempolicy vmsplice""".split()

LOAD, EQUAL, AT_LEAST, ANY_BIT, JUMP, RETURN = 0x20, 0x15, 0x35, 0x45, 0x05, 0x06
KILL, ALLOW = 0x80000000, 0x7FFF0000
NUMBER, ARCHITECTURE = 0, 4
PROT_EXEC, MAP_ANONYMOUS = 4, 0x20
MADV_MERGEABLE = 12  # pages shared with other processes, which their timing betrays
PROTOCOL_FD = 3


def refuse(code):
    return 0x50000 | code


def argument(index):
    """Offset of the low half of an argument (little endian)."""
    return 16 + 8 * index


def _policy(numbers):
    """Number of a call to its verdict: a return value, or instructions that always return."""
    denied = refuse(errno.EPERM)
    policy = {numbers[name]: ALLOW for name in ALLOWED if name in numbers}
    policy.update({numbers[name]: KILL for name in KILLED if name in numbers})
    policy[numbers["clone3"]] = refuse(errno.ENOSYS)  # flags behind a pointer; glibc falls back to clone
    for name in ("clone", "fork", "vfork"):
        if name in numbers:
            policy[numbers[name]] = refuse(errno.EAGAIN)
    policy[numbers["read"]] = [
        (LOAD, 0, 0, argument(0)), (EQUAL, 0, 1, PROTOCOL_FD), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, refuse(errno.EBADF))]
    policy[numbers["write"]] = [
        (LOAD, 0, 0, argument(0)), (AT_LEAST, 1, 0, PROTOCOL_FD + 1), (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, refuse(errno.EBADF))]
    policy[numbers["mmap"]] = [
        (LOAD, 0, 0, argument(2)), (ANY_BIT, 2, 0, PROT_EXEC), (LOAD, 0, 0, argument(3)),
        (ANY_BIT, 1, 0, MAP_ANONYMOUS), (RETURN, 0, 0, denied), (RETURN, 0, 0, ALLOW)]
    policy[numbers["madvise"]] = [
        (LOAD, 0, 0, argument(2)), (EQUAL, 0, 1, MADV_MERGEABLE), (RETURN, 0, 0, denied), (RETURN, 0, 0, ALLOW)]
    policy[numbers["mprotect"]] = [
        (LOAD, 0, 0, argument(2)), (ANY_BIT, 0, 1, PROT_EXEC), (RETURN, 0, 0, denied), (RETURN, 0, 0, ALLOW)]
    return policy


def _segments(policy):
    """Ranges of call numbers with one verdict, as (first number, verdict)."""
    denied, ranges, position = refuse(errno.EPERM), [], 0
    for number in sorted(policy):
        if number > position:
            ranges.append((position, denied))
        ranges.append((number, policy[number]))
        position = number + 1
    ranges.append((position, denied))
    merged = ranges[:1]
    for item in ranges[1:]:
        if isinstance(item[1], list) or item[1] != merged[-1][1]:
            merged.append(item)
    return merged


def _tree(segments):
    if len(segments) == 1:
        verdict = segments[0][1]
        return list(verdict) if isinstance(verdict, list) else [(RETURN, 0, 0, verdict)]
    middle = len(segments) // 2
    low, high = _tree(segments[:middle]), _tree(segments[middle:])
    first = segments[middle][0]
    branch = [(AT_LEAST, len(low), 0, first)] if len(low) < 256 else [(AT_LEAST, 0, 1, first), (JUMP, 0, 0, len(low))]
    return branch + low + high


def build_filter(architecture, numbers):
    """The filter's instructions as (code, jump if true, jump if false, operand)."""
    head = [
        (LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, KILL)]  # the x32 calling convention
    return head + _tree(_segments(_policy(numbers)))


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


class Filter:
    """A filter ready to install: built once, installed in every child."""

    def __init__(self):
        instructions = build_filter(*machine())
        code = b"".join(struct.pack("HBBI", op, yes, no, operand) for op, yes, no, operand in instructions)
        self._code = ctypes.create_string_buffer(code, len(code))
        self._program = _Program(len(instructions), ctypes.addressof(self._code))

    def arguments(self):
        """Arguments of syscall(2) that install it. Needs no_new_privs. Cannot be undone."""
        return ctypes.c_long(machine()[1]["seccomp"]), ctypes.c_long(1), ctypes.c_long(0), ctypes.byref(self._program)
