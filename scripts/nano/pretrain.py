"""Pre-train the nano policy from nothing: tokenizer, data, training, measurements, model card.

    python scripts/nano/pretrain.py                        # writes data/nano and data/heldout
    python scripts/nano/pretrain.py --continue-from data/nano --steps 100 --out DIR    # control: more of the same

The same seed, thread count and machine type give the same weights.
"""
import argparse
import json
import os
import random
import time

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")
import torch
import torch.nn.functional as F
import card
import dataset
import heldout
import model as models
import tokens
import topics
from tokenizers import Tokenizer

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def arguments():
    parser = argparse.ArgumentParser()
    add = parser.add_argument
    add("--out", default=f"{ROOT}/data/nano")
    add("--continue-from", default="")
    add("--seed", type=int, default=0)
    add("--threads", type=int, default=1)
    add("--steps", type=int, default=650)
    add("--seconds", type=float, default=0, help="stop after this many seconds (control runs; not reproducible)")
    add("--lr", type=float, default=3e-3)
    add("--designs", type=int, default=4000)
    add("--plays", type=int, default=26000)
    add("--vocabulary", type=int, default=1536)
    add("--no-card", action="store_true")
    return parser.parse_args()


def batch_of(rng, examples, size):
    """Examples of similar length."""
    drawn = sorted(rng.sample(examples, size * 3), key=lambda e: len(e[0]))
    start = rng.randrange(size * 2 + 1)
    return drawn[start:start + size]


def loss_of(model, rows):
    """Weighted cross-entropy summed over the rows, and the weight."""
    length = max(len(ids) for ids, _ in rows)
    ids, weights = torch.zeros(len(rows), length, dtype=torch.long), torch.zeros(len(rows), length)
    for i, (row, w) in enumerate(rows):
        ids[i, :len(row)], weights[i, :len(row)] = torch.tensor(row), torch.tensor(w)
    hidden = model.model(input_ids=ids[:, :-1], use_cache=False).last_hidden_state
    target, weight = ids[:, 1:], weights[:, 1:]
    scored = weight > 0
    loss = F.cross_entropy(model.lm_head(hidden[scored]), target[scored], reduction="none")
    return (loss * weight[scored]).sum(), weight.sum()


def copy_rows(rng, numbers, part, rows=16, length=32):
    """Random numbers that come round again after a period, which grows with `part`; only known repeats are scored."""
    out = []
    for _ in range(rows):
        period = rng.randint(2, 3 + int(10 * part))
        song = rng.choices(numbers, k=period)
        out.append(([song[i % period] for i in range(length)], [1.0 if i >= period + 1 else 0.0 for i in range(length)]))
    return out


def update(model, opts, loss, factor):
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for opt in opts:
        for group in opt.param_groups:
            group["lr"] = group.setdefault("base", group["lr"]) * factor
        opt.step()
        opt.zero_grad(set_to_none=True)


def train(model, data, options, rng, numbers):
    """The main stage; returns the last validation losses."""
    opts, began, losses = models.optimizers(model, options.lr), time.time(), {}
    held = {kind: examples[:64] for kind, examples in data.items()}
    data = {kind: examples[64:] for kind, examples in data.items()}
    sizes = {"design": 8, "hint": 2, "play": 48}
    copying = 0 if options.continue_from else .6
    for step in range(options.steps):
        part = (time.time() - began) / options.seconds if options.seconds else step / options.steps
        if part >= 1:
            break
        factor = min(1, (step + 1) / 30) * (1 if part < .4 else max(.02, 1 - (part - .4) / .6))
        terms = [loss_of(model, batch_of(rng, data[kind], size)) for kind, size in sizes.items()]
        terms += [loss_of(model, copy_rows(rng, numbers, min(1, 2 * part)))] if part < copying else []
        update(model, opts, sum(share * total / weight for share, (total, weight) in zip((1, .3, 1, .5), terms)), factor)
        if step % 50 == 49 or step == options.steps - 1:
            with torch.no_grad():
                losses = {kind: (lambda r: (r[0] / r[1]).item())(loss_of(model, rows)) for kind, rows in held.items()}
            copied = f"copy {(terms[3][0] / terms[3][1]).item():.3f} " if len(terms) > 3 else ""
            print(copied + f"step {step + 1} {time.time() - began:.0f}s cpu {time.process_time():.0f}s " + " ".join(f"{k} {v:.3f}" for k, v in losses.items()), flush=True)
    return losses


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.use_deterministic_algorithms(True)
    began, rng, avoid = time.time(), random.Random(options.seed), heldout.held_keys()
    fresh = not options.continue_from
    if fresh:
        os.makedirs(options.out, exist_ok=True)
        tokenizer = tokens.train(dataset.tokenizer_texts(options.seed + 1, 2000, avoid), topics.nouns(), options.vocabulary)
        topics.write(f"{options.out}/corpus.jsonl")
    else:
        tokenizer = Tokenizer.from_file(f"{options.continue_from}/tokenizer.json")
    codec = tokens.Codec(tokenizer)
    numbers = [codec.encode(str(i))[0] for i in range(100)]
    seed = options.seed + (2 if fresh else 3)
    data = dataset.build(codec, seed, {"design": options.designs, "hint": options.designs // 4, "play": options.plays}, avoid)
    print(f"data {time.time() - began:.0f}s vocabulary {codec.size}", {k: round(sum(len(i) for i, _ in v) / len(v)) for k, v in data.items()}, flush=True)
    model = models.new_model(codec.size, codec.end, numbers, options.seed) if fresh else models.load(options.continue_from)
    losses = train(model, data, options, rng, numbers)
    sha = models.save(model, options.out)
    tokenizer.save(f"{options.out}/tokenizer.json")
    print(f"sha256 {sha} in {time.time() - began:.0f}s cpu {time.process_time():.0f}s", flush=True)
    if fresh and not options.no_card:
        card.write(options.out, model, codec, vars(options), losses, sha, time.time() - began)


if __name__ == "__main__":
    main()
