"""Verifier environments in the manner of RLVE, and what makes a program of the contract out of one.

A file defines one subclass of `VerifiableEnvironment`: `_generate` fills `self.parameter` with a problem, `_prompt_generate`
writes it down, `_process` reads an answer and `scorer` says how good it is. What a difficulty means is said by a static
method `parameters(difficulty)` that returns the problem's parameter, or by one subclass of `ParameterController`. The
toolkit adds the `VerifierProgram` at the end of the file."""

import copy
import math
import random
import sys

from spade_env import boxed


class VerifiableEnvironment:
    """One problem with one answer. `self.random` is seeded with the problem; so is the global generator, which files
    written elsewhere use. `self.parameter["reference_answer"]`, where it is set, is an answer that solves the problem."""

    passing_reward_threshold = 1.0

    def __init__(self, **_options):
        self.seed = self.parameter = self.random = None

    def generator(self, seed, parameter=None):
        """Makes the problem of this seed and parameter."""
        self.seed, self.parameter = seed, copy.deepcopy(parameter or {})
        self.random = random.Random(seed)
        random.seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed % 2**32)
        self._generate()

    def prompt_generator(self):
        """The problem as text."""
        return self._prompt_generate()

    def processor(self, output):
        """The boxed answer of a reply as `_process` reads it; without a box that is None."""
        return self._process(boxed(output) if "\\boxed{" in output else None)

    def _generate(self):
        raise NotImplementedError("_generate")

    def _prompt_generate(self):
        raise NotImplementedError("_prompt_generate")

    def _process(self, answer):
        return answer

    def scorer(self, output):
        """From -1 to 1; `passing_reward_threshold` and more is solved."""
        raise NotImplementedError("scorer")


class ParameterController:
    """Says what a difficulty means by steps: difficulty d is the list of parameters after d updates."""

    def __init__(self, **_options):
        pass

    def update(self):
        raise NotImplementedError("update")

    def get_parameter_list(self):
        raise NotImplementedError("get_parameter_list")


def reward_of(score, threshold):
    """What a score is worth: solved is exactly 1, which alone is a success; everything else is what the verifier says,
    between -1 and .99, so that no partial credit can be taken for a success. What is no real number is handed on as it
    is: the border refuses it with its path."""
    score = score.item() if hasattr(score, "item") else score
    if isinstance(score, bool) or not isinstance(score, (int, float)) or math.isnan(score):
        return score
    return 1.0 if score >= threshold - 1e-6 else max(-1.0, min(float(score), 0.99))


class VerifierProgram:
    """A verifier environment at one difficulty: reset makes the problem of a seed, one step scores the answer."""

    verifier = controller = None
    difficulty = 0

    def __init__(self):
        self.max_turns = 1
        self._problem = None

    def reset(self, seed=None):
        seed = 0 if seed is None else seed
        self._problem = self.verifier()
        self._problem.generator(seed, self._parameter(seed))
        return self._problem.prompt_generator(), {}

    def _parameter(self, seed):
        if self.controller is None:
            return self.verifier.parameters(self.difficulty)
        controller = self.controller()
        for _ in range(self.difficulty):
            controller.update()
        return random.Random(seed).choice(controller.get_parameter_list())

    def step(self, action):
        reward = reward_of(self._problem.scorer(action), self._problem.passing_reward_threshold)
        return ("Solved." if reward == 1.0 else "Not solved."), reward, True, False, {}

    @property
    def solution(self):
        """There is one where the problem has a reference answer."""
        reference = None if self._problem is None else self._problem.parameter.get("reference_answer")
        return None if reference is None else lambda: [str(reference)]
