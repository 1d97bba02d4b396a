"""python compare.py MODEL [THREADS] [ROWS]: this engine beside plain transformers, same weights, threads, type and lengths, one run.

Sampling: plays of several turns. transformers.generate pads the conversations on the left and reads each again every turn
(its cache does not outlive a call); the engine keeps the prefixes. Training: the same sequences, cross-entropy, one
AdamW step. Printed and, with --json FILE, kept: tokens that were sampled or trained, a second.
"""
import json
import random
import sys
import time
from pathlib import Path

import numerics

args = [a for a in sys.argv[1:] if not a.startswith("--")]
THREADS = int(args[1]) if len(args) > 1 else 2
numerics.configure(THREADS)

import numpy  # noqa: E402
import torch  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

from decoder import Decoder, Job  # noqa: E402
from model import load  # noqa: E402
from sampling import Params  # noqa: E402
from training import TrainedModel  # noqa: E402
from wire import Datum  # noqa: E402

folder = Path(args[0])
config = json.loads((folder / "config.json").read_text())
SMALL = config["hidden_size"] < 256
ROWS = int(args[2]) if len(args) > 2 else 64
# the small one as the nano preset plays (means of two runs): 6.6 turns, replies of 2.2 tokens
TURNS, PROMPT, REPLY, NEXT = (7, 24, 3, 10) if SMALL else (4, 200, 16, 40)
LENGTHS = [60] * 200 + [250] * 30 if SMALL else [512] * 8 + [256] * 8
draw = random.Random(0)
ids = lambda count: [draw.randrange(20, config["vocab_size"]) for _ in range(count)]  # noqa: E731
PROMPTS, DELTAS = [ids(PROMPT) for _ in range(ROWS)], [[ids(NEXT) for _ in range(ROWS)] for _ in range(TURNS)]


def engine_plays() -> int:
    decoder, rows = Decoder(policy, start, 0, 256, 1 << 30), [list(p) for p in PROMPTS]
    for turn in range(TURNS):
        job = Job(lambda _job: None)
        for i, row in enumerate(rows):
            job.add(row, i, Params(REPLY))
        decoder.submit(job)
        while decoder.busy:
            decoder.tick()
        rows = [row + r.out + delta for row, r, delta in zip(rows, job.rows, DELTAS[turn])]
    return TURNS * ROWS * REPLY


@torch.no_grad()
def plain_plays() -> int:
    rows = [list(p) for p in PROMPTS]
    for turn in range(TURNS):
        longest = max(map(len, rows))
        batch = torch.tensor([[0] * (longest - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
        out = module.generate(batch, attention_mask=mask, max_new_tokens=REPLY, min_new_tokens=REPLY, do_sample=True,
                              use_cache=True, pad_token_id=0)
        rows = [row + out[i, longest:].tolist() + delta for i, (row, delta) in enumerate(zip(rows, DELTAS[turn]))]
    return TURNS * ROWS * REPLY


SEQUENCES = [ids(length + 1) for length in LENGTHS]
ADAM = dict(learning_rate=1e-5, beta1=0.9, beta2=0.98, eps=1e-8, weight_decay=0.1, grad_clip_norm=1.0)


def engine_training() -> int:
    data = [Datum(numpy.array(s[:-1]), {"target_tokens": numpy.array(s[1:]), "weights": numpy.full(len(s) - 1, 1e-3)}) for s in SEQUENCES]
    list(model.forward(data, "cross_entropy", {}, True, True))
    model.optim_step(ADAM, None)
    return sum(LENGTHS)


def plain_training() -> int:
    """Micro-batches of equal lengths, as many padded tokens as the engine's."""
    optimiser.zero_grad()
    for length in sorted(set(LENGTHS)):
        same = [s for s in SEQUENCES if len(s) == length + 1]
        size = max(1, 1024 // length)
        for at in range(0, len(same), size):
            batch = torch.tensor(same[at : at + size])
            logits = module(batch[:, :-1], use_cache=False).logits
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), reduction="sum") * 1e-3
            loss.backward()
    torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
    optimiser.step()
    return sum(LENGTHS)


def timed(work) -> dict:
    best = None
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        tokens = work()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if best is None or wall < best["seconds"]:
            best = {"seconds": wall, "cpuSeconds": cpu, "tokensPerSecond": tokens / wall}
    return best


policy, start = load(folder)
module = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
module.generation_config.eos_token_id = None
model = TrainedModel("compare", policy, start)
optimiser = torch.optim.AdamW(module.parameters(), lr=1e-5, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.1)
fed = TURNS * ROWS * PROMPT + sum(turn * ROWS * (REPLY + NEXT) for turn in range(TURNS))
new = ROWS * PROMPT + (TURNS - 1) * ROWS * (REPLY + NEXT)
result = {"model": folder.name, "threads": THREADS, "rows": ROWS, "turns": TURNS, "prompt": PROMPT, "reply": REPLY, "next": NEXT,
          "promptTokensReadAgain": fed, "promptTokensReadOnce": new, "predictedByReuse": (fed + TURNS * ROWS * REPLY) / (new + TURNS * ROWS * REPLY)}
for name, ours, theirs in (("sampling", engine_plays, plain_plays), ("training", engine_training, plain_training)):
    result[name] = {"engine": timed(ours), "transformers": timed(theirs)}
    result[name]["times"] = result[name]["transformers"]["seconds"] / result[name]["engine"]["seconds"]
    e, t = result[name]["engine"], result[name]["transformers"]
    print(f"{name:10s} engine {e['tokensPerSecond']:9,.0f} tokens/s, transformers {t['tokensPerSecond']:9,.0f}: {result[name]['times']:.2f} times", flush=True)
print(f"prefix reuse alone predicts {result['predictedByReuse']:.2f} times, where reading a token costs what sampling one does")
for arg in sys.argv[1:]:
    if arg.startswith("--json="):
        Path(arg[7:]).write_text(json.dumps(result, indent=1) + "\n")
