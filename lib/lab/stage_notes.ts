/** What a training tells, in one line. @module */
import type { EventSink } from "../core/mod.ts";
import type { ProgressLine } from "./progress.ts";

/** A sink that keeps warnings and lets `line` say which stages of the rollout are not done. */
export function stageNotes(
  line: Pick<ProgressLine, "update">,
  warnings: string[],
): EventSink {
  const stages = new Map<string, string>();
  return (event) => {
    if (event.kind === "report" || event.kind === "note") return;
    if (event.kind === "warning") warnings.push(event.message);
    else if (event.done >= event.total) stages.delete(event.stage);
    else stages.set(event.stage, `${event.stage} ${event.done} of ${event.total}`);
    const count = warnings.length;
    const warned = count === 0 ? [] : [`⚠ ${count} warning${count === 1 ? "" : "s"}`];
    line.update({ note: [...stages.values(), ...warned].join(" · ") });
  };
}
