"""Self-check of generated programs: the contract and the floor gate of the product, in this process."""
import random
from program import boxed, load

SEEDS = range(20)


def episode(source, choose, seed, max_turns=12):
    """Transcript and success of one play; `choose(observation, actions, rng)` gives the raw action."""
    env = load(source)(max_turns=max_turns)
    observation, info = env.reset(seed)
    rng, transcript = random.Random(seed), [observation]
    for _ in range(max_turns):
        if not (isinstance(observation, str) and all(isinstance(a, str) for a in info["actions"])):
            raise TypeError("Cannot use the answer: observation and info['actions'] must be text")
        observation, reward, terminated, truncated, info = env.step("\\boxed{%s}" % choose(observation, info["actions"], rng))
        if not (isinstance(reward, float) and isinstance(terminated, bool) and isinstance(truncated, bool)):
            raise TypeError("Cannot use the answer: reward must be float, terminated and truncated bool")
        if reward not in (0.0, 1.0) or (reward == 1.0) != terminated:
            raise ValueError("Cannot use the answer: reward must be 1.0 exactly when terminated")
        transcript.append((observation, reward))
        if terminated or truncated:
            return transcript, terminated
    raise ValueError("Cannot end the play within 12 turns")


PROBES = {
    "no-op": lambda o, a, r: "noop",
    "empty": lambda o, a, r: "",
    "random": lambda o, a, r: r.choice(a),
    "echo": lambda o, a, r: o,
    "all-options": lambda o, a, r: ", ".join(a),
    "all-options-spaced": lambda o, a, r: " ".join(a),
}


def floor(source):
    """Success rate of each probe agent over seeds 0 to 19."""
    return {name: sum(episode(source, probe, seed)[1] for seed in SEEDS) / len(SEEDS) for name, probe in PROBES.items()}


def check(source):
    """Name of the first gate that refuses the program, or None."""
    try:
        first = episode(source, PROBES["random"], 0)
        if first != episode(source, PROBES["random"], 0):
            return "determinism: same seed"
        fixed = lambda o, a, r: a[0]
        if episode(source, fixed, 0)[0] == episode(source, fixed, 1)[0]:
            return "determinism: two seeds agree"
        rates = floor(source)
    except Exception as error:
        return f"contract: {type(error).__name__}: {error}"
    worst = max(rates, key=rates.get)
    return f"floor: {worst} {rates[worst]}" if rates[worst] > .25 else None


if __name__ == "__main__":
    assert boxed("\\boxed{3}") == "3" and boxed(" 3 ") == "3"
