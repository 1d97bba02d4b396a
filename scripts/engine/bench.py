"""python bench.py MODEL [THREADS]: tokens a CPU second for the load of one nano rollout. CPU time, so other work on the
machine disturbs it less than wall time would."""
import random
import sys
import time
from pathlib import Path

import numerics

numerics.configure(int(sys.argv[2]) if len(sys.argv) > 2 else 1)

import numpy  # noqa: E402

from decoder import Decoder, Job  # noqa: E402
from model import load  # noqa: E402
from sampling import Params  # noqa: E402
from training import TrainedModel  # noqa: E402
from wire import Datum  # noqa: E402

policy, start = load(Path(sys.argv[1]))
draw = random.Random(0)


def ids(count: int) -> list[int]:
    return [draw.randrange(policy.vocabulary) for _ in range(count)]


def timed(name: str, work) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    counts = work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    rates = ", ".join(f"{value / cpu:,.0f} {what}/s" for what, value in counts.items())
    print(f"{name:44s} {cpu:6.2f} cpu s  {wall:6.2f} s   {rates}", flush=True)


def decode(decoder: Decoder, prompts: list[list[int]], params: Params) -> list[list[int]]:
    job = Job(lambda _job: None)
    for prompt in prompts:
        job.add(prompt, draw.randrange(2**31), params)
    decoder.submit(job)
    while decoder.busy:
        decoder.tick()
    return [row.out for row in job.rows]


def plays(turns=6, rows=192):
    decoder = Decoder(policy, start, 0, 256, 1 << 28)
    prompts, tokens = [ids(draw.randint(15, 30)) for _ in range(rows)], 0
    for _ in range(turns):
        outs = decode(decoder, prompts, Params(draw.choice([2, 3])))
        prompts = [p + o + ids(10) for p, o in zip(prompts, outs)]
    tokens = decoder.decoded + decoder.prefilled
    return {"token": tokens, "turn": turns * rows, "reused": decoder.reused}


def replies(rows: int, prompt: int, count: int):
    decoder = Decoder(policy, start, 0, 256, 1 << 28)
    decode(decoder, [ids(prompt) for _ in range(rows)], Params(count))
    return {"decoded token": decoder.decoded}


def update():
    data = [(60, 14)] * 200 + [(250, 120)] * 30

    def one(length: int, learned: int) -> Datum:
        weights = numpy.zeros(length)
        weights[draw.sample(range(length), learned)] = 0.01
        return Datum(numpy.array(ids(length)), {"target_tokens": numpy.array(ids(length)), "weights": weights})

    batch = [one(*item) for item in data]
    model, tokens = TrainedModel("bench", policy, start), sum(n for n, _ in data)
    timed("  forward, weighted positions", lambda: {"token": len(list(model.forward(batch, "cross_entropy", {}, False, True))) and tokens})
    timed("  forward, all positions", lambda: {"token": len(list(model.forward(batch, "cross_entropy", {}, False, False))) and tokens})
    timed("  forward_backward, all positions", lambda: {"token": len(list(model.forward(batch, "cross_entropy", {}, True, False))) and tokens})
    timed("  forward_backward, weighted positions", lambda: {"token": len(list(model.forward(batch, "cross_entropy", {}, True, True))) and tokens})
    adam = dict(learning_rate=1e-4, beta1=0.9, beta2=0.98, eps=1e-8, weight_decay=0.1, grad_clip_norm=1.0)
    timed("  optim_step", lambda: {"step": model.optim_step(adam, None) and 1})
    return {"token": tokens}


for _ in range(2):
    timed("192 plays, 6 turns of 2-3 tokens", plays)
    timed("192 rows, 1-token prompts, 100 tokens", lambda: replies(192, 1, 100))
    timed("24 designer rows, 200 prompt, 120 tokens", lambda: replies(24, 200, 120))
    timed("update: 200 x 60 + 30 x 250, all of it", update)
