import assert from "node:assert/strict";
import {
  attackArguments,
  behindOf,
  firstOf,
  isContained,
  normalise,
} from "../../lib/cli/attack.ts";
import { DROPPED, LAYERS, levels } from "../../lib/cli/attack.ts";
import { differences } from "../../lib/cli/attack/table.ts";

const attack = { name: "a", kind: "files", goal: "", code: "", contained: "'EPERM'|x{3}" };

Deno.test("an attack is contained by the answer or the failure that is written down, nothing else", () => {
  const one = { ...attack, failures: ["policy"] };
  assert.ok(isContained(one, "answer 'EPERM'"));
  assert.ok(isContained(one, "failed policy"));
  for (
    const seen of [
      "answer 'EPERM' ",
      "answer 'OK'",
      "failed crash",
      "host policy",
      "answer xxx\nOK",
    ]
  ) {
    assert.ok(!isContained(one, seen), seen);
  }
  assert.ok(!isContained({ ...attack, contained: undefined }, "answer "));
});

Deno.test("normalise() drops what differs from run to run", () => {
  assert.equal(normalise("answer pid 4711 at 0x7f00\n3 of  12"), "answer pid N at N 3 of N");
  assert.equal(normalise(`["ls/=OK ['etc', 'boo", 'tcp']`), `["ls/=OK N", 'tcp']`);
});

Deno.test("the first layer is the one whose absence changes what is seen", () => {
  assert.equal(firstOf({ full: "answer EPERM", "without seccomp": "answer ENOENT" }), "seccomp");
  const alike = { full: "answer EAGAIN", "without seccomp, limits": "answer OK" };
  assert.equal(firstOf(alike), "seccomp", "of two that answer alike the one in front");
  const both = { ...alike, "without limits": "answer later" };
  assert.equal(firstOf(both), "limits", "one that changes it alone comes before a pair");
  assert.equal(firstOf({ full: "failed protocol" }), "border");
  assert.equal(firstOf({ full: "failed crash" }), "process");
  assert.equal(firstOf({ full: "answer none" }), "nothing there");
});

Deno.test("behind the filter stands who answers next", () => {
  const seen = {
    full: "answer EPERM",
    "without seccomp": "answer ENOENT",
    "without descriptors, seccomp": "answer ENOENT",
    "without seccomp, privileges": "answer ENOENT",
    "without seccomp, limits": "answer ENOENT",
    "without seccomp, namespaces": "answer EACCES",
    "without seccomp, namespaces, landlock": "answer OK",
  };
  assert.deepEqual(behindOf(seen), ["namespaces", "landlock"]);
});

Deno.test("every layer can be dropped, and an ordinary user has no level of root's", () => {
  for (const layer of LAYERS) assert.ok(DROPPED.some(({ dropped }) => dropped.join() === layer));
  assert.deepEqual(levels(false).map(({ level }) => level), [
    "full",
    "landlock+seccomp",
    "seccomp",
  ]);
  assert.equal(levels(true).length, 7);
});

Deno.test("differences() tells what was seen otherwise than stored", () => {
  const row = {
    kind: "files",
    first: "seccomp",
    behind: [],
    alone: [],
    seen: { full: "answer EPERM", "without seccomp": "answer ENOENT" },
  };
  const outcome = (seen: string) => [{ attack, seen, contained: true }];
  const seen = new Map([
    ["full", outcome("answer EPERM")],
    ["without seccomp", outcome("answer EPERM")],
    ["seccomp alone", outcome("answer OK")],
  ]);
  assert.deepEqual(differences(seen, { a: row }), [
    "without seccomp: a: answer EPERM, stored is answer ENOENT",
  ]);
});

Deno.test("attackArguments() takes --all and --store, and refuses what it does not know", () => {
  assert.deepEqual(attackArguments([]), { all: false, store: false });
  assert.deepEqual(attackArguments(["--store"]), { all: true, store: true });
  assert.throws(() => attackArguments(["--fast"]), /unknown option --fast/);
});
