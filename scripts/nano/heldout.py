"""The held-out programs: data/heldout/{dev,test}, each with families the corpus knows and families it never had.

A seen program's family and constants are kept out of pre-training under every noun (see `world.held_key`).
"""
import hashlib
import json
import os
import random
import world
from families_unseen import UNSEEN
from gates import floor

SEED = 20261129


def identity(source):
    """Environment id: sha-256 of the canonical source."""
    text = "\n".join(line.rstrip() for line in source.split("\n")).rstrip("\n") + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def candidates(rng, name, cls, families, difficulty):
    while True:
        game = world.build(name, rng.choice(cls.nouns), cls.constants(rng, difficulty), difficulty, rng.randrange(3), families)
        if max(floor(game.source).values()) <= .2:
            yield game


def programs():
    """{"dev": [(game, seen)], "test": [...]}: 18 seen and 9 unseen programs each, no key twice."""
    rng, used = random.Random(SEED), set()
    sets = {"dev": [], "test": []}
    for families, seen in ((world.FAMILIES, True), (UNSEEN, False)):
        for position, (name, cls) in enumerate(families.items()):
            for part in sets:
                extra = position % 2 == 0 if seen else position in (0, 3)
                for number in range(2 if extra else 1):
                    difficulty = (.35, .65)[(number + position // 2) % 2] if seen else (.3, .5)[number]
                    game = next(g for g in candidates(rng, name, cls, families, difficulty) if world.held_key(g) not in used)
                    used.add(world.held_key(game))
                    sets[part].append((game, seen))
    return sets


def held_keys():
    """Keys that pre-training must never draw."""
    return frozenset(world.held_key(game) for part in programs().values() for game, seen in part if seen)


def write(folder):
    for part, games in programs().items():
        os.makedirs(f"{folder}/{part}", exist_ok=True)
        for old in os.listdir(f"{folder}/{part}"):
            os.remove(f"{folder}/{part}/{old}")
        index = []
        for number, (game, seen) in enumerate(games):
            file = f"{number:02d}_{game.family}.py"
            with open(f"{folder}/{part}/{file}", "w") as out:
                out.write(game.source)
            index.append({"file": file, "family": game.family, "skill": game.skill, "seen": seen, "id": identity(game.source)})
        with open(f"{folder}/{part}/index.json", "w") as out:
            json.dump(index, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    write(os.path.join(os.path.dirname(__file__), "../../data/heldout"))
