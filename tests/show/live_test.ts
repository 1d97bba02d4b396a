import assert from "node:assert/strict";
import { LiveView } from "../../lib/cli/live.ts";
import { panelLines, reportLine, sparkline } from "../../lib/cli/panel.ts";
import type { RolloutReport } from "../../lib/core/mod.ts";
import { storedReports } from "../../lib/show/report_rows.ts";
import { syntheticRun } from "./fixture.ts";
import { Screen } from "./terminal.ts";

const reports = storedReports(syntheticRun({ rollouts: 12, environments: 6 }));

function view(options: Partial<ConstructorParameters<typeof LiveView>[0]> = {}) {
  const time = { now: 100 }, writes: string[] = [];
  const live = new LiveView({ write: (t) => writes.push(t), clock: () => time.now, ...options });
  return { live, writes, time };
}

Deno.test("LiveView redraws its panel in place and keeps notes above it", () => {
  const screen = new Screen();
  const { live, writes, time } = view({ terminal: true, colour: false, columns: () => 80 });
  live.sink({ kind: "stage", rollout: 0, stage: "plays", done: 3, total: 12 });
  live.sink({ kind: "warning", message: "a <program> hung\x1b[2J" });
  for (const report of reports) {
    time.now += report.seconds;
    live.sink({ kind: "stage", rollout: report.rollout, stage: "plays", done: 5, total: 12 });
    live.sink({ kind: "report", report });
  }
  live.sink({ kind: "stage", rollout: 12, stage: "evaluate test greedy", done: 1, total: 9 });
  time.now += 1;
  live.tick();
  for (const text of writes) screen.write(text);
  const lines = screen.text.split("\n");
  assert.equal(lines[0], "⚠ a <program> hung␛[2J");
  assert.equal(lines.filter((line) => line.startsWith("SPADE")).length, 1);
  assert.match(lines[1], /^SPADE {2}rollout 12 of 12 complete {2}█+ 100 %$/);
  assert.match(screen.text, /win rate +plain 0\.\d\d {2}hinted 0\.55 {2}in band \d+ % {2}[▁-█]+/);
  assert.match(screen.text, /regret +\+0\.\d\d {2}signal 0\.\d\d \(noise floor 0\.30\)/);
  assert.match(screen.text, /now +██░+ evaluate test greedy 1 of 9/);
  assert.ok(lines.every((line) => [...line].length < 80));
});

Deno.test("LiveView leaves the cursor visible after every write", () => {
  const screen = new Screen();
  const { live, writes, time } = view({ terminal: true });
  for (const report of reports.slice(0, 3)) {
    time.now += 1;
    live.sink({ kind: "report", report });
  }
  live.close();
  assert.ok(writes.length >= 3);
  for (const text of writes) {
    screen.write(text);
    assert.ok(screen.cursorVisible);
  }
});

Deno.test("LiveView draws at most ten frames a second", () => {
  const { live, writes, time } = view({ terminal: true });
  for (let done = 0; done < 1000; done++) {
    time.now += 0.001;
    live.sink({ kind: "stage", rollout: 0, stage: "plays", done, total: 1000 });
  }
  assert.ok(writes.length <= 11, `${writes.length} frames in one second`);
});

Deno.test("LiveView without a terminal prints plain lines", () => {
  const { live, writes, time } = view();
  live.sink({ kind: "note", message: "engine is ready" });
  live.sink({ kind: "stage", rollout: 0, stage: "plays", done: 1, total: 12 });
  time.now += 30;
  live.sink({ kind: "stage", rollout: 0, stage: "plays", done: 7, total: 12 });
  live.sink({ kind: "report", report: reports[0] });
  live.end();
  const text = writes.join("");
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /\x1b/);
  assert.match(text, /^engine is ready\nrollout 0: plays 7 of 12\nrollout 1 of 12, win rate/);
  assert.match(text, /1 rollouts? in 30 s\n/);
});

Deno.test("LiveView prints JSON lines and nothing else with json", () => {
  const { live, writes } = view({ json: true, terminal: true });
  live.sink({ kind: "report", report: reports[0] });
  live.sink({ kind: "warning", message: "slow" });
  live.end();
  const events = writes.join("").trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.map((e) => e.kind), ["report", "warning"]);
  assert.equal(events[0].report.rollout, 0);
});

Deno.test("LiveView ends with the table of a run", () => {
  const { live, writes } = view();
  live.end(syntheticRun({ rollouts: 8, environments: 6 }));
  assert.match(writes.join(""), /held-out +paired rise/);
});

Deno.test("panelLines() marks without colour codes when colour is off, and fits any width", () => {
  const state = { started: 0, now: 9, reports, stages: new Map(), warnings: 0 };
  for (const width of [20, 40, 79, 200]) {
    for (const line of panelLines(state, { width, colour: false })) {
      assert.ok([...line].length <= width);
      assert.ok(!line.includes("\x1b"));
    }
  }
  assert.ok(panelLines(state, { width: 79, colour: true })[0].startsWith("\x1b[1m"));
});

Deno.test("reportLine() leaves out what is missing", () => {
  const report: RolloutReport = {
    rollout: 1,
    rollouts: 4,
    environments: 0,
    scored: 0,
    failed: 3,
    seconds: 2,
    tokensPerSecond: 10,
    playsPerSecond: 0,
  };
  assert.equal(
    reportLine(report, 4),
    "rollout 2 of 4, win rate – (0 scored, 3 failed), 10 tokens/s, 0.0 plays/s, 2 s, 4 s left",
  );
});

Deno.test("sparkline() keeps the newest values and blanks what is missing", () => {
  assert.equal(sparkline([0, 1, undefined, 0.5], 3), "█ ▁");
  assert.equal(sparkline([], 5), "");
  assert.equal(sparkline([1], 0), "");
  assert.equal(sparkline([0.5, 0.51, 0.52], 5), "▄▅▅");
});
