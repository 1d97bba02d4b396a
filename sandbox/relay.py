"""The relay: plays whose frames travel through the zygote, over its own stdin and stdout.

For hosts that may not open a socket, or have no free one. The zygote forwards whole frames, at most one a request, and
looks only at their length. All that plays say stays in buffers that are not inherited and never in Python objects, whose
memory a later child would get.
"""
import mmap
import os
import select
import struct
import time

import child
from plays import Play

LENGTH = struct.Struct("<I")
HEADER = struct.Struct("<IIB")
MAX_FRAME = 1 << 20
SLACK = 64
REPLY = 2
GRACE = 0.5  # between the end of a child's socket and its own
PAUSE = 1.0  # after a fork that failed


def private_buffer():
    """Memory that a fork leaves out."""
    buffer = mmap.mmap(-1, MAX_FRAME + SLACK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    buffer.madvise(mmap.MADV_DONTFORK)
    return buffer


class RelayedPlay(Play):
    """`asked` is the time of the request in progress, or None. `pending` holds the first `have` bytes of a reply from
    offset 5, `unsent` the rest of a request that did not fit into the socket, `gone` when a socket that was closed must
    be followed by its process."""

    __slots__ = ("fd", "asked", "request_wall", "confined", "pending", "have", "unsent", "gone")

    def __init__(self, identity, pid, fd, limits, now):
        super().__init__(identity, pid)
        self.begin(limits, now)
        self.fd, self.request_wall = fd, limits[1]
        self.counted_from = time.clock_gettime(self.clock)
        self.asked = self.pending = self.unsent = self.gone = None
        self.confined, self.have = False, 0


class Relay:
    """Relayed plays of a zygote; `pool_size` children wait, forked and confined in advance, once there was a first."""

    def __init__(self, zygote, pool_size):
        self.zygote, self.wall, self.pool_size = zygote, zygote.wall, pool_size
        self.pool, self.by_fd, self.fill_after, self.used = [], {}, 0.0, False
        self.output = private_buffer()
        self.output_view = memoryview(self.output)

    # Children

    def _spawn(self):
        """A new child as (pid, our end of its socket); in the child (0, None)."""
        pid, fd = self.wall.spawn()
        if pid:
            os.set_blocking(fd, False)
        return pid, fd

    def wants_children(self):
        return self.used and len(self.pool) * 2 < self.pool_size

    def fill(self, now):
        """Several at once: a fork makes the zygote copy each page it then touches, once for all of them. True in a new
        child."""
        while len(self.pool) < self.pool_size:
            try:
                pid, fd = self._spawn()
            except OSError:
                self.fill_after = now + PAUSE  # no more for now; a start forks for itself
                return False
            if pid == 0:
                return True
            self.pool.append((pid, fd))
        return False

    def lost(self, pid):
        """A child that was not playing has ended."""
        for waiting in self.pool:
            if waiting[0] == pid:
                os.close(waiting[1])
                self.pool.remove(waiting)
                return

    # From the host

    def start(self, identity, limits, offset, size):
        """True in a new child."""
        self.used = True
        pid, fd = self.pool.pop() if self.pool else (None, None)
        try:
            if pid is None:
                pid, fd = self._spawn()
                if pid == 0:
                    return True
            self.wall.limit(pid, limits[4], limits[2])
        except OSError as error:
            self.zygote.report_no_start(identity, error)
            return False
        play = RelayedPlay(identity, pid, fd, limits, time.monotonic())
        self.by_fd[fd] = play
        self.zygote.add(play)
        self.zygote.epoll.register(fd, select.EPOLLIN)
        self.ask(play, offset, size)
        return False

    def ask(self, play, offset, size):
        """Forwards a request. A child that answers what it has not read has broken the protocol."""
        if play.why is not None or play.gone is not None:  # its descriptor may be another's now
            return None
        if play.asked is not None:
            return self.zygote.kill(play, "host", "asked twice")
        if play.unsent is not None:
            return self.zygote.kill(play, "protocol", "does not read its requests")
        play.asked = time.monotonic()
        soonest = min(play.request_cpu, play.request_wall, play.cpu - play.counted_from)
        self.zygote.look_again(min(play.asked + soonest, play.ends))
        data = self.zygote.input_view
        LENGTH.pack_into(data, offset - 4, size)
        try:
            sent = os.write(play.fd, data[offset - 4:offset + size])
        except BlockingIOError:
            sent = 0
        except OSError:  # it died: the closed socket will say so
            if not play.confined:
                play.why, play.detail = "start", "died while it waited"
            return None
        if sent != size + 4:
            rest = size + 4 - sent
            play.unsent = memoryview(private_buffer())[:rest]
            play.unsent[:] = data[offset + size - rest:offset + size]
            self.zygote.epoll.modify(play.fd, select.EPOLLIN | select.EPOLLOUT)
        return None

    def _send_rest(self, play):
        try:
            play.unsent = play.unsent[os.write(play.fd, play.unsent):]
        except BlockingIOError:
            return
        except OSError:  # it died: the closed socket will say so
            play.unsent = play.unsent[:0]
        if not len(play.unsent):
            play.unsent = None
            self.zygote.epoll.modify(play.fd, select.EPOLLIN)

    # From a child

    def ready(self, fd, event):
        """Something can be read or written."""
        play = self.by_fd.get(fd)
        if play is None:
            return
        if play.unsent is not None:
            self._send_rest(play)
        if event & ~select.EPOLLOUT:
            self._from_child(play)

    def _from_child(self, play):
        if play.why is not None or play.pending is not None:
            return self._more_from_child(play)
        marker = 0 if play.confined else 1
        try:
            count = os.readv(play.fd, [self.output_view[5 - marker:]])
        except BlockingIOError:
            return None
        except OSError:
            count = 0
        if count == 0:
            return self._closed(play)
        if marker:
            if self.output[4:5] != child.READY:
                return self.zygote.kill(play, "start", "not confined")
            play.confined = True
            count -= 1
            if count == 0:
                return None
        if play.asked is None:
            return self.zygote.kill(play, "protocol", "spoke without being asked")
        size = LENGTH.unpack_from(self.output, 5)[0] if count >= 4 else 0
        if size > MAX_FRAME:
            return self.zygote.kill(play, "protocol", "frame of %d bytes" % size)
        if count < 4 or count < size + 4:
            play.pending, play.have = memoryview(private_buffer()), count
            play.pending[5:5 + count] = self.output_view[5:5 + count]
            return None
        return self._reply(play, self.output_view, size, count)

    def _more_from_child(self, play):
        """The rare way: a frame in several pieces, or the last words of a child already killed."""
        try:
            count = os.readv(play.fd, [self.output_view if play.why is not None else play.pending[5 + play.have:]])
        except BlockingIOError:
            return None
        except OSError:
            count = 0
        if count == 0:
            return self._closed(play)
        if play.why is not None:
            return None
        play.have += count
        size = LENGTH.unpack_from(play.pending, 5)[0] if play.have >= 4 else 0
        if size > MAX_FRAME:
            return self.zygote.kill(play, "protocol", "frame of %d bytes" % size)
        if play.have < 4 or play.have < size + 4:
            return None
        whole, play.pending = play.pending, None
        return self._reply(play, whole, size, play.have)

    def _reply(self, play, view, size, count):
        """Forwards a whole frame that stands at offset 5."""
        if self.zygote.overdrawn(play):
            return None
        if count > size + 4:
            return self.zygote.kill(play, "protocol", "more than one reply to a request")
        play.asked, play.counted_from = None, time.clock_gettime(play.clock)
        HEADER.pack_into(view, 0, size, play.identity, REPLY)
        self.zygote.write(view[:HEADER.size + size])
        return None

    # Ends

    def _closed(self, play):
        """The child's socket is closed: it is dying, or soon will be."""
        self.zygote.epoll.unregister(play.fd)
        os.close(play.fd)
        del self.by_fd[play.fd]
        play.gone = time.monotonic() + GRACE
        self.zygote.look_again(play.gone)

    def late(self, play, now):
        """Kills a play that is silent for too long, or whose process outlives its socket. Returns when to look again."""
        if play.gone is not None:
            if now < play.gone:
                return play.gone
            self.zygote.kill(play, "crash", "closed its descriptor")
            return float("inf")
        if play.asked is None:
            return float("inf")
        if now - play.asked > play.request_wall:
            self.zygote.kill(play, "deadline", "request took %.1f s, limit %g s" % (now - play.asked, play.request_wall))
        return play.asked + play.request_wall

    def drain(self, play):
        """The process has ended: its last words."""
        while play.gone is None:
            self._from_child(play)
