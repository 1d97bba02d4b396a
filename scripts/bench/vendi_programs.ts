/**
 * Made-up environments of about 2.3 kB for benchmarks: one frame, and methods of random statements over names that
 * each program draws for itself. They need not run.
 */
import { Random } from "../../lib/core/mod.ts";

const nouns =
  ("lamp maze ledger cipher bridge weight route tile card gear valve queue garden signal mirror tower river " +
    "market engine orbit crate thread switch planet").split(" ");
const verbs =
  "move swap count open close merge split turn push pull trade sort mark clear guess pay".split(
    " ",
  );

/** `count` programs, the same for the same seed. */
export function madePrograms(count: number, seed = 1): string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => program(random));
}

function program(random: Random): string {
  const pick = <T>(of: readonly T[]): T => of[random.integer(of.length)];
  const names = Array.from(
    { length: 10 },
    () => random.next() < 0.3 ? pick(nouns) : `${pick(nouns)}_${pick(verbs)}`,
  );
  const name = () => pick(names);
  const number = () => 2 + random.integer(30);
  const value = () =>
    pick([
      () => `self.${name()}`,
      () => `${number()}`,
      () => `len(self.${name()})`,
      () => `${name()} ${pick(["+", "-", "*", "//", "%"])} ${number()}`,
      () => `self.rng.randint(1, ${number()})`,
      () => `max(${name()}, ${number()})`,
    ])();
  const statement = () =>
    "        " + pick([
      () => `self.${name()} = ${value()}`,
      () => `${name()} = ${value()}`,
      () => `self.${name()}.append(${value()})`,
      () =>
        `if ${value()} ${pick(["<", ">", "=="])} ${value()}:\n            ${name()} = ${value()}`,
      () => `for ${name()} in range(${number()}):\n            self.${name()} += ${value()}`,
      () => `while ${name()} < ${number()}:\n            ${name()} += ${number()}`,
      () => `${name()} = [${value()} for i in range(${number()})]`,
      () => `self.${name()}[${value()}] = ${value()}`,
    ])();
  const body = (length: number) => Array.from({ length }, statement).join("\n");
  const method = () =>
    `    def ${pick(verbs)}_${pick(nouns)}(self, ${name()}):
${body(4 + random.integer(5))}
        return ${value()}
`;
  const title = pick(nouns);
  return `import random


class ${title[0].toUpperCase()}${title.slice(1)}${number()}Env:
    """${pick(verbs)} the ${pick(nouns)} until every ${pick(nouns)} is done."""

    def __init__(self, max_turns=${number()}):
        self.max_turns = max_turns
        self.turn = 0

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
${body(5)}
        return f"${name()}: {self.${name()}}", {"actions": ["${pick(verbs)}", "${pick(verbs)}"]}

    def step(self, action):
        self.turn += 1
        text = action[len("\\\\boxed{"):-1].strip()
${body(5)}
        won = self.${name()} == ${value()}
        return str(text), 1.0 if won else 0.0, won, self.turn >= self.max_turns, {}

${Array.from({ length: 3 }, method).join("\n")}`;
}
