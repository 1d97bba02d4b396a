/** How a replay shows itself: both tellings side by side, each difference named. @module */
import type { Shown } from "./display.ts";
import { escapeHtml, escapeTerminal, showInvisible } from "./escape.ts";
import { formatNumber } from "./format.ts";
import { frameHtml } from "./frame.ts";
import { actionHtml } from "./inspect_plays.ts";
import { prefixLength } from "./inspect_rows.ts";
import { inspectScript } from "./inspect_script.ts";
import { preHtml } from "./limit.ts";
import { type Content, html, markup, pageHtml, paragraphHtml, sectionHtml } from "./page.ts";
import type { Replay, ReplayTurn } from "./replay.ts";
import { replayText } from "./replay_outcome.ts";
import { stepsHtml, stepsStyle, type TurnColumn } from "./steps.ts";

/** Text and page of a replay. */
export function replayShown(replay: Replay): Shown {
  const page = replayHtml(replay);
  return { text: replayLines(replay), html: frameHtml(page, { title: "A play, replayed" }) };
}

function nameOf({ stored: { environment, play } }: Replay): string {
  return `${environment.id.slice(0, prefixLength)}, ${play.arm}, seed ${play.seed}`;
}

/**
 * The page: stored and replayed turns side by side, with the slider.
 *
 * ```ts ignore check
 * import { openFolder, replayHtml, replayPlay, startSandbox } from "@spade/spade";
 *
 * using store = openFolder("runs/nano");
 * const [play] = store.all("play");
 * const environment = store.get("environment", play.environmentId)!;
 * const turns = store.all("turn", { where: { playId: play.id }, orderBy: "index" });
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * const replay = await replayPlay({ environment, play, turns }, { sandbox });
 * Deno.writeTextFileSync("replay.html", replayHtml(replay));
 * ```
 */
export function replayHtml(replay: Replay): string {
  const { turns, outcome, last } = replay;
  const said = showInvisible(replayText(outcome, turns.length));
  const columns: TurnColumn[] = [
    {
      head: html("<strong>stored</strong>"),
      turns: turns.map((turn, i) => cell(turn, i, "stored")),
    },
    {
      head: html("<strong>replayed</strong>"),
      turns: turns.map((turn, i) => cell(turn, i, "again")),
    },
  ];
  return pageHtml(`Replay of ${nameOf(replay)}`, [
    paragraphHtml(said, outcome.kind === "same" ? "" : "warn"),
    stepsHtml("the replay", columns),
    last === null || last === ""
      ? ""
      : sectionHtml("Said after the last action, not stored", preHtml(last)),
  ], { style: stepsStyle, script: inspectScript });
}

function cell(turn: ReplayTurn, at: number, side: "stored" | "again"): Content {
  const label = `<div class="muted">${side === "again" ? "replayed" : "stored"}, turn ${
    at + 1
  }</div>`;
  const { observation, action, reward, differs } = turn;
  const shown = observation[side], paid = reward[side];
  if (shown === null) {
    return html(`${label}<p class="warn">⚠ the replay did not come so far</p>`);
  }
  const marks = side === "again" && differs.length > 0
    ? `<p class="warn">⚠ other ${escapeHtml(differs.join(", "))}</p>`
    : "";
  return html(
    label + markup(preHtml(shown, { className: "wrap seen" })) +
      (paid === undefined
        ? '<p class="warn">⚠ the action gave no result</p>'
        : actionHtml({ action, reward: paid })) +
      marks,
  );
}

function replayLines(replay: Replay): string {
  const { turns, outcome, last } = replay;
  const lines = [
    `replay of ${nameOf(replay)}`,
    replayText(outcome, turns.length),
    ...turns.flatMap((turn, i) => turnLines(turn, i + 1)),
    ...(last === null || last === "" ? [] : ["said after the last action:", indent(last)]),
  ];
  return escapeTerminal(lines.join("\n"));
}

function turnLines({ observation, action, reward, differs }: ReplayTurn, turn: number): string[] {
  const { stored, again } = observation;
  const isReached = again !== null;
  const sign = !isReached
    ? "⚠ not reached"
    : reward.again === undefined
    ? "⚠ no result"
    : differs.length > 0
    ? "⚠"
    : "✓";
  const paid = (value: number | null | undefined) => value === null ? "none" : formatNumber(value);
  return [
    `── turn ${turn} ${sign}`,
    indent(stored),
    ...(differs.includes("observation") && isReached ? ["replayed:", indent(again)] : []),
    `» ${action ?? "no action executed"}: reward ${paid(reward.stored)}` +
    (differs.includes("reward") ? `, replayed ${paid(reward.again)}` : "") +
    (differs.includes("end") ? ", other end" : ""),
  ];
}

function indent(text: string): string {
  return text.split("\n").map((line) => `  ${line}`).join("\n");
}
