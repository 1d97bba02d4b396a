/** One thing the doctor looked at. `limited`: works, with less; `missing`: must be there. */
export interface Finding {
  name: string;
  mark: "good" | "limited" | "missing";
  /** What was found, in one line. */
  found: string;
  /** What to do about it, or what it limits. */
  hint?: string;
}

const MARKS = { good: "✓", limited: "!", missing: "✗" } as const;

/** One line a finding: mark, name, what was found, and after a dash the hint. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ name }) => name.length));
  return findings.map(({ name, mark, found, hint }) => {
    const tail = hint === undefined ? "" : ` - ${hint}`;
    return `${MARKS[mark]} ${name.padEnd(width)}  ${found}${tail}`;
  }).join("\n");
}

/** Exit code of the doctor: 1 only when something needed is missing. */
export function exitCode(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ mark }) => mark === "missing") ? 1 : 0;
}
