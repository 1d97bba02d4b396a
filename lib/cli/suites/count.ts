/** Counts of one suite; `failed` counts failures and errors alike. */
export interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** The last line of a test run, as people and machines read it. */
export function closingLine(counts: readonly Count[]): string {
  const sum = (key: keyof Count) => counts.reduce((total, count) => total + count[key], 0);
  const skipped = sum("skipped");
  const tail = skipped === 0 ? "" : `, ${skipped} skipped`;
  return `${sum("passed")} passed, ${sum("failed")} failed${tail}`;
}

/** Counts the test cases of a junit file written by `deno test`; steps are cases of their own. */
export function countJunit(xml: string): Count {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const [, body] of xml.matchAll(/<testcase\b[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const inner = body ?? "";
    if (/<(failure|error)\b/.test(inner)) count.failed++;
    else if (/<skipped\b/.test(inner)) count.skipped++;
    else count.passed++;
  }
  return count;
}

/** Counts what `python -m unittest` printed; undefined when it never came to its closing lines. */
export function countUnittest(output: string): Count | undefined {
  const ran = [...output.matchAll(/^Ran (\d+) tests? in /gm)].at(-1);
  const verdict = [...output.matchAll(/^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?\s*$/gm)].at(-1);
  if (ran === undefined || verdict === undefined) return undefined;
  const part = (name: string) =>
    Number(new RegExp(`${name}=(\\d+)`).exec(verdict[2] ?? "")?.[1] ?? 0);
  const failed = part("(?<!expected )failures") + part("errors") + part("unexpected successes");
  const skipped = part("skipped");
  return { passed: Math.max(0, Number(ran[1]) - failed - skipped), failed, skipped };
}

/**
 * What a suite counts for in the end: a program that fails without a failed test, or that ran no
 * test at all where tests were expected, is one failure.
 */
export function settle(count: Count | undefined, exitCode: number): Count {
  const known = count ?? { passed: 0, failed: 0, skipped: 0 };
  const ranNone = known.passed + known.failed + known.skipped === 0;
  if (known.failed === 0 && (exitCode !== 0 || ranNone)) return { ...known, failed: 1 };
  return known;
}
