"""Measurements of the base model and its model card, data/nano/README.md."""
import collections
import os
import random
import torch
import tokens
import topics
import world
from gates import check
from program import load
from sampler import Sampler


def win_rates(sampler, games, plays, temperature, seed=1):
    """Mean win rate of each family over `plays` episodes of each game, without hint."""
    jobs = [(game, number) for game in games for number in range(plays)]
    envs = [load(game.source)(max_turns=world.MAX_TURNS) for game, _ in jobs]
    first = [env.reset(10_000 + number)[0] for env, (_, number) in zip(envs, jobs)]

    def step(actions):
        out = {}
        for i, action in actions.items():
            observation, reward, terminated, truncated, _ = envs[i].step(action)
            out[i] = (observation, float(terminated and reward >= 1), terminated or truncated)
        return out

    generator = torch.Generator().manual_seed(seed)
    episodes = sampler.play([(game.skill, o) for (game, _), o in zip(jobs, first)], step, world.MAX_TURNS, temperature, generator)
    rates = collections.defaultdict(list)
    for (game, _), episode in zip(jobs, episodes):
        rates[game.family].append(episode["return"])
        rates["all"].append(episode["return"])
    return {family: sum(r) / len(r) for family, r in rates.items()}


def ceiling(games, plays, agent="good"):
    """Win rate of a scripted agent, without hint, by family."""
    rates = collections.defaultdict(list)
    for game in games:
        for number in range(plays):
            actor = world.make_agent(game, agent, random.Random(number), False)
            won = world.play(game, actor, 10_000 + number)[1]
            rates[game.family].append(won)
            rates["all"].append(won)
    return {family: sum(r) / len(r) for family, r in rates.items()}


def validity(sampler, codec, count, seed=5):
    """Share of programs sampled at T = 1, without any restriction, that pass the self-check; with the reasons of refusal."""
    rng, generator, reasons, done = random.Random(seed), torch.Generator().manual_seed(seed), collections.Counter(), 0
    lines = topics.lines()
    while done < count:
        drawn = [rng.choice(lines) for _ in range(min(24, count - done))]
        memories = [world.memory(rng, rng.choice(world.SKILLS[line["skill"]]), world.draw_difficulty(rng)) for line in drawn]
        prompts = [codec.design_prompt(line["skill"], line["text"], m if rng.random() < .75 else "") for line, m in zip(drawn, memories)]
        for reply in sampler.write(prompts, 400, 1.0, generator)[0]:
            source = codec.decode(reply[:-1]) if reply[-1] == codec.end else ""
            reasons[(check(source) or "valid").split(":")[0]] += 1
        done += len(drawn)
    return reasons["valid"] / count, dict(reasons)


def measure(model, codec, seed=3, games_per_family=6, plays=8):
    sampler, rng = Sampler(model, codec), random.Random(seed)
    games = [world.draw(rng, family) for family in world.FAMILIES for _ in range(games_per_family)]
    return {"T1": win_rates(sampler, games, plays, 1.0), "greedy": win_rates(sampler, games, plays, 0),
            "ceiling": ceiling(games, plays), "validity": validity(sampler, codec, 120), "n": games_per_family * plays}


CARD = """# The nano policy

A causal language model of {parameters:,} parameters (Qwen3 architecture, 4 layers, hidden 128; no departure from it) that
writes small Python game environments, writes hints for them and plays them. It exists to exercise the whole SPADE loop
on a CPU. It knows nothing else: its whole training text comes from `scripts/nano/`, seed {seed}; licence MIT.

- Files: `config.json`, `model.safetensors` (float32), `tokenizer.json` (byte-level BPE, {vocabulary} entries), `corpus.jsonl` (topic lines for the loop).
- Reproduce: `python scripts/nano/pretrain.py` ({steps} steps, {threads} thread, {seconds:.0f} s here on a shared machine, torch {torch}). Same machine type and thread count give the same weights.
- sha256 of model.safetensors: `{sha}`
- Validation loss (weighted nats per token): {losses}
- Programs at plain T = 1 that pass the contract and floor self-check: {validity:.0%} of 120 ({reasons}).

The demonstrations come from mixtures of scripted agents in which weak strategies hold the majority and the good one
about a third, so the base plays weakly on purpose and reward has something to teach. With a hint the good one has .9.

Win rates without hint on games drawn from the generator's own (mostly easy) prior, {n} episodes a family:

| family | base T = 1 | base greedy | scripted good agent |
|---|---|---|---|
{table}

Limits: the twelve families are all it writes; text outside `corpus.jsonl` falls to single bytes and is out of its
training distribution. "Good" agents are scripted heuristics, not optima.
"""


def write(folder, model, codec, options, losses, sha, seconds):
    numbers = measure(model, codec)
    table = "\n".join(f"| {f} | {numbers['T1'][f]:.2f} | {numbers['greedy'][f]:.2f} | {numbers['ceiling'][f]:.2f} |" for f in [*world.FAMILIES, "all"])
    text = CARD.format(
        parameters=sum(p.numel() for p in model.parameters()), vocabulary=codec.size, sha=sha, table=table, n=numbers["n"], torch=torch.__version__,
        losses=", ".join(f"{kind} {value:.3f}" for kind, value in losses.items()), validity=numbers["validity"][0], seconds=seconds,
        reasons=", ".join(f"{k} {v}" for k, v in numbers["validity"][1].items()), **{k: options[k] for k in ("seed", "steps", "threads")})
    with open(os.path.join(folder, "README.md"), "w") as file:
        file.write(text)
    print(text, flush=True)
