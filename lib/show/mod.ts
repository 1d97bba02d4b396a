/** Figures, reports and the inspector: SVG, PNG, HTML and text from a run's tables. @module */
export { bandFigure, type BandFigureOptions } from "./band_figure.ts";
export { composeFigure, drawPanel, type Figure, type FigureParts, type Panel } from "./compose.ts";
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
export * from "./format.ts";
export { inspectHtml, inspectListHtml } from "./inspect_html.ts";
export { inspectListText, inspectText, type InspectTextOptions } from "./inspect_text.ts";
export { learningFigure } from "./learning_figure.ts";
export { type PngRenderer, pngRenderer } from "./png.ts";
export { regretFigure } from "./regret_figure.ts";
export { reportHtml } from "./report_html.ts";
export { listRuns, openRun, Run } from "./run.ts";
export { RunTable } from "./run_table.ts";
export { colour, series, type SeriesStyle, widths } from "./style.ts";
export { reportText } from "./report_text.ts";
export { tableRows, type TableRowsOptions } from "./table_rows.ts";
export { cutText, textTable } from "./text_table.ts";
