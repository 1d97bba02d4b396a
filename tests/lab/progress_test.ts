import assert from "node:assert/strict";
import { notebookOutlet, type Outlet, terminalOutlet } from "../../lib/lab/outlet.ts";
import { ProgressLine, progressText } from "../../lib/lab/progress.ts";
import { stageNotes } from "../../lib/lab/stage_notes.ts";

/** A line whose time is told, and what it showed. */
function told(of: { title: string; unit: string; total?: number }) {
  const shown: string[] = [];
  let now = 0;
  const outlet: Outlet = {
    every: 0.5,
    show: (line) => shown.push(line),
    hide: () => shown.push("hidden"),
    end: () => (shown.push("end"), Promise.resolve()),
  };
  const line = new ProgressLine(of, { outlet, clock: () => now });
  return { line, shown, at: (seconds: number) => now = seconds };
}

Deno.test("a progress line is silent for two seconds, then says rate and time left", async () => {
  const { line, shown, at } = told({ title: "regret", unit: "plays", total: 16 });
  at(1.9);
  line.step();
  assert.deepEqual(shown, []);
  at(4);
  line.step();
  assert.deepEqual(shown, ["regret ██░░░░░░░░░░ 2 of 16 plays · 30 a minute · 28 s left"]);
  at(4.4);
  line.step();
  assert.equal(shown.length, 1, "at most one line every half a second");
  at(8);
  line.update({ done: 16 });
  line.finish();
  await line[Symbol.asyncDispose]();
  assert.deepEqual(shown.slice(-2), [
    "regret ████████████ 16 of 16 plays · 2 a second · in 8 s",
    "end",
  ]);
});

Deno.test("work that is over within two seconds says nothing; one that broke off says so", async () => {
  const short = told({ title: "play", unit: "" });
  short.at(1);
  short.line.finish();
  await short.line[Symbol.asyncDispose]();
  assert.deepEqual(short.shown, []);
  const broken = told({ title: "play", unit: "" });
  broken.at(3);
  broken.line.update();
  await broken.line[Symbol.asyncDispose]();
  assert.deepEqual(broken.shown, ["play 3 s", "play stopped after 3 s", "end"]);
});

Deno.test("rate and time left count from begin(), and a paused line waits for the next update", async () => {
  const { line, shown, at } = told({ title: "training a", unit: "rollouts" });
  at(10);
  line.begin(20, 24);
  at(20);
  line.update({ done: 22 });
  assert.equal(
    shown.at(-1),
    "training a ███████████░ 22 of 24 rollouts · 12 a minute · 10 s left",
  );
  line.pause();
  assert.equal(shown.at(-1), "hidden");
  line.update();
  assert.match(shown.at(-1)!, /22 of 24/);
  await line[Symbol.asyncDispose]();
});

Deno.test("what a model named cannot move the cursor or break the line", () => {
  const text = progressText({ title: "play of \x1b[2JA\nB", unit: "", done: 0, seconds: 3 });
  assert.equal(text, "play of ␛[2JA B 3 s");
});

Deno.test("on a terminal the line is rewritten, cut to its width and left with a line break", async () => {
  let written = "";
  const outlet = terminalOutlet((text) => void (written += text), () => 10);
  outlet.show("0123456789");
  outlet.hide();
  outlet.show("ab");
  await outlet.end();
  assert.equal(written, "\r012345678\x1b[K\r\x1b[K\rab\x1b[K\n");
});

Deno.test("in a notebook one output is made and then updated, in order, whatever the front end does", async () => {
  const sent: [string, boolean][] = [];
  const outlet = notebookOutlet({
    display: async (bundle, { update, display_id }) => {
      assert.equal(display_id, "one");
      await Promise.resolve();
      sent.push([bundle["text/plain"], update === true]);
      if (sent.length === 2) throw new Error("the front end is gone");
    },
  }, "one");
  for (const line of ["a", "b", "c"]) outlet.show(line);
  await outlet.end();
  assert.deepEqual(sent, [["a", false], ["b", true], ["c", true]]);
});

Deno.test("a training's line names unfinished stages and counts warnings", () => {
  let note = "";
  const warnings: string[] = [];
  const sink = stageNotes({ update: (change) => void (note = change!.note!) }, warnings);
  sink({ kind: "stage", rollout: 0, stage: "play", done: 1, total: 2 });
  sink({ kind: "warning", message: "slow" });
  assert.equal(note, "play 1 of 2 · ⚠ 1 warning");
  sink({ kind: "stage", rollout: 0, stage: "play", done: 2, total: 2 });
  assert.equal(note, "⚠ 1 warning");
  assert.deepEqual(warnings, ["slow"]);
});
