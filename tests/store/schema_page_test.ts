import assert from "node:assert/strict";
import page from "../../lib/store/README.md" with { type: "text" };
import { withTables } from "../../scripts/schema_page.ts";

Deno.test("lib/store/README.md is what scripts/schema_page.ts writes", () => {
  assert.equal(page, withTables(page), "run `deno run -A scripts/schema_page.ts`");
});

Deno.test("withTables() refuses a page without its marks", () => {
  assert.throws(() => withTables("# page"), SyntaxError);
});
