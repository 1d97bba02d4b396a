/** From plays to numbers: returns, win rates, regret with its interval, and the designer's signals. @module */
export * from "./blend.ts";
export * from "./controllers.ts";
export * from "./episode.ts";
export * from "./interval.ts";
export * from "./noise.ts";
export * from "./plateau.ts";
export * from "./regret.ts";
export * from "./score.ts";
export * from "./signals.ts";
export * from "./statistics.ts";
export * from "./tracker.ts";
export * from "./window.ts";
