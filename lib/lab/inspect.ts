/** The inspector in a notebook or a script. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import { type EnvironmentDetail, findEnvironment, loadRun, openFolder } from "../analysis/mod.ts";
import { findRun } from "../cli/files.ts";
import { fullDetail } from "../cli/inspect.ts";
import { runTokenizer } from "../cli/run_tokenizer.ts";
import { type Tokenizer, UsageError } from "../core/mod.ts";
import type { GateReport } from "../gates/mod.ts";
import {
  display,
  type Displayable,
  frameHtml,
  inspectHtml,
  type InspectHtmlOptions,
  inspectText,
  type Run,
} from "../show/mod.ts";
import { detailOf, type Pieces } from "./detail.ts";
import { type EnvironmentLike, environmentOf } from "./environment.ts";
import type { Game } from "./play.ts";
import type { MeasuredRegret } from "./regret.ts";

/** What belongs to an environment that is in no run. */
export interface InspectEnvironmentOptions {
  /** What `play()`, `playYourself()` and `regret()` gave. @default none */
  plays?: readonly (Game | MeasuredRegret)[] | Game | MeasuredRegret;
  /** What `gate()` gave. @default not judged */
  gates?: Pick<GateReport, "verdicts">;
  /** What `hint()` gave, or a text. @default that of the plays */
  hint?: string | { text: string | null };
  /** The model that played: turns are then shown as tokens too. @default text alone */
  engine?: { tokenizer: Tokenizer };
  /** Pixels of the frame in a notebook. @default 720 */
  height?: number;
}

/** An environment inspected; it shows itself as a page in a frame. */
export interface Inspection extends Displayable {
  /** Everything the page shows. */
  detail: EnvironmentDetail;
  /** The page: self-contained, opens from disk. */
  page: string;
  /** Writes the page to a file, ending in .html; folders that are missing are made. Gives the path. */
  save(file: string): string;
}

/**
 * Shows everything about an environment: source, verdicts, hint, win rates, regret, and all plays turn by turn, both arms
 * side by side, as text and as tokens. Of a run by the first digits of its id; else the program, with what was made of it.
 *
 * ```ts ignore check
 * import { engine, inspect, openRun, regret } from "@spade/spade";
 *
 * using run = openRun("nano");
 * console.log(inspect(run, "147cf"));
 *
 * await using policy = await engine();
 * const environment = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const measured = await regret(environment, { engine: policy, hint: "count them" });
 * inspect(environment, { plays: measured, engine: policy }).save("runs/counting.html");
 * ```
 *
 * @throws {UsageError} where there is no such environment, or more than one.
 */
export function inspect(
  run: Run | string,
  environment: string,
  options?: Pick<InspectEnvironmentOptions, "height">,
): Inspection;
/** The same of an environment in no run, or of what was made of it. */
export function inspect(
  environment: EnvironmentLike | Game | MeasuredRegret,
  options?: InspectEnvironmentOptions,
): Inspection;
export function inspect(
  given: Run | string | EnvironmentLike | Game | MeasuredRegret,
  second?: string | InspectEnvironmentOptions,
  third: InspectEnvironmentOptions = {},
): Inspection {
  if (typeof second === "string") {
    const run = given as Run | string;
    return inspection(ofRun(typeof run === "string" ? findRun(run) : run.dir, second), third);
  }
  return inspection(ofPieces(given as EnvironmentLike | Game | MeasuredRegret, second), second);
}

interface Found {
  detail: EnvironmentDetail;
  text: Pick<InspectHtmlOptions, "tokenizer" | "noTokenizer">;
}

function ofRun(dir: string, prefix: string): Found {
  using store = openFolder(dir);
  const { id } = findEnvironment(loadRun(store, ["environment"]), prefix);
  return { detail: fullDetail(store, id), text: runTokenizer(store.all("run")[0]) };
}

function ofPieces(
  given: EnvironmentLike | Game | MeasuredRegret,
  { plays = [], gates, hint, engine }: InspectEnvironmentOptions = {},
): Found {
  const isPlayed = typeof given === "object" && "environment" in given;
  const environment = environmentOf(isPlayed ? given.environment : given as EnvironmentLike);
  const listed = Array.isArray(plays) ? plays : [plays];
  const all = [...(isPlayed ? [given] : []), ...listed] as (Game | MeasuredRegret)[];
  const other = all.find((play) => play.environment.id !== environment.id);
  if (other !== undefined) {
    throw new UsageError(
      `Cannot inspect ${environment.className}: a play is of ${other.environment.className} ` +
        `${other.environment.id.slice(0, 10)}, must be of ${environment.id.slice(0, 10)}`,
    );
  }
  const measured = all.filter((play) => "hinted" in play);
  const pieces: Pieces = {
    environment,
    games: all.flatMap((play) => "hinted" in play ? [...play.plain, ...play.hinted] : [play]),
    regret: measured.at(-1),
    gates,
    hint: (typeof hint === "object" ? hint.text : hint) ?? undefined,
  };
  const noTokenizer = "give the model that played: { engine }";
  return { detail: detailOf(pieces), text: engine ?? { noTokenizer } };
}

function inspection(
  { detail, text }: Found,
  { height }: Pick<InspectEnvironmentOptions, "height"> = {},
): Inspection {
  const { environment } = detail;
  // A notebook keeps what it shows: a part of what a file may hold.
  const page = (bytes?: number) => inspectHtml(detail, { ...text, bytes });
  const save = (file: string) => {
    if (!/\.html?$/.test(file)) {
      throw new UsageError(`Cannot save page as "${file}": it must end in .html`);
    }
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    fs.writeFileSync(file, page());
    return file;
  };
  const result = Object.defineProperties({ detail }, {
    page: { get: () => page() },
    save: { value: save },
  });
  const title = `Environment ${environment.className}`;
  return display(() => ({
    text: inspectText(detail),
    html: frameHtml(page(1_000_000), { title, height }),
  }), result as unknown as Inspection);
}
