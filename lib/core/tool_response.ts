/** How a tool's result stands in an observation. @module */

/**
 * As chat templates write it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(toolResponse("3 rows"), "<tool_response>\n3 rows\n</tool_response>");
 * ```
 */
export function toolResponse(text: string): string {
  return `<tool_response>\n${text}\n</tool_response>`;
}
