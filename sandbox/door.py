"""The socket a host connects to: one of eight fixed paths, so that its permission can be granted by name."""
import errno
import fcntl
import os

import _socket

SLOTS = 8
MAX_PATH = 100  # bytes; the kernel's limit is 108
FIRST_FREE = 10  # descriptors below are the child's
BACKLOG = 4096


def listen(folder):
    """Takes the first free slot of `folder`: (socket, its path, ""), else (None, None, why not). The lock lasts as long
    as the process and what it forks, however they end."""
    if folder is None:
        return None, None, "not asked for"
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        for slot in range(SLOTS):
            path = "%s/%d.sock" % (folder, slot)
            if len(os.fsencode(path)) > MAX_PATH:
                return None, None, "path of %d bytes, must be at most %d" % (len(os.fsencode(path)), MAX_PATH)
            if _locked("%s/%d.lock" % (folder, slot)):
                return _bind(path), path, ""
    except OSError as error:
        return None, None, "%s: %s" % (folder, error.strerror)
    return None, None, "all %d sockets are taken" % SLOTS


def _locked(path):
    low = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    lock = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)
    os.close(low)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError as error:
        os.close(lock)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False


def _bind(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    low = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK)
    high = fcntl.fcntl(low.fileno(), fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)
    low.close()
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, high)
    listener.bind(path)
    listener.listen(BACKLOG)
    return listener
