"""The sealed zygote: forks one child a play, keeps its time and says how it ended.

A host that may open a socket connects once a play; the child gets that connection and the two speak without the zygote
between them. For one that may not, `relay.py` carries the frames. Frames to and from the host have a header of 9 bytes:
length (32 bits), play (32 bits), kind (8 bits), little-endian. CPU time is read from the child's own clock, so a busy
machine makes no program hang.
"""
import ctypes
import os
import resource
import select
import signal
import struct
import time

from plays import Play
from relay import HEADER, MAX_FRAME, Relay, RelayedPlay, private_buffer
from syscalls import check, libc

START, REQUEST, KILL, BEGIN, COUNT, UNCOUNT, LIMIT, LOOK = 1, 2, 3, 4, 5, 6, 7, 8
READY, REPLY, EXIT, LIMITED = 1, 2, 3, 4
LIMITS = struct.Struct("<5d")
MEMORY = struct.Struct("<2d")
HELLO = struct.Struct("<I")
END = struct.Struct("<Biidd")
WHYS = (None, "kill", "deadline", "protocol", "crash", "start", "host")
DIRECT = 0x80000000  # plays with a connection of their own
AT_ONCE = 8  # forks between two looks at the host
BUSY_SECONDS, NICE = 0.02, 10
IDLE_SECONDS, IDLE_LOOKS = 0.0002, 100  # the host has it looked at some 15 times a second


def child_events():
    """A descriptor that says when a child has ended."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    mask = ctypes.create_string_buffer(128)
    struct.pack_into("<Q", mask, 0, 1 << (signal.SIGCHLD - 1))
    return check(libc.signalfd(-1, mask, os.O_NONBLOCK | os.O_CLOEXEC))


def peak_kilobytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Zygote:
    """`control_in` and `control_out` lead to the host; it connects to `listener`, a non-blocking socket, or None."""

    def __init__(self, control_in, control_out, wall, pool_size, listener, limits):
        self.control_in, self.control_out, self.wall, self.listener = control_in, control_out, wall, listener
        self.limits = limits  # megabytes and CPU seconds of a child that connects
        self.input = private_buffer()
        self.input_view = memoryview(self.input)
        self.have = self.serial = 0
        self.plays, self.by_pid, self.next_check = {}, {}, float("inf")
        self.children = child_events()
        self.relay = Relay(self, pool_size)
        self.epoll = select.epoll()
        self.epoll.register(control_in, select.EPOLLIN)
        self.epoll.register(self.children, select.EPOLLIN)
        self.door = listener.fileno() if listener is not None else -1
        if listener is not None:
            self.epoll.register(self.door, select.EPOLLIN)

    def serve(self):
        """Runs until the host closes its end. Returns only in a new child."""
        while True:
            for fd, event in self.epoll.poll(self._timeout()):
                if fd == self.control_in:
                    if self._control():
                        return
                elif fd == self.door:
                    if self._accept():
                        return
                elif fd == self.children:
                    self._reap()
                else:
                    self.relay.ready(fd, event)
            now = time.monotonic()
            if now >= self.next_check:
                self._expire(now)
            if self.relay.wants_children() and now >= self.relay.fill_after and self.relay.fill(now):
                return

    def send(self, kind, identity, data):
        self.write(HEADER.pack(len(data), identity, kind) + data)

    def write(self, data):
        try:
            while len(data):
                data = data[os.write(self.control_out, data):]
        except OSError:
            self._end()

    def _end(self):
        """The host is gone: so is everything."""
        for pid in list(self.by_pid) + [pid for pid, _fd in self.relay.pool]:
            os.kill(pid, 9)
        os._exit(0)

    def _timeout(self):
        wake = self.next_check
        if self.relay.wants_children():
            wake = min(wake, self.relay.fill_after)
        return -1 if wake == float("inf") else max(0.0, wake - time.monotonic())

    def look_again(self, when):
        self.next_check = min(self.next_check, when)

    def add(self, play):
        self.plays[play.identity] = self.by_pid[play.pid] = play

    # Plays with a connection

    def _accept(self):
        """A child for each connection. True in a new child."""
        for _ in range(AT_ONCE):
            try:
                connection, _address = self.listener._accept()
            except OSError:
                return False
            self.serial = (self.serial + 1) % DIRECT
            identity = DIRECT | self.serial
            try:
                os.write(connection, HELLO.pack(identity))
                pid = self.wall.spawn_with(connection, self.limits)
            except OSError as error:
                self.report_no_start(identity, error)
                continue
            if pid == 0:
                return True
            self.add(Play(identity, pid))
        return False

    def _begin(self, play, limits):
        """From now on it has a wall time; less than every child has is set here."""
        now = time.monotonic()
        play.begin(limits, now)
        megabytes, cpu = limits[4], limits[2]
        if megabytes < self.limits[0] or cpu < self.limits[1]:
            try:
                self.wall.limit(play.pid, min(megabytes, self.limits[0]), min(cpu, self.limits[1]))
            except OSError as error:
                self.kill(play, "start", str(error))
        self.look_again(now + min(play.ends - now, play.cpu))

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
            if self._obey(kind, identity, start + HEADER.size, size):
                return True
            start = end
        if start:
            rest = self.have - start
            self.input.move(0, start, rest)
            self.have = rest
        return False

    def _obey(self, kind, identity, offset, size):
        """True in a new child."""
        if kind == START:
            limits = LIMITS.unpack_from(self.input, offset)
            return self.relay.start(identity, limits, offset + LIMITS.size, size - LIMITS.size)
        if kind == LIMIT:
            self.limits = MEMORY.unpack_from(self.input, offset)
            self.send(LIMITED, identity, b"")
            return False
        play = self.plays.get(identity)
        if play is None:
            return False
        if kind == REQUEST:
            self.relay.ask(play, offset, size)
        elif kind == KILL:
            self.kill(play, "kill", "")
        elif kind == BEGIN:
            self._begin(play, LIMITS.unpack_from(self.input, offset))
        elif kind == COUNT:
            play.counted_from = play.seen = play.cpu_time()
            play.idle = 0
            self.look_again(time.monotonic() + play.request_cpu)
        elif kind == UNCOUNT:
            play.counted_from = None
        elif kind == LOOK:
            self._look(play)
        return False

    def _look(self, play):
        """At a request that takes long. A child that works, and does not merely wait for a processor, gives way to the host
        and the other plays; one that does nothing at all, look after look, will never answer."""
        if play.counted_from is None or play.why is not None:
            return
        total = play.cpu_time()
        if total - play.counted_from > BUSY_SECONDS:
            os.setpriority(os.PRIO_PROCESS, play.pid, NICE)
        play.idle = play.idle + 1 if total - play.seen < IDLE_SECONDS else 0
        play.seen = total
        if play.idle >= IDLE_LOOKS:
            self.kill(play, "deadline", "request did nothing in %d looks" % play.idle)

    # Ends

    def kill(self, play, why, detail):
        if play.why is None:
            play.why, play.detail = why, detail
            os.kill(play.pid, 9)

    def overdrawn(self, play):
        """Kills a child whose request or life has used more CPU time than it may."""
        problem = play.overdrawn(play.cpu_time())
        if problem:
            self.kill(play, "deadline", problem)
        return play.why is not None

    def _expire(self, now):
        """Kills what has used up its CPU or wall time; says when to look again."""
        self.next_check = float("inf")
        for play in self.plays.values():
            if play.why is not None:
                continue
            if play.ends <= now:
                self.kill(play, "deadline", "process lived longer than its wall limit")
            elif not self.overdrawn(play):
                following = now + max(play.left(play.cpu_time(), now), 0.002)
                if isinstance(play, RelayedPlay):
                    following = min(following, self.relay.late(play, now))
                self.look_again(following)

    def _reap(self):
        try:
            os.read(self.children, 4096)
        except BlockingIOError:
            pass
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            play = self.by_pid.pop(pid, None)
            if play is None:
                self.relay.lost(pid)
            else:
                self._report(play, status, usage.ru_utime + usage.ru_stime)

    def _report(self, play, status, cpu):
        if isinstance(play, RelayedPlay):
            self.relay.drain(play)
            if play.why is None and not play.confined:
                play.why, play.detail = "start", "died before it was confined"
        del self.plays[play.identity]
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if play.why is None and number == 9 and cpu >= int(min(play.cpu, self.limits[1])) + 1:
            play.why, play.detail = "deadline", "process used %.1f s CPU" % cpu
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        self._exit(play.identity, play.why, play.detail or "", code, number, cpu)

    def report_no_start(self, identity, error):
        self._exit(identity, "start", str(error), -1, 0, 0.0)

    def _exit(self, identity, why, detail, code, number, cpu):
        end = END.pack(WHYS.index(why), code, number, cpu, peak_kilobytes())
        self.send(EXIT, identity, end + detail.encode())
