/** An output of a cell that is replaced while the cell runs. @module */
import { type Displayable, jupyterDisplay } from "../show/mod.ts";
import { type Kernel, kernel } from "./outlet.ts";

/** An output that shows one thing after another in the same place. */
export interface LiveOutput {
  /** Shows `value` in place of what was shown before; resolves when it has been sent. */
  show(value: Displayable<unknown>): Promise<void>;
}

/**
 * A place for something that changes while a cell runs, such as a figure of a training. Outside a notebook it shows
 * nothing.
 *
 * ```ts
 * import { trainingFigure } from "../show/mod.ts";
 *
 * const output = liveOutput();
 * await output.show(trainingFigure([]));
 * ```
 */
export function liveOutput(): LiveOutput {
  return liveOutputOf(kernel(), crypto.randomUUID());
}

/** The output with this display id of a kernel. */
export function liveOutputOf(to: Kernel | undefined, id: string): LiveOutput {
  let update = false;
  return {
    async show(value) {
      if (to === undefined) return;
      const bundle = await value[jupyterDisplay]() as Record<string, string>;
      const options = { raw: true, display_id: id, update } as const;
      update = true;
      await to.display(bundle, options);
    },
  };
}
