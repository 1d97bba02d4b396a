"""Own user, process, network, mount, IPC, host name and cgroup namespaces, an empty root, and no root rights."""
import errno
import os
import tempfile

from syscalls import (
    CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS, MNT_DETACH,
    MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_PRIVATE, MS_RDONLY, MS_REC, MS_REMOUNT, PR_SET_DUMPABLE, call,
    fork_into, mount, prctl, umount, unshare)

EVERY = (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
CHILD = CLONE_NEWUSER | CLONE_NEWPID


def enter():
    """New namespaces, this user mapped to itself. The next fork is process 1 of the new process namespace."""
    user, group = os.geteuid(), os.getegid()
    unshare(EVERY)
    for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (user, user)), ("gid_map", "%d %d 1" % (group, group))):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)


def empty_root():
    """Replaces the root by an empty read-only file system. Needs a mount namespace of one's own."""
    mount(None, b"/", None, MS_REC | MS_PRIVATE)
    mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, b"size=4k,nr_inodes=2,mode=0555")
    os.chdir("/tmp")
    here = b"."
    call("pivot_root", here, here)
    umount(here, MNT_DETACH)
    os.chdir("/")
    mount(None, b"/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if os.listdir("/"):
        raise OSError(errno.ENOTEMPTY, "root is not empty")


def empty_chroot():
    """Without namespaces root can still leave: chroot to a directory that is already deleted, where nothing can be
    created."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o555)
    os.chdir(folder)
    os.rmdir(folder)
    os.chroot(".")


def drop_root():
    """Becomes an unused high user; root is then an ordinary user and takes the same path as one."""
    problem = None
    for user in (0x3F000000 + os.getpid() % 100000, 65534):
        try:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            prctl(PR_SET_DUMPABLE, 1)  # or /proc/self/uid_map belongs to root
            return
        except OSError as error:
            problem = error
    raise problem


def rehearse():
    """Runs the whole sequence in a throw-away process, because unshare cannot be undone and on some hosts succeeds
    where the later mapping or mount fails. Returns "" or the step that failed with its errno."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        step = "drop"
        try:
            if os.geteuid() == 0:
                drop_root()
            step = "unshare"
            enter()
            step = "fork"
            first = os.fork()
            if first:
                os._exit(os.waitpid(first, 0)[1] and 1)
            step = "empty root"
            empty_root()
            step = "nested namespaces"
            inner = fork_into(CHILD)
            if inner == 0:
                os._exit(0 if os.getpid() == 1 else 1)
            os._exit(os.waitpid(inner, 0)[1] and 1)
        except OSError as error:
            os.write(writer, ("%s: %s" % (step, errno.errorcode.get(error.errno, str(error)))).encode())
        finally:
            os._exit(1)
    os.close(writer)
    problem = os.read(reader, 200).decode()
    os.close(reader)
    status = os.waitpid(child, 0)[1]
    return problem or ("died" if status else "")
