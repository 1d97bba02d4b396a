/**
 * What people use in notebooks and scripts: open a model, design, gate, hint, play and train in one call each, with
 * results that show themselves. Everything works the same in a script and in a cell.
 * @module
 */
export type { AskingOptions } from "./ask.ts";
export {
  type Design,
  type DesignAttempt,
  designEnvironment,
  type DesignOptions,
  type DesignReply,
} from "./design.ts";
export { engine, type OpenEngineOptions, type Policy } from "./engine.ts";
export { type Environment, type EnvironmentLike, environmentOf } from "./environment.ts";
export { exampleRun, type ExampleRunOptions } from "./example_run.ts";
export { type Forecast, forecast, type ForecastOptions } from "./forecast.ts";
export { gate, type GateCheckOptions } from "./gate.ts";
export { type AskHintOptions, hint } from "./hint.ts";
export { inspect, type InspectEnvironmentOptions, type Inspection } from "./inspect.ts";
export { notebook, notebookPolicy } from "./notebook.ts";
export { type LiveOutput, liveOutput } from "./live.ts";
export { type Game, play, type PlayOptions } from "./play.ts";
export { type OwnGame, playYourself, type PlayYourselfOptions } from "./play_yourself.ts";
export { ProgressLine, type ProgressState, withProgress } from "./progress.ts";
export { type MeasuredRegret, type MeasureRegretOptions, regret } from "./regret.ts";
export { replay, type ReplayAgainOptions } from "./replay.ts";
export { rewordedSandbox } from "./reworded.ts";
export { listRuns, openRun } from "./runs.ts";
export { openSandbox, type OpenSandboxOptions, type SandboxOption } from "./sandbox.ts";
export { sized } from "./sized.ts";
export { train, type Training, type TrainOptions } from "./train.ts";
export { treePieces, type TreePiecesOptions } from "./tree_pieces.ts";
