/**
 * Faults planted in good programs: the class becomes a base, and a subclass under its name does one thing wrong. Each kind
 * names the gate that must catch it.
 */
import type { GateName } from "../../lib/gates/mod.ts";
import type { Program } from "./programs.ts";

export interface Fault {
  kind: string;
  /** The gate that must catch it. */
  gate: GateName;
  /** The program with the fault, or null where it cannot be planted. */
  plant: (program: Program) => string | null;
}

const isTool = ({ source }: Program) => source.includes("ToolUseEnv");
const offers = ({ source }: Program) => source.includes('"actions"');
const isSingle = ({ source }: Program) => source.includes("self.max_turns = 1\n");

/** The program's class name without `Env`. */
const stemOf = ({ source }: Program) => /^class (\w+)Env\b/m.exec(source)![1];

/** The program with a subclass under its old name; `body` is indented by four, `head` comes first. */
function subclass(program: Program, body: string, head = ""): string {
  const stem = stemOf(program);
  const base = program.source.replaceAll(new RegExp(`\\b${stem}Env\\b`, "g"), `${stem}Base`);
  const lines = body.split("\n").map((line) => line === "" ? "" : `    ${line}`);
  return `${head}${base}\n\nclass ${stem}Env(${stem}Base):\n${lines.join("\n")}\n`;
}

/** A subclass whose `reset` does `before`, then changes `text` and `info`. */
const inReset = (program: Program, before: string, after: string, head = "") =>
  subclass(
    program,
    `def reset(self, seed=None):\n    ${before}\n    text, info = super().reset(seed)\n    ${after}\n    return text, info`,
    head,
  );

/** What ends a turn: `step` of a game, `answer` of a tool-use program. */
const inTurn = (program: Program, before: string, result: string, head = "") =>
  subclass(
    program,
    `def ${isTool(program) ? "answer" : "step"}(self, action):\n    ${before}\n` +
      `    text, reward, over, out, info = super().${
        isTool(program) ? "answer" : "step"
      }(action)\n` +
      `    return ${result}`,
    head,
  );

const same = "text, reward, over, out, info";
const reward = (value: string) => same.replace("reward", value);
const inSolution = (program: Program, body: string) =>
  subclass(program, `def solution(self):\n    ${body}`);
const onlyGames = (plant: Fault["plant"]): Fault["plant"] => (p) => isTool(p) ? null : plant(p);
const onlyTools = (plant: Fault["plant"]): Fault["plant"] => (p) => isTool(p) ? plant(p) : null;

/** A game that also ends, won, when `wins` holds; `self.shown` is the last text, `self.offered` the last offer. */
const winsWhen = (program: Program, wins: string) =>
  subclass(
    program,
    [
      "def reset(self, seed=None):",
      "    self.count, self.seed = 0, seed or 0",
      "    text, info = super().reset(seed)",
      '    self.shown, self.offered = text, info.get("actions", [])',
      "    return text, info",
      "",
      "def step(self, action):",
      "    self.count += 1",
      `    if ${wins}:`,
      '        return "won", 1.0, True, False, {}',
      "    text, reward, over, out, info = super().step(action)",
      '    self.shown, self.offered = text, info.get("actions", [])',
      "    return text, reward, over, out, info",
    ].join("\n"),
  );

/** The longest line of code without quotes or comments. */
function codeLine({ source }: Program): string {
  const lines = source.split("\n").map((line) => line.trim())
    .filter((line) => !/["'#]/.test(line) && line.includes("self."));
  return lines.sort((a, b) => b.length - a.length)[0];
}

function setCriteria(program: Program, criteria: string): string {
  return inReset(program, "pass", `self.criteria = ${criteria}`);
}

const one = (
  gate: GateName,
  kind: string,
  plant: Fault["plant"],
): Fault => ({ kind, gate, plant });

export const faults: readonly Fault[] = [
  one("parse", "syntax", ({ source }) => source + "\n    def broken(self:\n        pass\n"),
  one("parse", "two classes", ({ source }) => source + "\n\nclass OtherEnv:\n    pass\n"),
  one("parse", "no class", (p) => p.source.replaceAll(`${stemOf(p)}Env`, `${stemOf(p)}Game`)),

  one("contract", "missing module", ({ source }) => "import torch\n" + source),
  one("contract", "module missing in reset", (p) => inReset(p, "import pandas", "pass")),
  one("contract", "reset raises", (p) => inReset(p, 'raise KeyError("board")', "pass")),
  one("contract", "turn raises", (p) => inTurn(p, 'raise KeyError("board")', same)),
  one("contract", "exit", (p) => inTurn(p, "raise SystemExit(0)", same)),
  one("contract", "hard exit", (p) => inTurn(p, "os._exit(0)", same, "import os\n")),
  one("contract", "loop in import", ({ source }) => source + "\n\nwhile True:\n    pass\n"),
  one(
    "contract",
    "loop in init",
    (p) =>
      subclass(p, "def __init__(self, max_turns=25):\n    while True:\n        self.max_turns = 1"),
  ),
  one("contract", "loop in reset", (p) => inReset(p, "while True: self.count = 1", "pass")),
  one("contract", "loop in turn", (p) => inTurn(p, "while True: self.count = 1", same)),
  one("contract", "four-tuple", (p) => inTurn(p, "pass", "text, reward, over or out, info")),
  one("contract", "NaN reward", (p) => inTurn(p, "pass", reward('float("nan")'))),
  one("contract", "no reward", (p) => inTurn(p, "pass", reward("None"))),
  one("contract", "bool reward", (p) => inTurn(p, "pass", reward("reward > 0"))),
  one("contract", "text reward", (p) => inTurn(p, "pass", reward("str(reward)"))),
  one("contract", "array reward", (p) => inTurn(p, "pass", reward("np.array([reward])"))),
  one("contract", "large reward", (p) => inTurn(p, "pass", reward("100.0"))),
  one("contract", "prints", (p) => inTurn(p, 'print("x" * 3000000)', same)),
  one(
    "contract",
    "recursion",
    (p) => inTurn(p, `return self.${isTool(p) ? "answer" : "step"}(action)`, same),
  ),
  one("contract", "input", (p) => inTurn(p, "action = input()", same)),
  one("contract", "memory", (p) => inReset(p, "self.kept = bytearray(1 << 30)", "pass")),
  one("contract", "number as text", (p) => inReset(p, "pass", "text = 7")),
  one("contract", "long text", (p) => inReset(p, "pass", "text = text * 9000")),
  one("contract", "list as info", (p) => inReset(p, "pass", "info = [info]")),
  one("contract", "no turn", (p) => subclass(p, `${isTool(p) ? "answer" : "step"} = None`)),
  one(
    "contract",
    "tool argument",
    onlyTools((p) =>
      inReset(
        p,
        "pass",
        'tool = next(t["function"] for t in self.tools if t["function"]["parameters"]["properties"])\n' +
          '    properties = dict(tool["parameters"]["properties"])\n' +
          "    first = list(properties)[0]\n" +
          '    properties["its_" + first] = properties.pop(first)\n' +
          '    tool["parameters"] = {"type": "object", "properties": properties, "required": list(properties)}',
      )
    ),
  ),
  one(
    "contract",
    "tool without method",
    onlyTools((p) => inReset(p, "pass", 'self.tools[0]["function"]["name"] = "extra_tool"')),
  ),
  one(
    "contract",
    "tool raises",
    onlyTools((p) => {
      const tool = /def tool_(\w+)/.exec(p.source)![1];
      return subclass(p, `def tool_${tool}(self, **given):\n    raise LookupError("shelf")`);
    }),
  ),
  one("contract", "criterion missing", onlyTools((p) => setCriteria(p, "self.criteria[1:]"))),

  one("determinism", "unseeded", (p) => inReset(p, "pass", 'text += " (%f)" % random.random()')),
  one(
    "determinism",
    "clock",
    (p) => inReset(p, "pass", 'text += " (%d)" % time.time_ns()', "import time\n"),
  ),
  one("determinism", "hash()", (p) => inReset(p, "pass", 'text += " (%d)" % hash("order")')),
  one(
    "determinism",
    "set order",
    (p) => inReset(p, "pass", 'text += " ".join({"oak", "elm", "ash", "fir", "yew", "box"})'),
  ),
  one(
    "determinism",
    "module state",
    (p) => inReset(p, "PLAYED.append(seed)", 'text += " (%d)" % len(PLAYED)', "PLAYED = []\n"),
  ),
  one(
    "determinism",
    "instance state",
    (p) => inReset(p, 'self.plays = getattr(self, "plays", 0) + 1', 'text += " (%d)" % self.plays'),
  ),
  one("determinism", "seed ignored", (p) => inReset(p, "seed = 7", "pass")),

  one(
    "presolved",
    "says solved",
    (p) => inReset(p, "pass", 'info["solved"] = (seed or 0) % 4 == 3'),
  ),
  one(
    "presolved",
    "solved at reset",
    onlyGames((p) => winsWhen(p, "self.count == 1 and self.seed % 5 == 4")),
  ),
  one(
    "presolved",
    "criteria true",
    onlyTools((p) => setCriteria(p, "[lambda state: True for _ in self.criteria]")),
  ),
  one(
    "presolved",
    "half true",
    onlyTools((p) =>
      setCriteria(p, "self.criteria[:1] + [lambda state: True for _ in self.criteria[1:]]")
    ),
  ),
  one(
    "presolved",
    "criterion raises",
    onlyTools((p) => setCriteria(p, 'self.criteria[:-1] + [lambda state: state["nowhere"]]')),
  ),

  one("floor", "no-op wins", onlyGames((p) => isSingle(p) ? null : winsWhen(p, "self.count == 2"))),
  one("floor", "empty wins", onlyGames((p) => winsWhen(p, 'action == "\\\\boxed{}"'))),
  one("floor", "echo wins", onlyGames((p) => winsWhen(p, "self.shown[:60] in action"))),
  one(
    "floor",
    "random wins",
    onlyGames((p) =>
      offers(p) ? winsWhen(p, "any(action == '\\\\boxed{%s}' % a for a in self.offered)") : null
    ),
  ),
  one(
    "floor",
    "all options win",
    onlyGames((p) => offers(p) ? winsWhen(p, "all(a in action for a in self.offered)") : null),
  ),
  one(
    "floor",
    "constant wins",
    onlyGames((p) =>
      winsWhen(p, '"open sesame" in action') +
      '\n    def solution(self):\n        return ["open sesame"] if self.seed % 4 else super().solution()\n'
    ),
  ),
  one(
    "floor",
    "any call wins",
    onlyTools((p) =>
      setCriteria(p, "[lambda state: self.turns > len(self.instructions) for _ in self.criteria]")
    ),
  ),

  one("oracle", "solution of another seed", (p) =>
    subclass(
      p,
      "def reset(self, seed=None):\n    self.other = (seed or 0) + 1000\n    return super().reset(seed)\n\n" +
        `def solution(self):\n    twin = ${
          stemOf(p)
        }Base()\n    twin.reset(self.other)\n    return twin.solution()`,
    )),
  one("oracle", "goal pays less", (p) => inTurn(p, "pass", reward("0.9 * reward"))),
  one("oracle", "goal never ends", (p) => inTurn(p, "pass", same.replace("over", "False"))),
  // On one seed only: of goals on all seeds an agent of the floor gate meets one by chance.
  one("oracle", "NaN at the goal", (p) => {
    const turn = isTool(p) ? "answer" : "step";
    return subclass(
      p,
      "def reset(self, seed=None):\n    self.is_last = seed == 19\n    return super().reset(seed)\n\n" +
        `def ${turn}(self, action):\n    ${same} = super().${turn}(action)\n` +
        `    return ${reward('float("nan") if self.is_last and reward >= 1 else reward')}`,
    );
  }),
  one("oracle", "solution raises", (p) => inSolution(p, "return self.answers_of_today")),
  one("oracle", "solution is no list", (p) => inSolution(p, 'return "answer"')),
  one("oracle", "solution loops", (p) => inSolution(p, "while True: self.count = 1")),
  one("oracle", "solution wins early", (p) =>
    inSolution(
      p,
      isTool(p)
        ? 'return super().solution() + [{"name": self.tools[0]["function"]["name"], "arguments": {}}]'
        : 'return super().solution() + ["once more"]',
    )),
  one(
    "oracle",
    "criterion unreachable",
    onlyTools((p) => setCriteria(p, "self.criteria[:-1] + [lambda state: False]")),
  ),

  one(
    "leak",
    "answer shown",
    onlyGames((p) =>
      offers(p)
        ? null
        : inReset(p, "pass", 'text += "\\nWhoever knows it will say: %s" % self.solution()[-1]')
    ),
  ),
  one("leak", "program shown", (p) => {
    const line = codeLine(p);
    return line.length < 40
      ? null
      : inReset(p, "pass", `text += "\\nnote: " + ${JSON.stringify(line)}`);
  }),

  one("duplicate", "renamed", (p) =>
    "# Another game.\n" +
    p.source.replaceAll(`${stemOf(p)}Env`, "SomethingNewEnv")
      .replaceAll(/\brng\b/g, "dice").replaceAll(/\bwon\b/g, "success").replaceAll(
        /\bself\.turn\b/g,
        "self.round_number",
      )
      .replaceAll(/"""[^"]*"""\n/g, '"""Written anew."""\n')),
  one(
    "duplicate",
    "one method more",
    (p) => `${p.source}\n    def remark(self):\n        return "new"\n`,
  ),
];
