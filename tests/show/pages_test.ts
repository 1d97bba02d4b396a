import assert from "node:assert/strict";
import { DOMParser } from "linkedom";
import { emptyTables, environmentDetail, type RunTables } from "../../lib/analysis/mod.ts";
import { inspectHtml, inspectListHtml, reportHtml, reportText } from "../../lib/show/mod.ts";
import { inspectRun, listPage } from "../../lib/cli/inspect.ts";
import { inspectScript } from "../../lib/show/inspect_script.ts";
import { syntheticRun } from "./fixture.ts";

const run = syntheticRun({ rollouts: 8, environments: 8 });
const detail = environmentDetail(run, run.active[0].environmentId);
const pages = {
  report: reportHtml(run),
  list: inspectListHtml(run),
  environment: inspectHtml(detail),
};

function parse(page: string) {
  // deno-lint-ignore no-explicit-any
  return new DOMParser().parseFromString(page, "text/html") as any;
}

for (const [name, page] of Object.entries(pages)) {
  Deno.test(`the ${name} page is self-contained and runs no script but ours`, () => {
    assert.equal(page.split("<script>").length - 1, name === "environment" ? 1 : 0);
    assert.doesNotMatch(
      page.replace(inspectScript, ""),
      /<script [^>]|<link|<iframe|<img|@import|url\(|javascript:|\son\w+=| style="/i,
    );
    const addresses = page.match(/https?:\/\/[^"'\s<]+/g) ?? [];
    assert.deepEqual([...new Set(addresses)].filter((a) => a !== "http://www.w3.org/2000/svg"), []);
    assert.match(page, /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(page, /unsafe-inline|unsafe-eval/);
    assert.match(page, /<html lang="en">/);
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });
}

const evil = `</pre></title><script>alert(1)</script><img src=x onerror="alert('2')">&amp;\u0000`;

/** The same run with hostile text wherever a program, a model or a host writes. */
function poisoned(): RunTables {
  const dirty = (value: unknown): unknown => {
    if (typeof value === "string") return value.length > 0 ? evil + value : value;
    if (Array.isArray(value)) return value.map(dirty);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, dirty(v)]));
  };
  const fields = [
    ...["source", "className", "description", "skill", "text", "reason", "evidence", "origin"],
    ...["licence", "observation", "action", "family", "manifest", "preset", "message", "interval"],
    ...["stage", "gate"],
  ];
  const event = { id: "v", rollout: 0, kind: "warning", message: "slow", data: {} };
  return Object.fromEntries(
    Object.entries({ ...run, event: [event] }).map(([table, rows]) => [
      table,
      rows.map((row) => {
        const copy: Record<string, unknown> = { ...row };
        for (const field of fields) if (field in copy) copy[field] = dirty(copy[field]);
        if ("outcome" in copy && (copy.outcome as { kind: string }).kind !== "scored") {
          copy.outcome = { kind: "failed", blame: "designer", reason: evil, detail: evil };
        }
        return copy;
      }),
    ]),
  ) as unknown as RunTables;
}

Deno.test("pages escape everything that a model or a program wrote", () => {
  const bad = poisoned();
  const id = bad.active[0].environmentId;
  for (
    const page of [reportHtml(bad), inspectListHtml(bad), inspectHtml(environmentDetail(bad, id))]
  ) {
    const document = parse(page);
    const scripts = [...document.querySelectorAll("script")];
    assert.ok(scripts.every((script) => script.textContent === inspectScript));
    assert.equal(document.querySelectorAll("img").length, 0);
    assert.ok(!page.includes("\u0000"));
    assert.ok(page.includes("&lt;script&gt;"));
  }
});

Deno.test("texts for terminals make control characters visible", () => {
  const bad = {
    ...run,
    environment: run.environment.map((e) => ({
      ...e,
      source: "\x1b]0;owned\x07\u202e" + e.source,
    })),
  };
  const reader = {
    // deno-lint-ignore no-explicit-any
    all: (table: keyof RunTables, query?: { where?: any }): any =>
      (bad[table] as readonly Record<string, unknown>[]).filter((row) =>
        Object.entries(query?.where ?? {}).every(([k, v]) => row[k] === v)
      ),
  };
  const text = inspectRun(reader, { environment: run.active[0].environmentId.slice(0, 10) });
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.match(text, /␛]0;owned␇/);
  assert.match(text, /── plain, turn 1 ─+ │ ── hinted, turn 1/);
  assert.match(inspectRun(reader), /programs: \d+ accepted, \d+ refused/);
  assert.match(listPage(reader, { name: "first", written: [] }).html, /^<!doctype html>/);
});

Deno.test("reportHtml() has its sections, both drawings of each figure and the limits", () => {
  const document = parse(pages.report);
  const headings = [...document.querySelectorAll("h2")].map((h) => h.textContent);
  assert.deepEqual(headings, [
    "Held-out performance, starting against final weights",
    "Figures",
    "Designer: do its programs run, are they accepted",
    "Groups and regret",
    "Diversity, lineage and audits",
    "Costs",
    "Rollouts",
    "What this does not prove",
    "Everything that was set",
  ]);
  assert.equal(document.querySelectorAll("figure").length, 14);
  assert.equal(document.querySelectorAll("figure svg[role=img]").length, 28);
  assert.equal(document.querySelectorAll("figure details .words").length, 14);
  assert.match(pages.report, /userns\+seccomp/);
  assert.ok(pages.report.includes("test, T\u00a0=\u00a01, unseen"));
});

Deno.test("reportHtml() and reportText() show a run that has nothing yet", () => {
  assert.match(reportHtml(emptyTables()), /there is no rise to show/);
  assert.match(reportText(emptyTables()), /No held-out rise/);
});

Deno.test("reportHtml() is the same bytes for the same tables", () => {
  assert.ok(reportHtml(run) === pages.report);
});

Deno.test("inspectHtml() shows source, document, hint, verdicts and both arms", () => {
  const document = parse(pages.environment);
  const source = run.environment.find((e) => e.id === run.active[0].environmentId)!.source;
  assert.equal(document.querySelector("pre.code").textContent + "\n", source);
  const turns = [...document.querySelectorAll(".pair.n2 .turn .muted")];
  assert.ok(turns.some((t) => t.textContent === "hinted, turn 1"));
  assert.match(pages.environment, /HINT: Look at each lamp/);
  assert.match(pages.environment, /see fig\. \d+&gt;: each switch/);
  assert.match(pages.environment, /random 0\.15, constant 0\.2/);
});

Deno.test("no page shows a regret without the noise floor of its signal", () => {
  assert.match(pages.report, /its noise floor at zero true regret/);
  assert.match(pages.report, /mean signal of the shrunken regret/);
  assert.match(pages.list, /<th[^>]*>noise floor/);
  const regrets = parse(pages.environment).querySelectorAll("#win-rate-and-regret tr");
  assert.match(regrets[0].textContent, /noise floorshrunkits floor/);
  assert.match(regrets[1].textContent, /0\.\d\d[+−]0\.\d\d0\.\d\d/);
});

Deno.test("inspectHtml() names characters that are not seen or reorder text", () => {
  const source = `x = "\u202eevil\u2066\u200b"  # \x1b[2J\n`;
  const page = inspectHtml({ ...detail, environment: { ...detail.environment, source } });
  const shown = parse(page).querySelector("pre.code").textContent;
  assert.equal(shown, `x = "⟨U+202E⟩evil⟨U+2066⟩⟨U+200B⟩"  # ␛[2J`);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(page, /[\u202a-\u202e\u2066-\u2069\x1b]/);
});

Deno.test("inspectHtml() links parents to the pages that are there, and names the others", () => {
  const parents = ["ab".repeat(32), "cd".repeat(32)];
  const changed = { ...detail, environment: { ...detail.environment, parents } };
  const page = inspectHtml(changed, { pages: new Map([[parents[0], "abab.html"]]) });
  const document = parse(page);
  assert.equal(document.querySelector('dd a[href="abab.html"]').textContent, "ababababab");
  assert.match(page, /<\/a>, cdcdcdcdcd<\/dd>/);
});

Deno.test("inspectHtml() keeps to its bytes and counts what it leaves out", () => {
  const whole = inspectHtml(detail);
  assert.doesNotMatch(whole, /⚠/);
  const small = inspectHtml(detail, { bytes: 60_000 });
  assert.ok(small.length < 70_000 && small.length < whole.length);
  assert.match(small, /⚠ \d+ of \d+ pairs without turns/);
  const long = { ...detail.environment, source: "x = 1  # " + "é".repeat(300_000) };
  const cut = inspectHtml({ ...detail, environment: long }, { bytes: 60_000 });
  assert.match(cut, /⚠ 100,009 of 300,009 characters left out/);
});
