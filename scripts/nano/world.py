"""The families together: draw a game, play it with a scripted agent, write documents and memory text.

Used only for pre-training data and held-out programs; the SPADE loop never calls it to make environments.
"""
import inspect
from families_effect import Jar, Knob, Mine, Wiring
from families_number import Change, Dials, Gap, Guess
from families_space import Beat, Heading, Stair, Walk
from program import ORDERS, Game, load, record, write_source

FAMILIES = {cls.__name__.lower(): cls for cls in (Gap, Change, Guess, Dials, Walk, Heading, Stair, Beat, Jar, Mine, Wiring, Knob)}
SKILLS = {}
for _name, _family in FAMILIES.items():
    SKILLS.setdefault(_family.skill, []).append(_name)
OPENINGS = ["", "in many towns ", "it is known that ", "some say ", "in practice ", "for example ", "by design ", "as observed "]
MAX_TURNS = 12


def build(family, noun, constants, difficulty=0.0, order=0, families=FAMILIES):
    """The game of a family with these constants."""
    cls = families[family]
    source = write_source(noun, constants, cls.parts(noun, constants), order)
    return Game(family, cls.skill, noun, constants, source, cls.hint(constants), difficulty)


def draw_difficulty(rng):
    """Prior of the base designer: mostly easy, a thin hard tail."""
    return min(1.0, rng.betavariate(1.1, 2.6))


def held_key(game):
    """What a held-out program keeps to itself: its family with its constants, under any noun and method order."""
    return game.family + " " + " ".join(f"{key} {value}" for key, value in sorted(game.constants.items()))


def draw(rng, family=None, difficulty=None, noun=None, avoid=frozenset()):
    """A random game; those whose key is in `avoid` (held out) are drawn again."""
    while True:
        name = family or rng.choice(list(FAMILIES))
        d = draw_difficulty(rng) if difficulty is None else difficulty
        constants = FAMILIES[name].constants(rng, d)
        game = build(name, noun or rng.choice(FAMILIES[name].nouns), constants, d, rng.randrange(len(ORDERS)))
        if held_key(game) not in avoid:
            return game


def document(rng, family, noun):
    """One topic line about a noun of the family."""
    return rng.choice(OPENINGS) + rng.choice(FAMILIES[family].documents).format(n=noun)


def memory(rng, family, difficulty, avoid=frozenset()):
    """Memory text that is statistically informative about the difficulty of the program to be written."""
    def rec(d, other=None):
        name = other or family
        return record(draw(rng, name, max(0.0, min(1.0, d)), avoid=avoid).source)

    lines = []
    sibling = lambda: rng.choice(SKILLS[FAMILIES[family].skill]) if rng.random() < .5 else family
    for _ in range(rng.choice([0, 1, 2])):
        lines.append("good " + rec(difficulty + rng.gauss(0, .1), sibling()))
    kind = rng.random()
    if kind < .3:
        lines.append("easy " + rec(difficulty - abs(rng.gauss(.3, .12)), sibling()))
    elif kind < .5:
        lines.append("hard " + rec(difficulty + abs(rng.gauss(.3, .12)), sibling()))
    return "\n".join(lines)


def make_agent(game, name, rng, hinted, families=FAMILIES):
    """A scripted agent of the family: observation text to action text."""
    factory = families[game.family].agents[name][2]
    if "hinted" in inspect.signature(factory).parameters:
        return factory(game.constants, rng, hinted=hinted)
    return factory(game.constants, rng)


def choose_agent(game, rng, hinted, families=FAMILIES):
    agents = families[game.family].agents
    return rng.choices(list(agents), [share[1 if hinted else 0] for share in agents.values()])[0]


def play(game, act, seed):
    """One episode: ([(observation, action)], won). `act` maps an observation to an action string."""
    env = load(game.source)(max_turns=MAX_TURNS)
    observation, _ = env.reset(seed)
    turns = []
    for _ in range(MAX_TURNS):
        action = act(observation)
        turns.append((observation, action))
        observation, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            return turns, terminated and reward >= 1
    return turns, False
