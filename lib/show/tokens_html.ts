/**
 * The ids of a turn as markup: shaded by log-probability or by what was trained, whichever the reader asks for. Shades
 * differ in lightness, and the mask by filling, outline and dots, so that neither needs colour.
 * @module
 */
import type { RecordOf, Tokenizer } from "../core/mod.ts";
import { escapeHtml, showInvisible } from "./escape.ts";
import { formatNumber } from "./format.ts";
import { type Html, html } from "./page.ts";
import { tokenPieces } from "./token_pieces.ts";

/** Lower bounds of the probabilities that share a shade, likeliest first. */
const bounds = [0.9, 0.5, 0.1, 0.01, 0];

/** What the log-probability of a sampled id is shown as: 0 (likely) to 4. */
function shadeOf(logp: number): number {
  const p = Math.exp(logp);
  return bounds.findIndex((bound) => p >= bound);
}

/** What of a turn is shown as tokens. */
export interface TokensOptions {
  /** Of the model that sampled them. */
  tokenizer: Tokenizer;
  /** Whether an update trained the reply. */
  trained: boolean;
  /** Says whose turn it is, for those who do not see it. */
  label: string;
}

/**
 * The ids appended before the reply (template and observation, never trained) and those of the reply.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tokenizer = { encode: () => [], decode: (ids: readonly number[]) => String(ids), specials: {} };
 * const turn = { prompt: [7], ids: [8], logps: [-0.1] };
 * const strip = tokensHtml(turn, { tokenizer, trained: true, label: "plain, turn 1" });
 * assert.match(strip.text, /<b class="r" title="7">7<\/b><b class="s0" title="8 −0.100">/);
 * ```
 */
export function tokensHtml(
  turn: Pick<RecordOf<"turn">, "prompt" | "ids" | "logps">,
  { tokenizer, trained, label }: TokensOptions,
): Html {
  const read = tokenPieces(tokenizer, turn.prompt).map(({ id, text, kind }) =>
    token("r", `${id}`, text, kind)
  );
  const said = tokenPieces(tokenizer, turn.ids).map(({ id, text, kind }, i) =>
    token(`s${shadeOf(turn.logps[i])}`, `${id} ${formatNumber(turn.logps[i], 3)}`, text, kind)
  );
  return html(
    `<div class="tokens ${trained ? "trained" : "untrained"}" tabindex="0" role="group" ` +
      `aria-label="${escapeHtml(label)}: tokens">${read.join("")}${said.join("")}</div>`,
  );
}

function token(className: string, title: string, text: string, kind: string): string {
  const shown = kind === "part" ? "·" : kind === "unknown" ? "⟨?⟩" : showInvisible(text);
  const breaks = shown.replaceAll("\n", "⏎\n");
  const special = kind === "text" ? "" : " z";
  return `<b class="${className}${special}" title="${title}">${escapeHtml(breaks)}</b>`;
}

/**
 * Whether the tokenizer gives the stored text back: another one would show wrong words. Turns without ids, a person's,
 * say nothing about it.
 */
export function isTokenizerOf(
  tokenizer: Tokenizer,
  turns: Iterable<Pick<RecordOf<"turn">, "ids" | "text">>,
): boolean {
  for (const { ids, text } of turns) {
    if (ids.length > 0 && tokenizer.decode(ids) !== text) return false;
  }
  return true;
}

/** The switch between text and tokens, and what the shades mean. It needs no script. */
export function tokenSwitchHtml(): Html {
  const option = (value: string, label: string, checked = "") =>
    `<label><input type="radio" name="view" id="view-${value}"${checked}> ${label}</label>`;
  const shades = ["0.9 or more", "0.5 to 0.9", "0.1 to 0.5", "0.01 to 0.1", "less"].map((
    label,
    i,
  ) => `<span><b class="s${i}">abc</b> ${label}</span>`);
  return html(
    `<fieldset class="view"><legend>Show turns as</legend>${option("text", "text", " checked")}` +
      `${option("logp", "tokens by log-probability")}${option("mask", "tokens by mask")}` +
      `<div class="key logp"><span>probability under the sampler:</span> ${shades.join(" ")} ` +
      `<span><b class="r">abc</b> not sampled: template and observation</span></div>` +
      `<div class="key mask"><span class="trained"><b class="s0">abc</b> sampled, trained</span> ` +
      `<span class="untrained"><b class="s0">abc</b> sampled, not trained</span> ` +
      `<span><b class="r">abc</b> template and observation, masked</span></div>` +
      `<p class="key logp mask muted">Hover, tap or focus a turn and use ← → for a token's text, id and ` +
      `log-probability.</p></fieldset>`,
  );
}
