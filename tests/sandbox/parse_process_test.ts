import assert from "node:assert/strict";
import { alive, programOf, sandboxOf, value } from "./helper.ts";

Deno.test("parse() tells classes, imports and constant without running the program", async () => {
  await using sandbox = await sandboxOf();
  const facts = value(
    await sandbox.parse(`
import os, numpy.linalg as la
from collections import deque
while True: pass
class BaseEnv: pass
if True:
    class OtherEnv(BaseEnv):
        constant: bool = True
def f():
    import json
    class HiddenEnv: pass
`),
  );
  assert.deepEqual(facts.environments, ["BaseEnv", "OtherEnv"]);
  assert.deepEqual(facts.imports, ["collections", "json", "numpy", "os"]);
  assert.equal(facts.constant, true);
  assert.equal(value(await sandbox.parse(programOf())).constant, false);
});

Deno.test("parse() names the line of a syntax error and survives hostile text", async () => {
  await using sandbox = await sandboxOf();
  const problem = async (source: string) => {
    const parsed = await sandbox.parse(source, {});
    assert.equal(parsed.kind, "failed", source.slice(0, 40));
    return parsed.kind === "failed" ? `${parsed.blame} ${parsed.reason} ${parsed.detail}` : "";
  };
  assert.match(await problem("x = 1\nclass A:\nx"), /^designer syntax line 3: /);
  assert.match(await problem("x = '\0'"), /^designer syntax /);
  assert.match(await problem("("), /^designer syntax /);
  assert.match(await problem("(".repeat(100_000)), /^designer (syntax|memory|crash) /);
  assert.match(await problem(`x = ${"-".repeat(50_000)}1`), /^designer (syntax|memory|crash) /);
  assert.match(await problem("x = '\ud800'"), /^designer syntax /);
  value(await sandbox.parse(programOf()));
  assert.deepEqual((await alive()).zombies, []);
});

const BASE = `
import random
class GuessEnv:
    LIMIT = 3
    def __init__(self, max_turns=8):
        self.max_turns = max_turns
    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.secret = self.rng.randint(1, self.LIMIT)
        return "Guess.", {}
    def step(self, action):
        value = self.check(action)
        return "Right.", 1.0 if value else 0.0, value, False, {}
    def check(self, text):
        items = [text]
        items.append(str(self.secret))
        return items[0] == items[1]
`;

Deno.test("treeHash ignores names, comments, docstrings, annotations and formatting", async () => {
  await using sandbox = await sandboxOf();
  const hash = async (source: string) => value(await sandbox.parse(source)).treeHash;
  const base = await hash(BASE);
  const same: [string, string][] = [
    ["class name", BASE.replaceAll("GuessEnv", "OtherEnv")],
    ["local", BASE.replaceAll("items", "parts")],
    ["attribute", BASE.replaceAll("self.secret", "self.hidden")],
    ["method", BASE.replaceAll("check", "verify")],
    ["argument", BASE.replace("check(self, text)", "check(self, t)").replace("[text]", "[t]")],
    ["class constant", BASE.replaceAll("LIMIT", "MOST")],
    ["comment", BASE.replace("LIMIT = 3", "LIMIT = 3  # three")],
    ["docstring", BASE.replace("    LIMIT", '    """Guess."""\n    LIMIT')],
    [
      "annotation",
      BASE.replace("action):", "action: str) -> tuple:").replace("LIMIT =", "LIMIT: int ="),
    ],
    ["spacing", BASE.replaceAll("    ", "  ").replace("1.0 if", "1.0   if")],
    ["alias", BASE.replace("import random", "import random as r").replace("random.R", "r.R")],
  ];
  for (const [name, source] of same) {
    assert.notEqual(source, BASE, name);
    assert.equal(await hash(source), base, name);
  }
  const different: [string, string][] = [
    ["number", BASE.replace("LIMIT = 3", "LIMIT = 4")],
    ["text", BASE.replace("Guess.", "Try.")],
    ["operator", BASE.replace("==", "!=")],
    ["library method", BASE.replace("items.append", "items.remove")],
    ["library function", BASE.replace("randint", "randrange")],
    ["built-in", BASE.replace("str(", "repr(")],
    ["order", BASE.replace("items[0] == items[1]", "items[1] == items[0]")],
  ];
  for (const [name, source] of different) assert.notEqual(await hash(source), base, name);
});
