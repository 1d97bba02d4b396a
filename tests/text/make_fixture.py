"""Ids and texts by Python `tokenizers`, for tokenizer_equality_test.ts.

Usage: python tests/text/make_fixture.py data/nano/tokenizer.json > tests/text/tokenizer_ids.json
"""
import glob
import hashlib
import json
import os
import random
import re
import sys

from tokenizers import Tokenizer

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def texts(rng):
    """Programs, corpus lines, and what breaks tokenizers."""
    found = []
    folders = "/tests/gates/programs/good/*.py", "/data/environments/bad/*.py"
    for path in sorted(path for folder in folders for path in glob.glob(ROOT + folder)):
        with open(path, encoding="utf-8") as file:
            found.append(file.read())
    corpus = ROOT + "/data/nano/corpus.jsonl"
    if os.path.exists(corpus):
        with open(corpus, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        found += [line.get("orig_doc", line.get("text")) for line in rng.sample(lines, min(60, len(lines)))]
    found += [
        "", " ", "\n", "\n\n\n", "  \t x  ", "a\r\nb\r", "guess 0 to 19\n\nHINT: halve the range", "\\boxed{7}", "\\boxed{go north}",
        "<|end|>", "<|obs|> x <|act|>", "<|play|><|hint|>", "<| end |>", "<|unknown|>", "12 345 6 (7) [8] a9 10north east-west 007",
        "naïve café ½ ½", "\u00a0\u2028\u2029\ufeff", "日本語のテキスト", "😀👩‍👩‍👧 🏳️‍🌈", "ﬁ ffi Å Å", "\x00\x01\x7f", "it's don't we'll I'M",
        "good GuessEnv N 20 TURNS 5\nhard PondEnv N 6 TURNS 8",
    ]
    alphabet = "abz09 .,\n\t{}()'\"_=+é漢😀"
    found += ["".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 40))) for _ in range(60)]
    return found


def prompts(tokenizer):
    """Prompts as the policy saw them in training: scripts/nano/tokens.py is that side of the format."""
    sys.path.insert(0, ROOT + "/scripts/nano")
    from tokens import Codec, hinted

    codec = Codec(tokenizer)
    with open(ROOT + "/tests/gates/programs/good/guess.py", encoding="utf-8") as file:
        source = file.read()
    skill, document, memory = "Logical Deduction", "a gate with 20 keys", "good GuessEnv N 20 TURNS 5\nhard PondEnv N 6 TURNS 8"
    observation = "guess 0 to 19"
    return {
        "brief": {"skill": skill, "document": document, "memory": memory},
        "source": source,
        "observation": observation,
        "design": codec.design_prompt(skill, document, memory),
        "bare": codec.design_prompt(skill, "", ""),
        "hint": codec.hint_prompt(source),
        "play": codec.play_prompt(skill, observation),
        "hinted": codec.play_prompt(skill, hinted(observation, "halve the range")),
        "turn": codec.turn("higher"),
    }


def main(path):
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    tokenizer = Tokenizer.from_file(path)
    tokenizer.encode_special_tokens = True
    vocabulary = tokenizer.get_vocab()
    special = {i for token, i in vocabulary.items() if re.fullmatch(r"<\|[^|]+\|>", token)}
    rng = random.Random(0)
    encoded = [[text, tokenizer.encode(text, add_special_tokens=False).ids] for text in texts(rng)]
    assert not any(special & set(ids) for _, ids in encoded)
    plain = sorted(set(vocabulary.values()) - special)
    sampled = [[rng.choice(plain) for _ in range(rng.randrange(1, 12))] for _ in range(200)]
    decoded = [[ids, tokenizer.decode(ids, skip_special_tokens=False)] for ids in sampled]
    fixture = {"tokenizer": digest, "encoded": encoded, "decoded": decoded, "prompts": prompts(tokenizer)}
    json.dump(fixture, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main(sys.argv[1])
