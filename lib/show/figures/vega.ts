/**
 * Pictures of vega-lite specifications. Vega is loaded on the first call: nothing else pays for it.
 * @module
 */

/** A specification: plain JSON. */
export type VegaSpec = Record<string, unknown>;

/** Media type by which notebooks know a specification; JupyterLab 4.6 draws version 5, and not yet 6. */
export const vegaLiteType = "application/vnd.vegalite.v5+json";

/**
 * Stand-alone SVG of the view before anybody touches it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const spec = { data: { values: [{ x: 1 }] }, mark: "point", encoding: { x: { field: "x" } } };
 * assert.match(await vegaSvg(spec), /^<svg xmlns/);
 * ```
 *
 * @throws Error when the specification is none
 */
export async function vegaSvg(spec: VegaSpec): Promise<string> {
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  // Vega writes numbers of its own into the data it is given.
  const { spec: compiled } = compile(structuredClone(spec) as never);
  const view = new vega.View(vega.parse(compiled), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
