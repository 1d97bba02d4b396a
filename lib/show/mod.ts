/** Figures, reports and the inspector: SVG, PNG, HTML and text from a run's tables. @module */
export {
  composeFigure,
  drawPanel,
  type FigureParts,
  type LegendEntry,
  type Panel,
  type PanelOptions,
} from "./compose.ts";
export { cellHtml, notebookHtml } from "./cell_html.ts";
export { type Figure, figureOf } from "./figure.ts";
export {
  denoInspect,
  display,
  type Displayable,
  jupyterDisplay,
  type MimeBundle,
  mimeBundle,
  type Shown,
} from "./display.ts";
export { escapeHtml, escapeTerminal } from "./escape.ts";
export * from "./figures/mod.ts";
export * from "./format.ts";
export { pythonHtml } from "./highlight.ts";
export { frameHtml } from "./frame.ts";
export { inspectHtml, type InspectHtmlOptions } from "./inspect_html.ts";
export { inspectListHtml, type InspectListOptions } from "./inspect_list_html.ts";
export type { PlaysOptions } from "./inspect_plays.ts";
export { pairText } from "./inspect_rows.ts";
export { inspectScript } from "./inspect_script.ts";
export { inspectListText, inspectText, type InspectTextOptions } from "./inspect_text.ts";
export {
  type Content,
  detailsHtml,
  factsHtml,
  type Html,
  html,
  markup,
  paragraphHtml,
  tableHtml,
} from "./page.ts";
export { type PngRenderer, pngRenderer } from "./png.ts";
export {
  type Replay,
  type ReplayOptions,
  replayPlay,
  type ReplayTurn,
  type StoredPlay,
} from "./replay.ts";
export { type ReplayOutcome, replayText } from "./replay_outcome.ts";
export { replayHtml } from "./replay_shown.ts";
export { reportHtml, type ReportOptions } from "./report_html.ts";
export { listRuns, openRun, Run } from "./run.ts";
export { RunTable, tableOf } from "./run_table.ts";
export {
  colour,
  type ColourName,
  fills,
  type FillStyle,
  series,
  type SeriesStyle,
  widths,
} from "./style.ts";
export { reportText } from "./report_text.ts";
export { tableRows, type TableRowsOptions } from "./table_rows.ts";
export { cutText, textTable } from "./text_table.ts";
