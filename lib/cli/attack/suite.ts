/**
 * The hostile suite: its programs, and when one counts as contained.
 * @module
 */
import { z } from "zod";

const attack = z.object({
  name: z.string(),
  kind: z.string(),
  /** What the program is after. */
  goal: z.string(),
  /** Python that defines `attack()`. */
  code: z.string(),
  /** Answers that show it got nothing, as a regular expression over the whole text. */
  contained: z.string().optional(),
  /** Reasons of a designer's failure that show the same. */
  failures: z.array(z.string()).optional(),
  /** It prepares its blow in one step and strikes in the next. */
  again: z.boolean().optional(),
  /** It waits without using the CPU: only the wall time ends it. */
  idle: z.boolean().optional(),
});
export type Attack = z.infer<typeof attack>;

export const suiteFile = z.object({
  note: z.string(),
  helpers: z.string(),
  attacks: z.array(attack),
});
export type Suite = z.infer<typeof suiteFile>;

/** What the programs aim at. */
export interface Targets {
  /** A TCP port on 127.0.0.1 that the host listens on. */
  port: number;
  /** A process of the host. */
  pid: number;
}

/** The environment whose step is the attack. */
export function hostileProgram(suite: Suite, attack: Attack, targets: Targets): string {
  const code = attack.code.replaceAll("HOSTPORT", String(targets.port))
    .replaceAll("'PPID'", String(targets.pid));
  return `${suite.helpers}
${code}
class Env:
    def reset(self, seed=None): return "", {}
    def step(self, action):
        try: text = repr(attack())[:900]
        except Exception as error: text = ("EXC %r" % (error,))[:300]
        return text, 0.0, False, False, {}
`;
}

/**
 * What was seen of an attack, the same each time: `answer TEXT`, `failed REASON` (the designer's) or
 * `host REASON`; numbers of two digits and more are N, and so is what stands in the machine's top folder.
 */
export function normalise(observed: string): string {
  return observed.replaceAll(/0x[0-9a-f]+|\d{2,}/g, "N").replaceAll(/\s+/g, " ")
    .replaceAll(/(ls\/=OK )[^"]*/g, "$1N").slice(0, 300);
}

/** Whether what was observed (before normalising) shows that the attack got nothing. */
export function isContained(attack: Attack, observed: string): boolean {
  const [, kind, text] = observed.match(/^(\w+) (.*)$/s) ?? [];
  if (kind === "failed") return attack.failures?.includes(text) ?? false;
  return kind === "answer" && attack.contained !== undefined &&
    new RegExp(`^(?:${attack.contained})$`, "s").test(text);
}
