/** Both arms of an environment turn by turn, as markup. @module */
import type { EnvironmentDetail, PlayPair } from "../analysis/mod.ts";
import type { RecordOf, Tokenizer } from "../core/mod.ts";
import { escapeHtml, showInvisible } from "./escape.ts";
import { formatChange, formatCount, formatNumber } from "./format.ts";
import { pairText, playText } from "./inspect_rows.ts";
import { preHtml } from "./limit.ts";
import {
  type Content,
  detailsHtml,
  type Html,
  html,
  markup,
  paragraphHtml,
  sectionHtml,
} from "./page.ts";
import { type ReplayOutcome, replayText } from "./replay_outcome.ts";
import { stepsHtml } from "./steps.ts";
import { isTokenizerOf, tokensHtml, tokenSwitchHtml } from "./tokens_html.ts";

/** Of the plays on a page. */
export interface PlaysOptions {
  /** Of the run's model: turns are then shown as tokens too. */
  tokenizer?: Tokenizer;
  /** Why there is none. @default "the run's tokenizer was not given" */
  noTokenizer?: string;
  /** What became of replaying plays, by their ids. @default not replayed */
  replays?: ReadonlyMap<string, ReplayOutcome>;
  /** Bytes that the plays may take; those beyond are told in a line each. @default 4,000,000 */
  bytes?: number;
}

/** The section with every pair of plays; pairs that do not fit are told by their outcomes alone. */
export function playsHtml(detail: EnvironmentDetail, options: PlaysOptions = {}): Html {
  const { pairs, turns } = detail;
  const heading = "Plays, both arms side by side";
  if (pairs.length === 0) return sectionHtml(heading, paragraphHtml("Never played."));
  const { bytes = 4e6, noTokenizer = "the run's tokenizer was not given" } = options;
  const fits = options.tokenizer !== undefined &&
    isTokenizerOf(options.tokenizer, [...turns.values()].flat());
  const tokenizer = fits ? options.tokenizer : undefined;
  const reason = options.tokenizer && !fits
    ? "the tokenizer at hand does not give the stored text: it is not the one that sampled"
    : noTokenizer;

  const shown: Html[] = [], short: PlayPair[] = [];
  let left = bytes;
  for (const [index, pair] of pairs.entries()) {
    const drawn = left > 0
      ? drawPair(pair, detail, { tokenizer, replays: options.replays, open: index === 0 })
      : undefined;
    left -= drawn?.text.length ?? 0;
    if (drawn === undefined || left < 0) short.push(pair);
    else shown.push(drawn);
  }
  return sectionHtml(
    heading,
    paragraphHtml("A pair has the same seed; the hinted arm sees the hint once.", "muted"),
    tokenizer ? tokenSwitchHtml() : paragraphHtml(`Tokens are not shown: ${reason}.`, "muted"),
    ...shown,
    short.length > 0 ? shortPairs(short, pairs.length) : "",
  );
}

function shortPairs(short: readonly PlayPair[], all: number): Html {
  const items = short.slice(0, 2000).map((pair) => `<li>${pairSummary(pair)}</li>`).join("");
  return html(
    `<p class="warn">⚠ ${formatCount(short.length)} of ${formatCount(all)} pairs without turns: ` +
      `the page would be too large</p>${
        markup(detailsHtml("their outcomes", html(`<ul>${items}</ul>`)))
      }`,
  );
}

function pairSummary(pair: PlayPair): string {
  const said = (play: RecordOf<"play"> | undefined) =>
    escapeHtml(showInvisible(playText(play)).slice(0, 300));
  return `<strong>${pairText(pair)}</strong> · plain ${said(pair.plain)} · hinted ${
    said(pair.hinted)
  }`;
}

function drawPair(
  pair: PlayPair,
  detail: EnvironmentDetail,
  { tokenizer, replays, open }: Pick<PlaysOptions, "tokenizer" | "replays"> & { open: boolean },
): Html {
  const arms = ([["plain", pair.plain], ["hinted", pair.hinted]] as const)
    .flatMap(([arm, play]) => play === undefined ? [] : [{ arm, play }]);
  const columns = arms.map(({ arm, play }) => {
    const advantage = detail.trained?.get(play.id), replayed = replays?.get(play.id);
    return {
      head: html(
        `<strong>${arm}</strong> ${escapeHtml(showInvisible(playText(play)))}` +
          `<br><span class="muted">${
            advantage === undefined
              ? "not trained"
              : `trained with advantage ${formatChange(advantage)}`
          }, seed ${play.seed}</span>${replayed ? replayedHtml(replayed, play.turns) : ""}`,
      ),
      turns: (detail.turns.get(play.id) ?? []).map((turn) =>
        turnHtml(turn, { arm, tokenizer, trained: advantage !== undefined })
      ),
    };
  });
  return detailsHtml(html(pairSummary(pair)), stepsHtml(pairText(pair), columns), open);
}

function replayedHtml(outcome: ReplayOutcome, turns: number): string {
  const className = outcome.kind === "same" ? "muted" : "warn";
  const said = escapeHtml(showInvisible(replayText(outcome, turns)).slice(0, 2000));
  return `<br><span class="${className}">replayed: ${said}</span>`;
}

function turnHtml(
  turn: RecordOf<"turn">,
  { arm, tokenizer, trained }: { arm: string; tokenizer?: Tokenizer; trained: boolean },
): Content {
  const label = `${arm}, turn ${turn.index + 1}`;
  // Shown in place of the text, where the reader asks for tokens.
  const hasTokens = tokenizer !== undefined && turn.ids.length > 0;
  const too = hasTokens ? " too" : "";
  const cut = turn.finish === "length"
    ? '<div class="warn">⚠ cut by its token limit, not executed</div>'
    : "";
  return html(
    `<div class="muted">${label}</div>` +
      markup(preHtml(turn.observation, { className: `wrap seen${too}` })) +
      markup(preHtml(turn.text, { className: `wrap said${too}` })) +
      (hasTokens ? markup(tokensHtml(turn, { tokenizer, trained, label })) : "") + cut +
      actionHtml(turn),
  );
}

/** What was executed and what it paid. */
export function actionHtml(
  { action, reward }: { action: string | null; reward: number | null },
): string {
  const did = action === null
    ? "no action executed"
    : `action <code>${escapeHtml(showInvisible(action.slice(0, 2000)))}</code>`;
  const paid = reward === null ? "none" : formatNumber(reward);
  return `<div>${did} · reward <strong>${paid}</strong></div>`;
}
