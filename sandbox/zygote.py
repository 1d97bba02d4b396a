"""The sealed zygote: forks one child a play and relays frames between the host and the children.

Frames to and from the host have a header of 9 bytes: length (32 bits), play (32 bits), kind (8 bits), little-endian.
The zygote trusts nothing a child sends: it looks at the length only, forwards whole frames, at most one a request, and
says itself how a child ended. It measures each request on the child's own CPU clock, so a busy host makes no program
hang. All that plays say stays in buffers that are not inherited and never in Python objects, whose memory a later child
would get: no child can find in its memory what other plays said.
"""
import json
import mmap
import os
import select
import struct
import time

import child

START, REQUEST, KILL = 1, 2, 3
READY, REPLY, EXIT = 1, 2, 3
HEADER = struct.Struct("<IIB")
LENGTH = struct.Struct("<I")
LIMITS = struct.Struct("<5d")
MAX_FRAME = 1 << 20
SLACK = 64
GRACE = 0.5  # between the end of a child's socket and its own
PAUSE = 1.0  # after a fork that failed


class Play:
    """One child and what it may still use. `asked` is the time of the request in progress, or None; `answered_cpu` the
    CPU time at the last reply: what a program uses between two requests counts for the later one. `pending` holds the
    first `have` bytes of a reply from offset 5, `unsent` the rest of a request that did not fit into the socket."""

    __slots__ = (
        "identity", "pid", "fd", "clock", "asked", "answered_cpu", "request_cpu", "request_wall", "cpu", "ends",
        "confined", "pending", "have", "unsent", "why", "detail", "gone")

    def __init__(self, identity, pid, fd, limits, now):
        self.identity, self.pid, self.fd = identity, pid, fd
        self.clock = (~pid << 3) | 2  # the process CPU clock of that pid
        self.request_cpu, self.request_wall, self.cpu, wall = limits
        self.ends = now + wall
        self.answered_cpu = time.clock_gettime(self.clock)
        self.asked = self.pending = self.unsent = self.why = self.detail = self.gone = None
        self.confined, self.have = False, 0


def private_buffer():
    """Memory that a fork leaves out."""
    buffer = mmap.mmap(-1, MAX_FRAME + SLACK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    buffer.madvise(mmap.MADV_DONTFORK)
    return buffer


class Zygote:
    """`control_in` and `control_out` lead to the host; `pool_size` children wait, forked and confined in advance."""

    def __init__(self, control_in, control_out, wall, pool_size):
        self.control_in, self.control_out, self.wall, self.pool_size = control_in, control_out, wall, pool_size
        self.input, self.output = private_buffer(), private_buffer()
        self.input_view, self.output_view = memoryview(self.input), memoryview(self.output)
        self.have = 0
        self.pool, self.plays, self.by_identity, self.dying = [], {}, {}, []
        self.next_check, self.fill_after = float("inf"), 0.0
        self.epoll = select.epoll()
        self.epoll.register(control_in, select.EPOLLIN)

    def serve(self):
        """Runs until the host closes its end. Returns only in a new child."""
        while True:
            events = self.epoll.poll(self._timeout())
            for fd, event in events:
                if fd == self.control_in:
                    if self._control():
                        return
                elif fd in self.plays:
                    play = self.plays[fd]
                    if play.unsent is not None:
                        self._send_rest(play)
                    if event & ~select.EPOLLOUT:
                        self._from_child(play)
            now = time.monotonic()
            if now >= self.next_check:
                self._expire(now)
            if self.dying:
                self._reap(now)
            if self._wants_children() and now >= self.fill_after:
                if self._fill(now):
                    return

    def send(self, kind, identity, message):
        data = json.dumps(message).encode()
        self._write(HEADER.pack(len(data), identity, kind) + data)

    def _write(self, data):
        try:
            while len(data):
                data = data[os.write(self.control_out, data):]
        except OSError:
            self._end()

    def _end(self):
        """The host is gone: so is everything."""
        for pid in [play.pid for play in self.plays.values()] + [pid for pid, _fd in self.pool]:
            os.kill(pid, 9)
        os._exit(0)

    def _timeout(self):
        if self.dying:
            return 0.001
        wake = min(self.next_check, self.fill_after) if self._wants_children() else self.next_check
        return -1 if wake == float("inf") else max(0.0, wake - time.monotonic())

    # Children

    def _spawn(self):
        """A new child as (pid, our end of its socket); in the child (0, None)."""
        pid, fd = self.wall.spawn()
        if pid:
            os.set_blocking(fd, False)
        return pid, fd

    def _wants_children(self):
        return len(self.pool) * 2 < self.pool_size

    def _fill(self, now):
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

    # From the host

    def _control(self):
        """Reads and obeys. True in a new child."""
        try:
            count = os.readv(self.control_in, [self.input_view[self.have:]])
        except OSError:
            count = 0
        if count == 0:
            self._end()
        self.have += count
        start = 0
        while self.have - start >= HEADER.size:
            size, identity, kind = HEADER.unpack_from(self.input, start)
            if size > MAX_FRAME:
                self._end()
            end = start + HEADER.size + size
            if end > self.have:
                break
            if kind == REQUEST:
                play = self.by_identity.get(identity)
                if play is not None and play.why is None and play.gone is None:  # its descriptor may be another's now
                    self._ask(play, start + HEADER.size, size)
            elif kind == START:
                if self._start(identity, start + HEADER.size, size):
                    return True
            elif kind == KILL:
                play = self.by_identity.get(identity)
                if play is not None:
                    self._kill(play, "kill", "")
            start = end
        if start:
            rest = self.have - start
            self.input.move(0, start, rest)
            self.have = rest
        return False

    def _start(self, identity, offset, size):
        """True in a new child."""
        request_cpu, request_wall, cpu, wall, memory_mb = LIMITS.unpack_from(self.input, offset)
        pid, fd = self.pool.pop() if self.pool else (None, None)
        try:
            if pid is None:
                pid, fd = self._spawn()
                if pid == 0:
                    return True
            self.wall.limit(pid, memory_mb, cpu)
        except OSError as error:
            self.send(EXIT, identity, {"why": "start", "detail": str(error), "code": None, "signal": None, "cpu": 0})
            return False
        now = time.monotonic()
        play = Play(identity, pid, fd, (request_cpu, request_wall, cpu, wall), now)
        self.plays[fd] = self.by_identity[identity] = play
        self.epoll.register(fd, select.EPOLLIN)
        self._ask(play, offset + LIMITS.size, size - LIMITS.size)
        return False

    def _ask(self, play, offset, size):
        """Forwards a request. A child that answers what it has not read has broken the protocol."""
        if play.asked is not None:
            return self._kill(play, "host", "asked twice")
        if play.unsent is not None:
            return self._kill(play, "protocol", "does not read its requests")
        now = play.asked = time.monotonic()
        soonest = min(play.request_cpu, play.request_wall, play.cpu - play.answered_cpu)
        self.next_check = min(self.next_check, now + soonest, play.ends)
        LENGTH.pack_into(self.input, offset - 4, size)
        try:
            sent = os.write(play.fd, self.input_view[offset - 4:offset + size])
        except BlockingIOError:
            sent = 0
        except OSError:  # it died: the closed socket will say so
            if not play.confined:
                play.why, play.detail = "start", "died while it waited"
            return None
        if sent != size + 4:
            rest = size + 4 - sent
            play.unsent = memoryview(private_buffer())[:rest]
            play.unsent[:] = self.input_view[offset + size - rest:offset + size]
            self.epoll.modify(play.fd, select.EPOLLIN | select.EPOLLOUT)
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
            self.epoll.modify(play.fd, select.EPOLLIN)

    # From a child

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
                return self._kill(play, "start", "not confined")
            play.confined = True
            count -= 1
            if count == 0:
                return None
        if play.asked is None:
            return self._kill(play, "protocol", "spoke without being asked")
        size = LENGTH.unpack_from(self.output, 5)[0] if count >= 4 else 0
        if size > MAX_FRAME:
            return self._kill(play, "protocol", "frame of %d bytes" % size)
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
            return self._kill(play, "protocol", "frame of %d bytes" % size)
        if play.have < 4 or play.have < size + 4:
            return None
        whole, play.pending = play.pending, None
        return self._reply(play, whole, size, play.have)

    def _reply(self, play, view, size, count):
        """Forwards a whole frame that stands at offset 5."""
        if self._overdrawn(play):
            return None
        if count > size + 4:
            return self._kill(play, "protocol", "more than one reply to a request")
        play.asked, play.answered_cpu = None, time.clock_gettime(play.clock)
        HEADER.pack_into(view, 0, size, play.identity, REPLY)
        self._write(view[:HEADER.size + size])
        return None

    def _overdrawn(self, play):
        """Kills a child whose request or life has used more CPU time than it may."""
        total = time.clock_gettime(play.clock)
        used = total - play.answered_cpu
        if used > play.request_cpu:
            self._kill(play, "deadline", "request used %.3f s CPU, limit %g s" % (used, play.request_cpu))
        elif total > play.cpu:
            self._kill(play, "deadline", "process used %.3f s CPU, limit %g s" % (total, play.cpu))
        return play.why is not None

    # Ends

    def _kill(self, play, why, detail):
        if play.why is None:
            play.why, play.detail, play.asked = why, detail, None
            try:
                os.kill(play.pid, 9)
            except ProcessLookupError:
                pass

    def _closed(self, play):
        """The child's socket is closed: it is dying, or soon will be."""
        self.epoll.unregister(play.fd)
        os.close(play.fd)
        del self.plays[play.fd]
        play.gone = time.monotonic() + GRACE
        self.dying.append(play)

    def _reap(self, now):
        waiting = []
        for play in self.dying:
            pid, status, usage = os.wait4(play.pid, os.WNOHANG)
            if pid == 0:
                if now > play.gone:
                    play.gone, play.detail = float("inf"), "closed its descriptor"
                    os.kill(play.pid, 9)
                waiting.append(play)
                continue
            del self.by_identity[play.identity]
            cpu = usage.ru_utime + usage.ru_stime
            signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
            if play.why is None and not play.confined:
                play.why, play.detail = "start", "died before it was confined"
            elif play.why is None and signal == 9 and play.detail is not None:
                play.why = "crash"
            elif play.why is None and signal == 9 and cpu >= int(play.cpu) + 1:
                play.why, play.detail = "deadline", "process used %.1f s CPU" % cpu
            self.send(EXIT, play.identity, {
                "why": play.why, "detail": play.detail, "signal": signal, "cpu": round(cpu, 4),
                "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None})
        self.dying = waiting

    def _expire(self, now):
        """Kills what has used up its CPU or wall time; says when to look again."""
        following = float("inf")
        for play in self.plays.values():
            if play.why is not None:
                continue
            left = play.ends - now
            if left <= 0:
                self._kill(play, "deadline", "process lived longer than its wall limit")
                continue
            if self._overdrawn(play):
                continue
            total = time.clock_gettime(play.clock)
            left = min(left, play.request_cpu - (total - play.answered_cpu), play.cpu - total)
            if play.asked is not None:
                if now - play.asked > play.request_wall:
                    self._kill(play, "deadline", "request took %.1f s, limit %g s" % (now - play.asked, play.request_wall))
                    continue
                left = min(left, play.asked + play.request_wall - now)
            following = min(following, now + max(left, 0.002))
        self.next_check = following
