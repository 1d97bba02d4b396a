"""python -m unittest discover -s scripts/nano -p 'test_*.py' (needs `tokenizers`; torch is not used)."""
import ast
import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heldout
import topics
import world
from families_unseen import UNSEEN
from gates import check, floor
from program import boxed, record
from tokenizers import Tokenizer
from tokens import SPECIALS, Codec, hinted

def read(path):
    with open(f"{DATA}/{path}") as file:
        return file.read()


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data")


class Programs(unittest.TestCase):
    def test_every_family_obeys_the_contract_and_the_floor_gate(self):
        rng, refused, n = random.Random(1), 0, 0
        for families in (world.FAMILIES, UNSEEN):
            for name, cls in families.items():
                for _ in range(8):
                    d = world.draw_difficulty(rng)
                    game = world.build(name, rng.choice(cls.nouns), cls.constants(rng, d), d, rng.randrange(3), families)
                    verdict = check(game.source)
                    n += 1
                    if verdict is not None:
                        self.assertTrue(verdict.startswith("floor: random"), f"{name}: {verdict}")
                        refused += 1
        self.assertLessEqual(refused / n, .08)

    def test_random_play_rarely_wins_on_average(self):
        rng = random.Random(2)
        for name in world.FAMILIES:
            rates = [floor(world.draw(rng, name).source) for _ in range(6)]
            self.assertLessEqual(sum(r["random"] for r in rates) / 6, .2, name)
            for probe in ("no-op", "empty", "echo", "all-options", "all-options-spaced"):
                self.assertEqual(max(r[probe] for r in rates), 0, f"{name} {probe}")

    def test_the_good_agent_beats_the_mixture(self):
        rng = random.Random(3)
        for name in world.FAMILIES:
            good = mixed = 0
            for seed in range(60):
                game = world.draw(rng, name, .4)
                good += world.play(game, world.make_agent(game, "good", rng, False), seed)[1]
                mixed += world.play(game, world.make_agent(game, world.choose_agent(game, rng, False), rng, False), seed)[1]
            self.assertGreater(good, mixed + 6, name)

    def test_record_reads_class_and_integer_constants_of_any_source(self):
        self.assertEqual(record("class AbEnv:\n    N = 20\n    UP = -1\n    S = 'x'\n"), "AbEnv N 20 UP -1")
        self.assertEqual(record(""), "Env")

    def test_boxed_takes_the_last_box_or_the_text(self):
        self.assertEqual([boxed("\\boxed{3}"), boxed(" 3 "), boxed("\\boxed{1} \\boxed{ 2 }")], ["3", "3", "2"])


class HeldOut(unittest.TestCase):
    def test_files_are_the_generated_programs_and_pass_the_self_check(self):
        for part, games in heldout.programs().items():
            index = json.loads(read(f"heldout/{part}/index.json"))
            self.assertEqual(len(index), len(games))
            self.assertGreaterEqual(len({e["family"] for e in index if not e["seen"]}), 4)
            for entry, (game, seen) in zip(index, games):
                source = read(f"heldout/{part}/{entry['file']}")
                self.assertEqual((source, seen, heldout.identity(source)), (game.source, entry["seen"], entry["id"]))
                self.assertIsNone(check(source))

    def test_seen_constants_are_absent_from_the_training_draws(self):
        avoid, rng = heldout.held_keys(), random.Random(4)
        self.assertEqual(len(avoid), sum(seen for games in heldout.programs().values() for _, seen in games))
        self.assertTrue(any(world.held_key(world.draw(rng)) in avoid for _ in range(3000)))
        self.assertFalse(any(world.held_key(world.draw(rng, avoid=avoid)) in avoid for _ in range(3000)))

    def test_unseen_families_share_no_rules_with_the_known_ones(self):
        body = lambda game: ast.dump(ast.parse(game.source.split("def deal")[1].join(["class X:\n    def deal", ""])))
        known = {body(world.build(n, "x", c.constants(random.Random(5), .5))) for n, c in world.FAMILIES.items()}
        for name, cls in UNSEEN.items():
            if name not in ("shared", "dimmer"):
                self.assertNotIn(body(world.build(name, "x", cls.constants(random.Random(5), .5), families=UNSEEN)), known)


class Tokens(unittest.TestCase):
    def setUp(self):
        self.codec = Codec(Tokenizer.from_file(f"{DATA}/nano/tokenizer.json"))

    def test_round_trip_of_programs_and_of_arbitrary_text(self):
        rng = random.Random(6)
        texts = [world.draw(rng).source for _ in range(50)] + [line["text"] for line in topics.lines()]
        texts += ["h\u00e9llo \U0001f600 \u2028 \x00 \r\n\t 123456", "<|obs|> 7 <|end|>", "\\boxed{3}", "a" * 500]
        for text in texts:
            self.assertEqual(self.codec.decode(self.codec.encode(text)), text)

    def test_text_never_becomes_a_special_token(self):
        for name in SPECIALS:
            self.assertFalse(set(self.codec.encode(f"x {name}{name} 3")) & set(range(len(SPECIALS))))

    def test_numbers_and_moves_are_one_token_wherever_they_stand(self):
        for text in [*map(str, range(100)), "north", "east", "south", "west"]:
            ids = self.codec.encode(text)
            self.assertEqual(len(ids), 1, text)
            for around in (f"maze {text} goal", f"no {text} lamp", hinted(text, "x"), f"N = {text}\n"):
                self.assertIn(ids[0], self.codec.encode(around), around)

    def test_corpus_has_at_least_300_lines_of_known_skills(self):
        lines = [json.loads(line) for line in read("nano/corpus.jsonl").splitlines()]
        self.assertGreaterEqual(len(lines), 300)
        self.assertEqual({line["skill"] for line in lines}, set(world.SKILLS))
        self.assertEqual(lines, topics.lines())


if __name__ == "__main__":
    unittest.main()
