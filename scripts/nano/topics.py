"""data/nano/corpus.jsonl: the short topic lines from which the loop draws its documents."""
import json
import random
import world

SEED, PER_NOUN = 11, 8


def nouns():
    return [noun for family in world.FAMILIES.values() for noun in family.nouns]


def lines():
    """Distinct topic lines, PER_NOUN of each noun, in a fixed shuffled order."""
    rng, out = random.Random(SEED), []
    for name, family in world.FAMILIES.items():
        for noun in family.nouns:
            texts = sorted({world.document(rng, name, noun) for _ in range(200)})
            out += [{"text": text, "skill": family.skill, "licence": "MIT"} for text in rng.sample(texts, PER_NOUN)]
    rng.shuffle(out)
    return out


def write(path):
    with open(path, "w") as file:
        for line in lines():
            file.write(json.dumps(line) + "\n")
