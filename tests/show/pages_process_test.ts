/** Report and inspector in a real browser: wide and narrow, light and dark. Skipped where there is no Chromium. */
import assert from "node:assert/strict";
import * as path from "node:path";
import { environmentDetail } from "../../lib/analysis/mod.ts";
import { failed, ok, type Sandbox } from "../../lib/core/mod.ts";
import {
  frameHtml,
  inspectHtml,
  inspectListHtml,
  replayHtml,
  replayPlay,
  reportHtml,
} from "../../lib/show/mod.ts";
import {
  findChromium,
  launch,
  open,
  overflow,
  seriousFindings,
  type View,
  views,
} from "./browser.ts";
import { syntheticRun } from "./fixture.ts";
import { bytes, sampled } from "./sampled.ts";

const chromium = findChromium();
const ignore = chromium === undefined;
const named = (name: string) => ignore ? `${name} (skipped: there is no Chromium here)` : name;

const run = syntheticRun({ rollouts: 4, environments: 6, plays: 3, withTurns: 1 });
const active = run.active[0].environmentId;
// Two pairs: axe looks at each token.
const whole = environmentDetail(run, active);
const found = { ...whole, pairs: whole.pairs.slice(0, 2) };
const trained = new Map(found.pairs.map(({ plain }) => [plain!.id, 0.5]));
const detail = { ...sampled(found), trained };

const evil =
  `</pre></script></textarea><script>alert(1)</script><img src="https://example.org/x.png" ` +
  `onerror="alert(2)"><style>*{display:none}</style>\u202e\u0000${"long".repeat(40)}`;
const hostile = {
  ...sampled({ ...found, pairs: found.pairs.slice(0, 1) }, (turn) => ({
    ...turn,
    observation: evil + turn.observation,
    prompt: bytes.encode(evil),
    action: evil,
  })),
  hint: evil,
  environment: { ...found.environment, source: `# ${evil}\n`, description: evil, className: evil },
};

/** A sandbox where every program fails. */
const broken: Sandbox = {
  level: "full",
  layers: {},
  start: () => Promise.resolve(failed("designer", "crash", evil)),
  parse: () =>
    Promise.resolve(ok({ environments: [], treeHash: "", imports: [], constant: false })),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
const [{ plain }] = found.pairs;
const replayed = await replayPlay(
  { environment: found.environment, play: plain!, turns: found.turns.get(plain!.id)! },
  { sandbox: broken },
);

const pages = {
  report: reportHtml(run, { name: "first" }),
  list: inspectListHtml(run, { name: "first", pages: new Map([[active, "one.html"]]) }),
  environment: inspectHtml(detail, { tokenizer: bytes, list: "index.html" }),
  hostile: inspectHtml(hostile, { tokenizer: bytes }),
  replay: replayHtml(replayed),
};

// One for all tests: a start takes longer than most of them.
const browser = ignore ? undefined : await launch(chromium);
Deno.test.afterAll(() => browser?.close());

/** Writes a page where the browser can open it. */
function written(page: string): Disposable & { path: string } {
  const dir = Deno.makeTempDirSync({ prefix: "spade-pages-" });
  const file = path.join(dir, "page.html");
  Deno.writeTextFileSync(file, page);
  return { path: file, [Symbol.dispose]: () => Deno.removeSync(dir, { recursive: true }) };
}

for (const [name, page] of Object.entries(pages)) {
  Deno.test({
    name: named(`the ${name} page: quiet, offline, within 400 pixels, accessible`),
    ignore,
  }, async () => {
    using file = written(page);
    for (const view of views) {
      await using opened = await open(browser!, file.path, view);
      const where = `${name}, ${view.width}, ${view.scheme}`;
      assert.ok(await overflow(opened.page) <= 0, `${where}: wider than the window`);
      // Colours differ by theme and layout by width: two of the four see both.
      const isJudged = (view.width === 1280) === (view.scheme === "light");
      if (isJudged) assert.deepEqual(await seriousFindings(opened.page), [], where);
      for (const token of ["logp", "mask"]) {
        if (!await opened.page.$(`#view-${token}`)) continue;
        await opened.page.click(`#view-${token}`);
        assert.ok(await overflow(opened.page) <= 0, `${where}, ${token}: wider than the window`);
        if (isJudged && name === "environment") {
          assert.deepEqual(await seriousFindings(opened.page), [], `${where}, ${token}`);
        }
      }
      assert.deepEqual(opened.said, [], where);
      assert.deepEqual(opened.asked, [], where);
    }
  });
}

const wide: View = { width: 1280, scheme: "light" };

/** First lines of the turns of the first play that are seen. */
const seenTurns = `[...document.querySelector(".play").querySelectorAll(".turn:not(.none)")]
  .filter((turn) => turn.getClientRects().length > 0)
  .map((turn) => turn.firstElementChild.textContent)`;

Deno.test({ name: named("the slider goes through a play turn by turn"), ignore }, async () => {
  using file = written(pages.environment);
  await using opened = await open(browser!, file.path, wide);
  const { page } = opened;
  const seen = () => page.evaluate(seenTurns) as Promise<string[]>;
  const all = await seen();
  assert.ok(all.includes("plain, turn 1") && all.includes("hinted, turn 2"), all.join());
  await page.focus(".steps input");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await seen(), ["plain, turn 1", "hinted, turn 1"]);
  await page.click('.steps [aria-label="Next turn"]');
  assert.deepEqual(await seen(), all.filter((turn) => turn.endsWith("turn 2")));
  const words = await page.evaluate('document.querySelector(".steps output").textContent');
  assert.match(String(words), /^turn 2 of \d+$/);
  await page.keyboard.press("Home");
  await page.focus(".steps input");
  await page.keyboard.press("Home");
  assert.deepEqual(await seen(), all);
});

Deno.test(
  { name: named("tokens say what they are by pointer and by keyboard"), ignore },
  async () => {
    using file = written(pages.environment);
    await using opened = await open(browser!, file.path, wide);
    const { page } = opened;
    const line = () => page.evaluate('document.querySelector("#token").textContent');
    const isSeen = (selector: string) =>
      page.evaluate(`document.querySelector("${selector}").getClientRects().length > 0`);
    assert.deepEqual([await isSeen(".tokens"), await isSeen(".play .said")], [false, true]);
    await page.click("#view-logp");
    assert.deepEqual([await isSeen(".tokens"), await isSeen(".play .said")], [true, false]);
    await page.focus(".tokens");
    await page.keyboard.press("ArrowRight");
    assert.equal(await line(), "“L” id 76, template or observation, masked");
    await page.keyboard.press("ArrowRight");
    assert.equal(await line(), "“a” id 97, template or observation, masked");
    await page.hover(".tokens b.z[class^=s]");
    assert.match(
      String(await line()),
      /^“<\|end\|>” id 256, log-probability −\d\.\d{3} \(p 0\.\d+\), sampled, trained$/,
    );
    await page.keyboard.press("Escape");
    assert.equal(await line(), "");
  },
);

Deno.test({ name: named("without scripts everything can be read"), ignore }, async () => {
  using file = written(pages.environment);
  await using opened = await open(browser!, file.path, { ...wide, script: false });
  const { page } = opened;
  assert.ok((await page.evaluate(seenTurns) as string[]).length > 3);
  await page.click("#view-mask");
  assert.equal(
    await page.evaluate('document.querySelector(".tokens").getClientRects().length > 0'),
    true,
  );
});

Deno.test(
  { name: named("a notebook's frame runs our script and reaches nothing"), ignore },
  async () => {
    const frame = frameHtml(pages.hostile, { title: "hostile" });
    using file = written(`<!doctype html><html lang="en"><title>t</title><body>${frame}`);
    await using opened = await open(browser!, file.path, wide);
    const { page, said, asked } = opened;
    const [inner] = page.frames().filter((frame) => frame !== page.mainFrame());
    assert.equal(await inner.evaluate("self.origin"), "null");
    assert.equal(await inner.evaluate('document.querySelectorAll(".steps").length > 0'), true);
    const reach = await inner.evaluate(
      "(() => { try { return top.document.title } catch { return 'no' } })()",
    );
    assert.equal(reach, "no");
    assert.deepEqual([said, asked], [[], []]);
  },
);
