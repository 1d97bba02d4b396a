"""Other ways to run programs, for comparison: none of them contains anything.

    python sandbox_rivals.py WAY PROGRAM PLAYS CONCURRENCY STEPS

WAY is `threads` (exec in this process, a pool of threads: the published way), `subprocess` (an interpreter a play),
`forkserver` (multiprocessing, modules preloaded) or `floor` (fork, one byte over a pipe, exit: what no design that forks
a process a play can be below). Prints one JSON object: quantiles of start (ms) and step (us), plays a second, CPU ms.
"""
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

PRELOADED = ["random", "json", "math", "collections", "itertools", "re", "typing"]

LOOP = """
import json, sys
names = {"__name__": "program"}
exec(compile(json.loads(sys.stdin.readline()), "<program>", "exec"), names)
environment = next(v for k, v in names.items() if k.endswith("Env"))()
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "reset":
        print(json.dumps(environment.reset(seed=request["seed"])), flush=True)
    else:
        print(json.dumps(environment.step(request["action"])), flush=True)
"""


def load(source):
    names = {"__name__": "program"}
    exec(compile(source, "<program>", "exec"), names)
    return next(value for name, value in names.items() if name.endswith("Env"))()


def in_thread(source, seed, steps):
    began = time.perf_counter()
    environment = load(source)
    started = time.perf_counter() - began
    environment.reset(seed=seed)
    return started, timed(steps, lambda: environment.step("\\boxed{0}"))


def in_subprocess(source, seed, steps):
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-s", "-c", LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(message):
        process.stdin.write(json.dumps(message) + "\n")
        return process.stdout.readline()

    ask(source)
    started = time.perf_counter() - began
    ask({"op": "reset", "seed": seed})
    times = timed(steps, lambda: ask({"op": "step", "action": "\\boxed{0}"}))
    process.stdin.close()
    process.wait()
    process.stdout.close()
    return started, times


def serve(pipe, source):
    environment = load(source)
    pipe.send("ready")
    while True:
        request = pipe.recv()
        if request is None:
            return
        pipe.send(environment.reset(seed=request) if isinstance(request, int) else environment.step(request))


def in_forkserver(source, seed, steps):
    began = time.perf_counter()
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=serve, args=(theirs, source))
    process.start()
    theirs.close()
    ours.recv()
    started = time.perf_counter() - began
    ours.send(seed)
    ours.recv()

    def ask():
        ours.send("\\boxed{0}")
        return ours.recv()

    times = timed(steps, ask)
    ours.send(None)
    process.join()
    ours.close()
    return started, times


def floor(_source, _seed, steps):
    """In this process, which has imported what the program imports. A step is one byte there and back."""
    began = time.perf_counter()
    down, up = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(down[1])
        os.close(up[0])
        os.write(up[1], b".")
        while os.read(down[0], 1):
            os.write(up[1], b".")
        os._exit(0)
    os.close(down[0])
    os.close(up[1])
    os.read(up[0], 1)
    started = time.perf_counter() - began
    times = timed(steps, lambda: (os.write(down[1], b"."), os.read(up[0], 1)))
    os.close(down[1])
    os.waitpid(child, 0)
    os.close(up[0])
    return started, times


def timed(count, work):
    times = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return times


def quantiles(values, scale):
    values = sorted(values)
    return [round(values[min(len(values) - 1, int(q * len(values)))] * scale, 3) for q in (0.5, 0.95)]


def cpu():
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


WAYS = {"threads": in_thread, "subprocess": in_subprocess, "forkserver": in_forkserver, "floor": floor}
CONTEXT = multiprocessing.get_context("forkserver")


def main():
    way, path, plays, concurrency, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    with open(path) as file:
        source = file.read()
    kinds = [name for name in ("numpy", "math_verify") if name in source]
    CONTEXT.set_forkserver_preload(PRELOADED + kinds)
    if way in ("floor", "threads"):
        for name in PRELOADED + kinds:
            __import__(name)
    run = WAYS[way]
    run(source, 0, 1)
    spent, began = cpu(), time.perf_counter()
    if concurrency == 1 or way == "floor":  # a fork beside threads is unsafe
        results = [run(source, seed, steps) for seed in range(plays)]
    else:
        with ThreadPoolExecutor(concurrency) as pool:
            results = list(pool.map(lambda seed: run(source, seed, steps), range(plays)))
    seconds = time.perf_counter() - began
    print(json.dumps({
        "start": quantiles([started for started, _ in results], 1e3),
        "step": quantiles([time for _, times in results for time in times], 1e6),
        "perSecond": round(plays / seconds, 1), "cpu": round((cpu() - spent) * 1e3 / plays, 2)}))


if __name__ == "__main__":
    main()
