/** Audits: reward hacking and contamination. @module */
export { type Acted, answerOf, constantWins } from "./constant_wins.ts";
export * from "./contamination.ts";
export * from "./early_wins.ts";
export { type HackCheck, type HackFinding, type HackSummary, summariseHacks } from "./finding.ts";
export * from "./replays.ts";
export * from "./reward_text.ts";
