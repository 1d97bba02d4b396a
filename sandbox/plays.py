"""One play as its zygote sees it: a child, what it may use, and how it ended."""
import time


class Play:
    """One child and what it may still use. `counted_from` is the CPU time of the process from which the request in
    progress counts, None while nothing is counted; `ends` when its wall time is over; `seen` its CPU time at the last look
    at a long request, `idle` how many looks saw no more."""

    __slots__ = ("identity", "pid", "clock", "request_cpu", "cpu", "ends", "counted_from", "why", "detail", "seen", "idle")

    def __init__(self, identity, pid):
        self.identity, self.pid = identity, pid
        self.clock = (~pid << 3) | 2  # the process CPU clock of that pid
        self.request_cpu = self.cpu = self.ends = float("inf")
        self.counted_from = self.why = self.detail = None
        self.seen, self.idle = 0.0, 0

    def begin(self, limits, now):
        """`limits` are request CPU, request wall, CPU and wall seconds, megabytes."""
        self.request_cpu, _request_wall, self.cpu, wall = limits[:4]
        self.ends = now + wall

    def overdrawn(self, total):
        """What a play that has used `total` seconds of CPU has used too much of, or ""."""
        if self.counted_from is not None and total - self.counted_from > self.request_cpu:
            return "request used %.3f s CPU, limit %g s" % (total - self.counted_from, self.request_cpu)
        if total > self.cpu:
            return "process used %.3f s CPU, limit %g s" % (total, self.cpu)
        return ""

    def left(self, total, now):
        """Seconds in which it cannot overdraw: CPU time passes no faster than the clock."""
        left = min(self.ends - now, self.cpu - total)
        if self.counted_from is not None:
            left = min(left, self.request_cpu - (total - self.counted_from))
        return left

    def cpu_time(self):
        return time.clock_gettime(self.clock)
