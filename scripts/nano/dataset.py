"""Training sequences of the nano policy: designs, hints and plays, as token ids with a loss weight per token."""
import random
import world
from tokens import hinted

ACTION, END, OBSERVATION, PROMPT = 3.0, 0.5, 0.1, 0.03


def design_example(codec, rng, game, avoid):
    """<design> skill <corpus> document <memory> records <program> source <end>."""
    document = world.document(rng, game.family, game.noun) if rng.random() < .85 else ""
    memory = world.memory(rng, game.family, game.difficulty, avoid) if rng.random() < .75 else ""
    prompt = codec.design_prompt(game.skill, document, memory)
    reply = codec.encode(game.source) + [codec.end]
    return prompt + reply, [PROMPT] * len(prompt) + [1.0] * len(reply)


def hint_example(codec, game):
    """<program> source <hint> hint <end>; only the hint is scored."""
    prompt = codec.hint_prompt(game.source)
    reply = codec.encode(game.hint) + [codec.end]
    return prompt + reply, [0.0] * len(prompt) + [1.0] * len(reply)


def play_example(codec, rng, game, with_hint):
    """<play> skill (<obs> observation <act> action <end>)*, played by one agent of the family's mixture."""
    agent = world.make_agent(game, world.choose_agent(game, rng, with_hint), rng, with_hint)
    turns, _ = world.play(game, agent, rng.randrange(1 << 30))
    ids = [codec.play, *codec.encode(game.skill)]
    weights = [PROMPT] * len(ids)
    for index, (observation, action) in enumerate(turns):
        text = hinted(observation, game.hint) if with_hint and index == 0 else observation
        seen, reply = codec.turn(text), codec.encode(action) + [codec.end]
        ids += seen + reply
        weights += [OBSERVATION] * len(seen) + [ACTION] * (len(reply) - 1) + [END]
    return ids, weights


def tokenizer_texts(seed, count, avoid):
    """Texts on which the tokenizer is trained, in about the proportions of use."""
    rng, texts = random.Random(seed), []
    for index in range(count):
        game = world.draw(rng, avoid=avoid)
        texts += [game.source, game.hint, world.memory(rng, game.family, game.difficulty, avoid), game.skill]
        texts += [world.document(rng, game.family, game.noun) for _ in range(4)] + ["1\n\nHINT: " + game.hint]
        agent = world.make_agent(game, world.choose_agent(game, rng, False), rng, False)
        texts += [observation for observation, _ in world.play(game, agent, index)[0]]
    return texts


def build(codec, seed, counts, avoid, hinted_share=.33):
    """{"design": [...], "hint": [...], "play": [...]} with `counts` examples of each."""
    rng, data = random.Random(seed), {"design": [], "hint": [], "play": []}
    while len(data["design"]) < counts["design"]:
        data["design"].append(design_example(codec, rng, world.draw(rng, avoid=avoid), avoid))
    while len(data["hint"]) < counts["hint"]:
        data["hint"].append(hint_example(codec, world.draw(rng, avoid=avoid)))
    while len(data["play"]) < counts["play"]:
        data["play"].append(play_example(codec, rng, world.draw(rng, avoid=avoid), rng.random() < hinted_share))
    return data
