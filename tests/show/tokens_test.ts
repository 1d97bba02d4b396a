import assert from "node:assert/strict";
import { DOMParser } from "linkedom";
import { environmentDetail } from "../../lib/analysis/mod.ts";
import type { Tokenizer } from "../../lib/core/mod.ts";
import { inspectHtml } from "../../lib/show/mod.ts";
import { tokenPieces } from "../../lib/show/token_pieces.ts";
import { tokensHtml } from "../../lib/show/tokens_html.ts";
import { syntheticRun } from "./fixture.ts";
import { bytes, sampled } from "./sampled.ts";

/** Drops the space at the start of a text, as SentencePiece's decoders do. */
const words: Tokenizer = {
  specials: {},
  encode: () => [],
  decode: (ids) => ids.map((id) => ` w${id}`).join("").slice(1),
};

Deno.test("tokenPieces() gives a character of several bytes to its last id", () => {
  const pieces = tokenPieces(bytes, [...bytes.encode("né€"), 256]);
  assert.deepEqual(pieces.map(({ text }) => text), ["n", "", "é", "", "", "€", "<|end|>"]);
  assert.deepEqual(
    pieces.map(({ kind }) => kind),
    ["text", "part", "text", "part", "part", "text", "special"],
  );
});

Deno.test("tokenPieces() keeps spaces that a decoder drops at the start, and marks unknown ids", () => {
  assert.deepEqual(tokenPieces(words, [1, 2, 3]).map(({ text }) => text), ["w1", " w2", " w3"]);
  assert.deepEqual(tokenPieces(bytes, [257])[0], { id: 257, text: "", kind: "unknown" });
  // Half of a character at the end of a cut reply is no text, and takes no other id with it.
  const [half, after] = tokenPieces(bytes, [0xc3, 0x41]);
  assert.deepEqual([half.text, after.text], ["\ufffd", "A"]);
});

Deno.test("tokensHtml() shades by probability and tells what was trained without colour", () => {
  const turn = {
    prompt: bytes.encode("<\u202e"),
    ids: [65, 66, 67, 68, 69, 256],
    logps: [-0.01, -0.3, -1, -3, -9, 0],
  };
  const { text } = tokensHtml(turn, { tokenizer: bytes, trained: true, label: "plain, turn 1" });
  const classes = [...text.matchAll(/<b class="([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(classes, ["r", "r z", "r z", "r", "s0", "s1", "s2", "s3", "s4", "s0 z"]);
  assert.match(text, /title="66 −0\.300">B</);
  assert.match(text, /class="tokens trained"/);
  assert.match(text, /&lt;<\/b>.*⟨U\+202E⟩/);
});

const run = syntheticRun({ rollouts: 2, environments: 2 });
const plain = environmentDetail(run, run.active[0].environmentId);

Deno.test("inspectHtml() shows tokens beside the text, and which plays were trained", () => {
  const [pair] = plain.pairs;
  const trained = new Map([[pair.plain!.id, -1.25]]);
  const page = inspectHtml({ ...sampled(plain), trained }, { tokenizer: bytes });
  // deno-lint-ignore no-explicit-any
  const document = new DOMParser().parseFromString(page, "text/html") as any;
  const [first] = document.querySelectorAll(".play");
  const strips = [...first.querySelectorAll(".tokens")];
  const turn = plain.turns.get(pair.plain!.id)![0];
  assert.equal(
    strips[0].textContent,
    turn.observation.replaceAll("\n", "⏎\n") + turn.text + "<|end|>",
  );
  assert.equal(strips[0].className, "tokens trained");
  assert.ok(strips.some((strip) => strip.className === "tokens untrained"));
  assert.match(first.textContent, /trained with advantage −1\.25/);
  assert.equal(document.querySelectorAll("fieldset.view input[type=radio]").length, 3);
});

Deno.test("inspectHtml() says plainly why tokens are not shown", () => {
  assert.match(
    inspectHtml(plain, { noTokenizer: "there is no m/tokenizer.json here" }),
    /Tokens are not shown: there is no m\/tokenizer\.json here\./,
  );
  const other = sampled(plain, (turn) => ({ ...turn, text: `${turn.text}!` }));
  const page = inspectHtml(other, { tokenizer: bytes });
  assert.match(page, /Tokens are not shown: the tokenizer at hand does not give the stored text/);
  assert.doesNotMatch(page, /class="tokens /);
});
