/**
 * What the public door shows comes with an example. That everything has a description and a public type is the suite
 * "documentation" (`deno doc --lint mod.ts`); that the examples work, the doc tests and examples_process_test.ts.
 */
import assert from "node:assert/strict";

interface Documented {
  jsDoc?: { doc?: string; tags?: { kind: string; doc?: string }[] };
}

interface Declaration extends Documented {
  kind: string;
  def?: { extends?: string; constructors?: Documented[]; methods?: Documented[] };
}

/** Examples are blocks that some test reads: no other mark after `ts` is. */
const example = /```ts( ignore( check)?)?\n/;

const hasExample = ({ jsDoc }: Documented): boolean =>
  [jsDoc, ...jsDoc?.tags ?? []].some((part) => example.test(part?.doc ?? ""));

/** A class may show its use at any of its members; an error is shown by what throws it. */
const isShown = (declaration: Declaration): boolean => {
  const { constructors = [], methods = [], extends: base = "" } = declaration.def ?? {};
  return base.endsWith("Error") || [declaration, ...constructors, ...methods].some(hasExample);
};

Deno.test("every function and class of mod.ts has an example", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", "mod.ts"],
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const modules = Object.values(JSON.parse(new TextDecoder().decode(stdout)).nodes);
  const symbols = (modules as { symbols: { name: string; declarations: Declaration[] }[] }[])
    .flatMap(({ symbols }) => symbols)
    .filter(({ declarations: [{ kind }] }) => kind === "function" || kind === "class");
  assert.ok(symbols.length > 200, `only ${symbols.length} functions and classes were found`);
  const without = symbols.filter(({ declarations }) => !declarations.some(isShown));
  assert.deepEqual(without.map(({ name }) => name), []);
});
