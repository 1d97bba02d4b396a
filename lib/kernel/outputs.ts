/**
 * What a kernel publishes, as a notebook stores it.
 * @module
 */
import type { KernelMessage } from "./message.ts";

/** A picture, text or other result: its forms by media type. */
export interface DataOutput {
  /** A shown value, or the value of the cell's last expression. */
  output_type: "display_data" | "execute_result";
  /** Text or base64 by media type. */
  data: Record<string, unknown>;
  /** By media type. */
  metadata: Record<string, unknown>;
  /** Of an `execute_result`. */
  execution_count?: number | null;
}

/** What a notebook stores of an execution. */
export type Output =
  | { output_type: "stream"; name: "stdout" | "stderr"; text: string }
  | { output_type: "error"; ename: string; evalue: string; traceback: string[] }
  | DataOutput;

/** Turns messages into outputs; one for a whole notebook, since a later cell may update an earlier one's display. */
export class OutputCollector {
  readonly #displays = new Map<string, DataOutput[]>();

  /**
   * The outputs of one cell, from everything it published.
   *
   * ```ts
   * import assert from "node:assert/strict";
   * const stream = (text: string) => (
   *   { type: "stream", parentId: "", metadata: {}, content: { name: "stdout", text } }
   * );
   * const outputs = new OutputCollector().collect([stream("a\n"), stream("b\n")]);
   * assert.deepEqual(outputs, [{ output_type: "stream", name: "stdout", text: "a\nb\n" }]);
   * ```
   */
  collect(messages: readonly KernelMessage[]): Output[] {
    const outputs: Output[] = [];
    let clearing = false;
    const add = (output: Output) => {
      if (clearing) outputs.length = 0;
      clearing = false;
      outputs.push(output);
    };
    for (const { type, content } of messages) {
      switch (type) {
        case "stream": {
          const name = content.name === "stderr" ? "stderr" : "stdout";
          const last = clearing ? undefined : outputs.at(-1);
          if (last?.output_type === "stream" && last.name === name) last.text += content.text;
          else add({ output_type: "stream", name, text: String(content.text) });
          break;
        }
        case "display_data":
        case "execute_result": {
          const output: DataOutput = { output_type: type, ...shown(content) };
          if (type === "execute_result") {
            output.execution_count = content.execution_count as number ?? null;
          }
          const id = displayId(content);
          if (id !== undefined) {
            this.#displays.set(id, [...this.#displays.get(id) ?? [], output]);
          }
          add(output);
          break;
        }
        case "update_display_data":
          for (const output of this.#displays.get(displayId(content) ?? "") ?? []) {
            Object.assign(output, shown(content));
          }
          break;
        case "error":
          add({
            output_type: "error",
            ename: String(content.ename),
            evalue: String(content.evalue),
            traceback: Array.isArray(content.traceback) ? content.traceback.map(String) : [],
          });
          break;
        case "clear_output":
          if (content.wait === true) clearing = true;
          else outputs.length = 0;
      }
    }
    return outputs;
  }
}

function shown(content: Record<string, unknown>): Pick<DataOutput, "data" | "metadata"> {
  return {
    data: content.data as Record<string, unknown> ?? {},
    metadata: content.metadata as Record<string, unknown> ?? {},
  };
}

function displayId(content: Record<string, unknown>): string | undefined {
  const { display_id: id } = content.transient as { display_id?: unknown } ?? {};
  return typeof id === "string" ? id : undefined;
}
