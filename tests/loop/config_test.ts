import assert from "node:assert/strict";
import { changesOf, checkConfig, configAt } from "../../lib/loop/config.ts";
import { resolveConfig } from "../../lib/loop/presets.ts";

const presets: Record<string, string> = {
  tiny: `
model: data/nano
kind: compact
skills: [A, B]
skillsPerEpoch: 1
environments: 4
plays: 2
epoch: 2
delay: 2
rollouts: 4
tokens: { designer: 10, agent: 2, hint: 2 }
context: 128
maxTurns: 3
adam: { learningRate: 1.0e-4 }
corpus: null
heldout: null
`,
  broken: "- a list",
};
const overlays: Record<string, string> = { slow: "adam: { learningRate: 1.0e-6 }" };
const files = {
  presets: Object.keys(presets),
  overlays: Object.keys(overlays),
  preset: (name: string) => presets[name],
  overlay: (name: string) => overlays[name],
};
const resolve = (set: string[] = [], overlay: string[] = []) =>
  resolveConfig({ preset: "tiny", overlays: overlay, set }, files);

Deno.test("resolveConfig() fills defaults, applies overlays and then settings", () => {
  const config = resolve(["adam.beta2=0.95", "rollouts=8"], ["slow"]);
  assert.equal(config.adam.learningRate, 1e-6);
  assert.equal(config.adam.beta2, 0.95);
  assert.equal(config.rollouts, 8);
  assert.equal(config.blend.plateauWeight, 0.6);
  assert.equal(config.blend.regretWeight, 0.4);
  assert.deepEqual(config.overlays, ["slow"]);
});

Deno.test("resolveConfig() names an unknown key, preset and overlay", () => {
  assert.throws(() => resolve(["rolouts=3"]), /rolouts/);
  assert.throws(() => resolve(["adam.rate=3"]), /adam.*rate/s);
  assert.throws(() => resolve(["plays=two"]), /plays/);
  assert.throws(() => resolve(["plays"]), /must be key=value/);
  assert.throws(() => resolve([], ["fast"]), /overlay "fast".*slow/);
  assert.throws(() => resolveConfig({ preset: "huge" }, files), /preset "huge".*tiny/);
  assert.throws(() => resolveConfig({ preset: "broken" }, files), /YAML mapping/);
});

Deno.test("a delay that is not a multiple of the epoch length is an error at start [D20]", () => {
  assert.throws(() => resolve(["delay=3"]), /delay 3.*multiple of epoch 2/);
  assert.equal(resolve(["delay=0"]).delay, 0);
  assert.equal(resolve(["delay=4"]).delay, 4);
});

Deno.test("checkConfig() accepts what it gave, through JSON", () => {
  const config = resolve();
  assert.deepEqual(checkConfig(JSON.parse(JSON.stringify(config))), config);
});

Deno.test("a run without a designer needs a pool", () => {
  assert.throws(() => resolve(["designer=none"]), /pool/);
  assert.equal(resolve(["designer=none", "pool=data/pool"]).pool, "data/pool");
});

Deno.test("resolveConfig() refuses at start what would fail in the middle of a run", () => {
  assert.throws(() => resolve(["signal=regrets"]), /signal/);
  assert.throws(() => resolve(["skills=[a"]), /Cannot read the value of "skills=\[a"/);
  assert.throws(() => resolve(["designer=frozen"]), /designerLoss must be false/);
  assert.throws(() => resolve(["trackers.slow=0.99"]), /slow < fast/);
  assert.throws(() => resolve(["tokens.designer=128"]), /context 128/);
});

Deno.test("one key of a group leaves the defaults of the others", () => {
  assert.deepEqual(resolve(["memory.seeds=1"]).memory, { seeds: 1, negatives: 1 });
  assert.deepEqual(resolve(["trackers.fast=0.9"]).trackers, { fast: 0.9, slow: 0.85 });
  assert.deepEqual(resolve(["evaluationPlays.dev=2"]).evaluationPlays, { dev: 2, test: 8 });
});

Deno.test("late: another context and band from its start on, which must be given", () => {
  assert.throws(() => resolve(["late.context=256"]), /late\.start: must be given/);
  assert.throws(() => resolve(["late.start=4"]), /late\.start 4.*below rollouts \(4\)/);
  const config = resolve(["late.start=2", "late.context=256", "late.plateau.high=0.9"]);
  assert.equal(configAt(config, 1), config);
  const late = configAt(config, 2);
  assert.deepEqual([late.context, late.plateau], [256, { low: 0.4, high: 0.9, ramp: 0.25 }]);
});

Deno.test("returns follow the kind: sums for game-corpus [D13]", () => {
  assert.equal(resolve(["kind=game-corpus"]).returns, "sum");
  assert.equal(resolve(["kind=game-single"]).returns, "last");
  assert.equal(resolve(["kind=game-corpus", "returns=last"]).returns, "last");
  assert.throws(() => resolve(["kind=chess"]), /kind/);
});

Deno.test("near-duplicates follow the kind: programs of the compact kind have one form", () => {
  assert.equal(resolve().nearDuplicate, null);
  assert.equal(resolve(["kind=tool-use"]).nearDuplicate, 0.9);
  assert.equal(resolve(["kind=folder", "pool=data/pool"]).nearDuplicate, null);
  assert.equal(resolve(["kind=tool-use", "nearDuplicate=null"]).nearDuplicate, null);
  assert.throws(() => resolve(["nearDuplicate=2"]), /nearDuplicate/);
});

Deno.test("a kind or designer that does not fit is refused with its key", () => {
  assert.throws(() => resolve(["skills=[]"]), /skills/);
  assert.throws(() => resolve(["kind=folder", "designer=shared"]), /designer shared.*kind folder/);
  assert.throws(
    () => resolve(["designer=external", "designerLoss=false"]),
    /externalDesigner\.model/,
  );
  const other = "externalDesigner={engine: embedded, model: m}";
  assert.throws(() => resolve(["designer=external", other]), /external.*designerLoss/);
  assert.equal(resolve(["designer=external", "designerLoss=false", other]).designer, "external");
});

Deno.test("changesOf() lists the leaves that differ from the preset", () => {
  assert.deepEqual(changesOf(resolve(), resolve(["memory.seeds=0", "skills=[B]"], ["slow"])), [
    { key: "skills", preset: ["A", "B"], now: ["B"] },
    { key: "adam.learningRate", preset: 1e-4, now: 1e-6 },
    { key: "memory.seeds", preset: 2, now: 0 },
  ]);
});
