"""Linux calls that the standard library lacks, through ctypes. Each raises OSError with the kernel's errno.

Each architecture has its own table of numbers (aarch64 has no fork, vfork, open or stat); `machine()` refuses what has no
table, so that a filter is never built from wrong numbers. Both tables are compared with the kernel's headers
(test_syscalls.py). aarch64 is untested: it was never run on such a machine.
"""
import ctypes
import errno
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
# PyDLL keeps the interpreter's lock during the call: the only safe way to fork beside Python's back.
locked_libc = ctypes.PyDLL(None, use_errno=True)
locked_libc.syscall.restype = ctypes.c_long

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x20, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_SET_SECUREBITS = 1, 3, 4, 28
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39

X86_64 = dict(
    read=0, write=1, open=2, close=3, stat=4, fstat=5, lstat=6, poll=7, mmap=9, mprotect=10, munmap=11, brk=12,
    rt_sigaction=13, rt_sigprocmask=14, rt_sigreturn=15, writev=20, select=23, sched_yield=24, mremap=25, madvise=28,
    dup=32, dup2=33, nanosleep=35, getpid=39, socket=41, sendmsg=46, clone=56, fork=57, vfork=58, execve=59, exit=60,
    gettimeofday=96, getrusage=98, fcntl=72, chdir=80, fchdir=81, fchmod=91, chown=92, fchown=93, lchown=94,
    times=100, ptrace=101, getuid=102, syslog=103, getgid=104, geteuid=107, getegid=108, capget=125, sigaltstack=131,
    personality=135, modify_ldt=154, pivot_root=155, adjtimex=159, chroot=161, acct=163, settimeofday=164, mount=165,
    umount2=166, swapon=167, swapoff=168, reboot=169, iopl=172, ioperm=173, init_module=175, delete_module=176,
    quotactl=179, gettid=186, time=201, futex=202, sched_getaffinity=204, restart_syscall=219, clock_settime=227,
    clock_gettime=228, clock_getres=229, clock_nanosleep=230, exit_group=231, epoll_ctl=233, mbind=237,
    set_mempolicy=238, kexec_load=246, add_key=248, request_key=249, keyctl=250, migrate_pages=256, fchownat=260,
    pselect6=270, ppoll=271, unshare=272, set_robust_list=273, vmsplice=278, move_pages=279, utimensat=280, dup3=292,
    perf_event_open=298, fanotify_init=300, name_to_handle_at=303, open_by_handle_at=304, setns=308,
    process_vm_readv=310, process_vm_writev=311, kcmp=312, finit_module=313, seccomp=317, getrandom=318,
    kexec_file_load=320, bpf=321, execveat=322, userfaultfd=323, rseq=334, pidfd_send_signal=424, io_uring_setup=425,
    io_uring_enter=426, io_uring_register=427, open_tree=428, move_mount=429, fsopen=430, fsconfig=431, fsmount=432,
    fspick=433, pidfd_open=434, clone3=435, close_range=436, pidfd_getfd=438, mount_setattr=442,
    landlock_create_ruleset=444, landlock_add_rule=445, landlock_restrict_self=446, memfd_secret=447)

AARCH64 = dict(
    epoll_ctl=21, dup=23, dup3=24, fcntl=25, umount2=39, mount=40, pivot_root=41, chdir=49, fchdir=50, chroot=51,
    fchmod=52, fchownat=54, fchown=55, close=57, quotactl=60, read=63, write=64, writev=66, pselect6=72, ppoll=73,
    vmsplice=75, fstat=80, utimensat=88, acct=89, capget=90, personality=92, exit=93, exit_group=94, unshare=97,
    futex=98, set_robust_list=99, nanosleep=101, kexec_load=104, init_module=105, delete_module=106,
    clock_settime=112, clock_gettime=113, clock_getres=114, clock_nanosleep=115, syslog=116, ptrace=117,
    sched_getaffinity=123, sched_yield=124, restart_syscall=128, sigaltstack=132, rt_sigaction=134,
    rt_sigprocmask=135, rt_sigreturn=139, reboot=142, times=153, getrusage=165, gettimeofday=169, settimeofday=170,
    adjtimex=171, getpid=172, getuid=174, geteuid=175, getgid=176, getegid=177, gettid=178, socket=198, sendmsg=211,
    brk=214, munmap=215, mremap=216, add_key=217, request_key=218, keyctl=219, clone=220, execve=221, mmap=222,
    swapon=224, swapoff=225, mprotect=226, madvise=233, mbind=235, set_mempolicy=237, migrate_pages=238,
    move_pages=239, perf_event_open=241, fanotify_init=262, name_to_handle_at=264, open_by_handle_at=265, setns=268,
    process_vm_readv=270, process_vm_writev=271, kcmp=272, finit_module=273, seccomp=277, getrandom=278, bpf=280,
    execveat=281, userfaultfd=282, rseq=293, kexec_file_load=294, pidfd_send_signal=424, io_uring_setup=425,
    io_uring_enter=426, io_uring_register=427, open_tree=428, move_mount=429, fsopen=430, fsconfig=431, fsmount=432,
    fspick=433, pidfd_open=434, clone3=435, close_range=436, pidfd_getfd=438, mount_setattr=442,
    landlock_create_ruleset=444, landlock_add_rule=445, landlock_restrict_self=446, memfd_secret=447)

# Audit architecture (elf machine, 64 bits, little-endian) and numbers, by what uname calls the machine.
TABLES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}


def machine():
    """(audit architecture, numbers by name) of this machine."""
    found = TABLES.get(platform.machine())
    if found is None:
        raise OSError(errno.ENOSYS, "no table of system calls for " + platform.machine())
    return found


def check(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def _word(value):
    return ctypes.c_long(value) if isinstance(value, int) else value


def call(name, *arguments):
    return check(libc.syscall(ctypes.c_long(machine()[1][name]), *[_word(x) for x in arguments]))


def prctl(option, *arguments):
    padded = list(arguments) + [0] * (4 - len(arguments))
    return check(libc.prctl(ctypes.c_int(option), *[ctypes.c_ulong(x) for x in padded]))


def unshare(flags):
    check(libc.unshare(ctypes.c_int(flags)))


def mount(source, target, kind, flags, data=None):
    check(libc.mount(source, target, kind, ctypes.c_ulong(flags), data))


def umount(target, flags):
    check(libc.umount2(target, ctypes.c_int(flags)))


def close_from(first):
    """Closes every descriptor from `first` up."""
    call("close_range", first, 0xFFFFFFFF, 0)


_CLONE = machine()[1]["clone"] if platform.machine() in TABLES else -1
_CLONE_ARGUMENTS = [ctypes.c_long(_CLONE), None] + [ctypes.c_long(0)] * 4


def fork_into(flags):
    """Forks, the child in new namespaces, without Python's at-fork hooks (they cost ~240 page faults and reseed
    `random` from the system). Correct only in a process with one thread; the child keeps every state as it was."""
    _CLONE_ARGUMENTS[1] = ctypes.c_long(flags | 17)  # 17 is SIGCHLD
    return check(locked_libc.syscall(*_CLONE_ARGUMENTS))


_CAPABILITY_HEADER = ctypes.create_string_buffer(struct.pack("II", 0x20080522, 0))
_NO_CAPABILITIES = ctypes.create_string_buffer(bytes(24))


def capability_arguments():
    """Arguments of capset that leave none."""
    return _CAPABILITY_HEADER, _NO_CAPABILITIES


def has_capabilities():
    data = ctypes.create_string_buffer(24)
    check(libc.capget(_CAPABILITY_HEADER, data))
    return any(data.raw)
