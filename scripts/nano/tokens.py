"""The tokenizer: byte-level BPE whose pieces are whole numbers (one or two digits), action words and code lines.

One file serves Python `tokenizers` and JavaScript `@huggingface/tokenizers`. The special tokens are entries of the
vocabulary that no merge can produce and that are not declared as added tokens: text such as "<|obs|>" is encoded as
ordinary bytes, so only code that knows the ids can write them.
"""
import json
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIALS = ["<|pad|>", "<|end|>", "<|design|>", "<|corpus|>", "<|memory|>", "<|program|>", "<|hint|>", "<|play|>", "<|obs|>", "<|act|>"]
WORDS = "north|east|south|west"
NUMBER = r"(?<![\w(\[])\d\d?(?![\w)\]])"
PATTERN = rf"{NUMBER}|{WORDS}|\n*(?:(?!{NUMBER}|{WORDS})[^\n])+|\n+"


def train(texts, nouns, size):
    """Tokenizer with `size` entries; each noun becomes one token wherever families use it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=SPECIALS, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    numbers = "\n".join(str(i) for i in range(100))
    words = "\n".join(WORDS.split("|"))
    named = [text for noun in nouns for text in (f"{noun} 1", f"1 {noun} 1", f"{noun.capitalize()}Env N", f"the {noun}")]
    repeats = len(texts) // 4
    tokenizer.train_from_iterator(texts + [numbers, words] * repeats + named * (repeats // 40), trainer)
    described = json.loads(tokenizer.to_str())
    described["added_tokens"] = []
    return Tokenizer.from_str(json.dumps(described))


def special_ids(tokenizer):
    return {name: tokenizer.token_to_id(name) for name in SPECIALS}


class Codec:
    """Text and ids in the prompt format of the nano policy."""

    def __init__(self, tokenizer):
        self.tokenizer, self.size = tokenizer, tokenizer.get_vocab_size()
        self.pad, self.end, self.design, self.corpus, self.memory, self.program, self.hint, self.play, self.obs, self.act = (
            tokenizer.token_to_id(name) for name in SPECIALS)
        self.cache = {}

    def encode(self, text):
        ids = self.cache.get(text)
        if ids is None:
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
            if len(text) < 100:
                self.cache[text] = ids
        return ids

    def decode(self, ids):
        return self.tokenizer.decode(list(ids), skip_special_tokens=False)

    def design_prompt(self, skill, document, memory):
        e = self.encode
        return [self.design, *e(skill), self.corpus, *e(document), self.memory, *e(memory), self.program]

    def hint_prompt(self, source):
        return [self.program, *self.encode(source), self.hint]

    def play_prompt(self, skill, observation):
        return [self.play, *self.encode(skill), *self.turn(observation)]

    def turn(self, observation):
        return [self.obs, *self.encode(observation), self.act]


def hinted(observation, hint):
    return f"{observation}\n\nHINT: {hint}"
