/** Seeded mutants: an honest program, statements planted in it, its text damaged, and a player without manners. */
import { Random, seedOf } from "../../../lib/core/seed.ts";
import { type Graft, grafts, pick, spread, wild } from "./grafts.ts";

/** Statements of each method. */
interface Parts {
  head: string[];
  init: string[];
  reset: string[];
  step: string[];
  extra: string[];
}

const guess = (): Parts => ({
  head: ["import random, math", "from spade_env import boxed"],
  init: ["self.max_turns = 8", "self.turn = 0"],
  reset: [
    "self.rng = random.Random(seed)",
    "self.number = self.rng.randint(1, 20)",
    "self.turn = 0",
    'return "Guess a number from 1 to 20.", {"actions": [str(i) for i in range(1, 21)]}',
  ],
  step: [
    "self.turn += 1",
    "guess = boxed(action)",
    'if guess == str(self.number):\n    return "Right.", 1.0, True, False, {}',
    'return "No.", 0.0, False, self.turn >= self.max_turns, {"turn": self.turn}',
  ],
  extra: ["def solution(self):", "    return [str(self.number)]"],
});

const matrix = (): Parts => ({
  head: ["import numpy as np"],
  init: ["self.max_turns = 4", "self.seen = []"],
  reset: [
    "self.rng = np.random.default_rng(seed)",
    "self.matrix = self.rng.integers(-5, 6, (3, 3))",
    'return f"Determinant of {self.matrix.tolist()}?", {"shape": self.matrix.shape}',
  ],
  step: [
    "self.seen.append(action)",
    "right = np.float64(round(np.linalg.det(self.matrix)))",
    "done = np.bool_(len(self.seen) >= 4)",
    'return "Go on.", right * 0.0, done, False, {"right": right}',
  ],
  extra: ["def solution(self):", "    return [str(round(np.linalg.det(self.matrix)))]"],
});

const tools = (): Parts => ({
  head: ["from spade_env import ToolUseEnv", "", "def show(state): return json.dumps(state)"],
  init: ["ToolUseEnv.__init__(self, 5)", "self.log = deque(maxlen=9)"],
  reset: [
    'self.tools = [{"function": {"name": "add", "parameters": {}}}]',
    'self.state = {"n": seed or 0}',
    'self.instructions = ["Add one."]',
    "self.criteria = [lambda state: True]",
    "return ToolUseEnv.opening(self)",
  ],
  step: [
    "self.log.append(action)",
    'if action == "done":\n    return ToolUseEnv.answer(self, action)',
    'return show(self.state), 0.0, False, len(self.log) > 4, {"log": list(self.log)}',
  ],
  extra: ["opening = ToolUseEnv.opening", 'def tool_add(self): return "added"'],
});

const indent = (statements: string[]) =>
  statements.flatMap((one) => one.split("\n")).map((line) => `        ${line}`).join("\n");

const sourceOf = ({ head, init, reset, step, extra }: Parts) =>
  `${head.join("\n")}

class FuzzEnv:
    def __init__(self, max_turns=None):
${indent(init)}
    def reset(self, seed=None):
${indent(reset)}
    def step(self, action):
${indent(step)}
${extra.map((line) => `    ${line}`).join("\n")}
`;

/** Programs that keep the contract; what they say depends on the seed alone. */
export const honest: readonly string[] = [guess, matrix].map((base) => sourceOf(base()));

const tokens =
  "( ) [ ] { } : , . = == -> := * ** @ ~ ; # \\ ''' \"\"\" f'{ lambda async def class if else for while try except with yield return import from global nonlocal del assert match case type None 0x 1_ 1e9999 0b2 'é \\N{ \\x \\ud800"
    .split(" ");
const characters = [
  "\0",
  "\t",
  "\f",
  "\r",
  "\n",
  "\u00a0",
  "\ufeff",
  "\u202e",
  "\ud800",
  "\udfff",
  "e\u0301",
  "😀",
  "\u2028",
  "\x1b",
  "⁰",
];

/** Damage to the text of a program. */
const damage: readonly ((source: string, rng: Random) => string)[] = [
  (source, rng) => splice(source, rng, 1 + spread(rng, 2), () => ""),
  (source, rng) => splice(source, rng, 1 + spread(rng, 2.5), (part) => part + part),
  (source, rng) => splice(source, rng, 0, () => pick(rng, tokens)),
  (source, rng) => splice(source, rng, 0, () => pick(rng, characters)),
  (source, rng) => splice(source, rng, 1, () => String.fromCharCode(rng.integer(65536))),
  (source, rng) =>
    splice(
      source,
      rng,
      0,
      () =>
        pick(rng, ["(", "[", "{", "-", "not ", "lambda:", "x if ", "a."]).repeat(spread(rng, 4.5)),
    ),
  (source, rng) => splice(source, rng, 0, () => "\n".repeat(spread(rng, 5.2))),
  (source, rng) => lines(source, rng, (all, i) => void all.splice(i, 1)),
  (source, rng) => lines(source, rng, (all, i) => all.push(all.splice(i, 1)[0])),
  (source, rng) =>
    lines(source, rng, (all, i) => all[i] = " ".repeat(rng.integer(13)) + all[i].trim()),
  (source, rng) => lines(source, rng, (all, i) => all[i] = `${all[i]}\n`.repeat(spread(rng, 3))),
  (source, rng) => lines(source, rng, (all, i) => all[i] = all[i].replace(/\w+/, wild(rng))),
  (source, rng) =>
    source.replace(
      /\b\d+\b/,
      () => pick(rng, ["10 ** 5000", "-1", "0o9", "1e400", "9".repeat(spread(rng, 4))]),
    ),
  (source, rng) => renamed(source, rng),
  (source, rng) => source.slice(0, rng.integer(source.length + 1)),
  (source) => source + source,
];

function splice(source: string, rng: Random, length: number, change: (part: string) => string) {
  const at = rng.integer(source.length + 1);
  return source.slice(0, at) + change(source.slice(at, at + length)) + source.slice(at + length);
}

function lines(source: string, rng: Random, change: (all: string[], index: number) => void) {
  const all = source.split("\n");
  change(all, rng.integer(all.length));
  return all.join("\n");
}

function renamed(source: string, rng: Random) {
  const words = [...new Set(source.match(/[A-Za-z_]\w*/g) ?? ["x"])];
  return source.replaceAll(pick(rng, words), pick(rng, [...words, "__class__", "É", "_"]));
}

/** What the player does after the start. `together`: without waiting for the one before. */
export type Move =
  & (
    | { do: "reset"; seed: number; fresh: boolean }
    | { do: "step"; action: string }
    | { do: "solution" | "tools" | "criteria" }
    | { do: "call"; name: string; args: Record<string, unknown> }
    | { do: "answer"; text: string }
    | { do: "pause"; ms: number }
    | { do: "dispose" }
    | { do: "abort" }
  )
  & { together?: boolean };

export interface Mutant {
  source: string;
  /** What was done to it, e.g. `protocol`, `text`. */
  families: string[];
  moves: Move[];
  hashSeed: 0 | 1;
  maxTurns?: number;
  /** Ask for the syntax tree first. */
  parse: boolean;
  /** Give up on the start after so many milliseconds. */
  abortStartMs?: number;
}

/** The mutant of that number: always the same for the same seed. */
export function mutantOf(seed: number, index: number): Mutant {
  const rng = new Random(seedOf("fuzz", seed, index));
  const parts = pick(rng, [guess, guess, matrix, tools])();
  const families: string[] = [];
  for (let left = rng.integer(3); left >= 0; left--) {
    const family = pick(rng, [...Object.keys(grafts), "text"]);
    families.push(family);
    if (family !== "text") plant(parts, pick(rng, grafts[family]), rng);
  }
  let source = sourceOf(parts);
  const times = families.filter((family) => family === "text").length * (1 + rng.integer(3));
  for (let i = 0; i < times; i++) source = pick(rng, damage)(source, rng);
  return {
    source,
    families: [...new Set(families)].sort(),
    moves: movesOf(rng),
    hashSeed: rng.integer(4) === 0 ? 1 : 0,
    maxTurns: rng.integer(2) ? undefined : 1 + rng.integer(10),
    parse: rng.integer(8) === 0,
    abortStartMs: rng.integer(40) === 0 ? rng.integer(20) : undefined,
  };
}

/** At a random place of a random method; sometimes at the top, where what is no statement of its own is a syntax error. */
function plant(parts: Parts, graft: Graft, rng: Random): void {
  const where =
    parts[pick(rng, ["init", "reset", "reset", "step", "step", "step", "head"] as const)];
  where.splice(rng.integer(where.length + 1), 0, graft(rng));
}

function actionOf(rng: Random): string {
  const known = [
    "\\boxed{7}",
    "\\boxed{",
    "done",
    "",
    "\0",
    "\ud800",
    "😀".repeat(9),
    '{"i":3}',
    "\r\n",
  ];
  return rng.integer(10)
    ? pick(rng, known)
    : pick(rng, ["x", "{", "é", "\0"]).repeat(spread(rng, 4.5));
}

const names = ["add", "", "__init__", "\ud800", "a.b", "x".repeat(9999)];
const args = [{}, { self: 1 }, { "": null, "\ud800": ["\udfff"] }, { a: [[[[[[]]]]]], b: 1e300 }];

function moveOf(rng: Random): Move {
  const together = rng.integer(12) === 0;
  switch (rng.integer(16)) {
    case 0:
      return { do: "reset", seed: rng.integer(2 ** 31), fresh: rng.integer(2) === 0, together };
    case 1:
      return { do: pick(rng, ["solution", "tools", "criteria"] as const), together };
    case 2:
      return { do: "pause", ms: rng.integer(20) };
    case 3:
      return { do: "answer", text: actionOf(rng), together };
    case 4:
      return { do: "call", name: pick(rng, names), args: pick(rng, args), together };
    default:
      return { do: "step", action: actionOf(rng), together };
  }
}

function movesOf(rng: Random): Move[] {
  const moves: Move[] = rng.integer(20)
    ? [{ do: "reset", seed: rng.integer(1000), fresh: false }]
    : [];
  for (let left = rng.integer(8); left > 0; left--) moves.push(moveOf(rng));
  if (rng.integer(10) === 0) {
    moves.push({ do: "step", action: "x", together: true });
    moves.push({ do: rng.integer(2) ? "dispose" : "abort" });
    moves.push({ do: "step", action: "x" });
  }
  return moves;
}
